import type { OpenReservation, UsageMeter } from "../../adapters/key-limiter/usage-meter.ts"
import type { StoredResult } from "../../adapters/store/results/results.ts"
import { withDeadline } from "../../concurrency/with-deadline.ts"
import type { Context } from "../../context.ts"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { type HiddenUntil, isHidden } from "../../domain/feedback/flags.ts"
import { freshFacts, hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type {
  Evidence,
  MailboxEvidence,
  MailRoute,
  StoredEvidence,
  StoredFacts,
} from "../../domain/verdict/evidence.ts"
import { forCurrentSpelling, noEvidence } from "../../domain/verdict/evidence-about.ts"
import { hasNoServerAnswer, nextAttempt } from "../../domain/verdict/next-attempt.ts"
import { assess, type Verification } from "../../domain/verdict/verification.ts"
import { ALL_CHECKS, type Checks, completeStored, noAnswers } from "./complete-stored.ts"
import { FACTS_BUDGET_MS, gatherFacts, wantedFacts } from "./domain-facts.ts"
import { completeEdge } from "./fill-edge.ts"
import { findGravatar } from "./gravatar.ts"
import { type Known, lookUp } from "./look-up.ts"
import { FULL_PROBE_MS, probeMailbox } from "./mailbox-probe.ts"
import { acquireSingleFlight } from "./single-flight.ts"
import { storeAnswer, storeFacts } from "./store-answer.ts"

/** Time for a node's last line to arrive before the deadline, in ms. */
const CLOSING_MS = 500
/** The shortest useful SMTP session, in ms. If it ends after the deadline, its result is stored for the next caller. */
const MIN_PROBE_MS = 1_000
/** Age of a stored result that `fresh` replaces, in ms. An unknown result is free, so this limits the probes of it. */
const REPLACED_AFTER_MS = 60_000

export interface VerifyInput {
  readonly email: string
  /** Probe the mail server. Without it the status of a reachable domain is unknown. */
  readonly smtp: boolean
  /** Optional checks, by default all. */
  readonly checks?: Checks
  /** Null for a caller without an account. */
  readonly accountId: string | null
  /** What is stored about the address. */
  readonly known: Promise<Known>
  /** The deadline in ms. It returns the best known result, and the verification continues in the background. */
  readonly timeoutMs: number
  /** Probe again although a stored result of more than a minute is fresh. */
  readonly fresh?: boolean
}

/** Verifies one address, or returns its fresh stored result. Syntax → domain facts → mailbox → verdict → store. */
export async function verify(ctx: Context, meter: UsageMeter, input: VerifyInput): Promise<Verification> {
  const { email, smtp, accountId, timeoutMs, fresh: isReplacing = false, checks = ALL_CHECKS } = input
  const address = parseAddress(email)
  const startedAt = ctx.clock.now()
  const deadlineAt = startedAt + timeoutMs
  const fresh = (evidence: Evidence) => assess(evidence, { cached: false, verifiedAt: startedAt })
  if (!address.ok) return fresh(noEvidence(address))

  const asked = { address, checks, deadlineAt }
  let known = await input.known
  const isReplaced = isReplacing && (known.result?.verifiedAt ?? 0) <= startedAt - REPLACED_AFTER_MS
  let served = isReplaced ? null : await serveStored(ctx, asked, known)
  if (served) {
    ctx.background(completeEdge(ctx, { address, stored: known.result, found: served.evidence }))
    return served
  }
  const flight = smtp ? await acquireSingleFlight(ctx, { accountId, address, deadlineAt }) : null
  if (flight === "expired") {
    const kept = { stored: known.facts, wanted: wantedFacts(checks), now: startedAt }
    const domain = freshFacts(address.domain, kept)
    return fresh({ ...noEvidence(address), ...noAnswers(ctx, checks), domain, probeProblem: "deadline" })
  }
  if (flight === "shared") {
    // Another request has just stored the result.
    known = await lookUp(ctx, { accountId, address })
    served = await serveStored(ctx, asked, known)
    if (served) return served
  }
  const release = flight === "shared" ? undefined : flight?.release

  const charge = await meter.reserve(CREDITS.verification).catch(async (refusal: unknown) => {
    await release?.()
    throw refusal
  })
  const { hidesUntil } = known.accountFlags
  const before = known.result && reusableEvidence(known.result, hidesUntil)
  const collection = collectEvidence(ctx, { ...asked, accountId, before, kept: known.facts, smtp })
  const complete = collection.complete.then((evidence) => withRecheck(ctx, fresh(evidence)))
  const storing = (async () => {
    try {
      const hidden = new Map([[cacheKey(address), hidesUntil]])
      await store(ctx, await complete, { accountId, hidden, previous: known.result, facts: collection.takeFacts })
    } finally {
      await release?.()
    }
  })()
  // The caller may disconnect, and the platform then ends its request. Others may wait for the result.
  ctx.background(storing.catch(() => undefined))
  const inTime = async () => {
    const verification = await withDeadline(ctx.clock, complete, deadlineAt)
    if (verification) return verification
    ctx.background(complete)
    return fresh(collection.soFar())
  }
  return settled(ctx, charge, inTime())
}

interface Asked {
  readonly address: ValidAddress
  readonly checks: Checks
  /** The deadline of the answer, Unix ms. */
  readonly deadlineAt: number
}

/** Returns the stored result if it is fresh and visible to the account, else null. */
async function serveStored(
  ctx: Context,
  { address, checks, deadlineAt }: Asked,
  { result, facts, accountFlags }: Known,
): Promise<Verification | null> {
  if (!result || result.expiresAt <= ctx.clock.now() || isHidden(accountFlags, result.verifiedAt)) return null
  const budgetMs = Math.max(0, Math.min(FACTS_BUDGET_MS, deadlineAt - ctx.clock.now()))
  const stored = forCurrentSpelling(result.evidence, address)
  const evidence = await completeStored(ctx, stored, { kept: facts, checks, budgetMs })
  return assess(evidence, { cached: true, verifiedAt: result.verifiedAt })
}

/** The evidence for a new verification: of a hidden result only the node and source IP, for greylisting. */
function reusableEvidence({ evidence, verifiedAt }: StoredResult, hidesUntil: number): StoredEvidence {
  if (!isHidden({ hidesUntil }, verifiedAt)) return evidence
  return { domain: null, mailbox: evidence.mailbox, probeProblem: null }
}

interface Collecting extends Asked {
  readonly accountId: string | null
  /** The evidence of the previous verification. */
  readonly before: StoredEvidence | null
  readonly kept: StoredFacts | null
  readonly smtp: boolean
}

interface Collection {
  readonly complete: Promise<Evidence>
  /** The evidence so far. */
  soFar(): Evidence
  /** Returns the facts to store with the result. Facts found later are stored on their own. */
  takeFacts(): StoredFacts
}

/**
 * Probes the mail server as soon as the route is known and gathers all other evidence in parallel.
 */
function collectEvidence(
  ctx: Context,
  { accountId, address, before, kept, smtp, checks, deadlineAt }: Collecting,
): Collection {
  const { domain } = address
  let unsaved: StoredFacts = {}
  // Facts of a new domain are stored at once: concurrent callers need them while the server is probed.
  let isSeparate = (kept?.route?.expiresAt ?? 0) <= ctx.clock.now()
  const save = async (found: StoredFacts) => {
    if (isSeparate) await storeFacts(ctx, domain, found)
    else unsaved = { ...unsaved, ...found }
  }
  const gathering = gatherFacts(ctx, { domain, stored: kept, wanted: wantedFacts(checks), save })
  const nothing = noEvidence(address)
  let answers = noAnswers(ctx, checks)
  let probed: Pick<Evidence, "mailbox" | "probeProblem"> = { mailbox: null, probeProblem: "deadline" }

  const ask = ({ hosts }: Extract<MailRoute, { hosts: unknown }>, deadlineMs: number) =>
    probeMailbox(ctx, { accountId, address, hosts, deadlineMs, before: before?.mailbox ?? null })

  async function probe() {
    const route = await gathering.route
    if (!smtp || !hasMailHost(route)) return { mailbox: null, probeProblem: null }
    const leftMs = deadlineAt - CLOSING_MS - ctx.clock.now()
    const mailbox = await ask(route, Math.max(MIN_PROBE_MS, leftMs))
    if (!mailbox) return { mailbox, probeProblem: "no_node" as const }
    const inTime = { mailbox, probeProblem: null }
    if (leftMs >= FULL_PROBE_MS || !ranOut(mailbox)) return inTime
    // Without more time a slow server would stay unknown forever, and for a minute even to callers with more time.
    probed = inTime
    const heard = await ask(route, FULL_PROBE_MS)
    return heard && (isAccepted(heard) || !isAccepted(mailbox)) ? { ...inTime, mailbox: heard } : inTime
  }

  async function all() {
    const addGravatar = async () => {
      const gravatar = await findGravatar(ctx, address, { before: before?.gravatar, budgetMs: FACTS_BUDGET_MS })
      answers = { ...answers, gravatar }
    }
    const [domain] = await Promise.all([
      gathering.within(FACTS_BUDGET_MS),
      checks.gravatar ? addGravatar() : undefined,
      probe().then((found) => {
        probed = found
      }),
    ])
    return { ...nothing, domain, ...probed, ...answers }
  }

  function takeFacts(): StoredFacts {
    isSeparate = true
    return unsaved
  }

  return { complete: all(), takeFacts, soFar: () => ({ ...nothing, domain: gathering.soFar(), ...probed, ...answers }) }
}

/** True when the caller's deadline ended the session: of the random recipient, if the mailbox was accepted. */
function ranOut(mailbox: MailboxEvidence): boolean {
  const last = isAccepted(mailbox) ? mailbox.control : mailbox.outcome
  return last?.kind === "failure" && last.failure === "deadline"
}

function isAccepted({ outcome }: MailboxEvidence): boolean {
  return outcome.kind === "reply" && outcome.reply.code < 300
}

/** Settles the charge. An unknown result and a failure are free: the answer waits until their credit is returned. */
async function settled(ctx: Context, charge: OpenReservation, work: Promise<Verification>): Promise<Verification> {
  const verification = await work.catch(async (error: unknown) => {
    await charge.settle(0)
    throw error
  })
  if (verification.verdict.status === "unknown") await charge.settle(0)
  else ctx.background(charge.settle(CREDITS.verification))
  return verification
}

/** Adds to a deferred address when it is probed again. Results of an account's own node are not probed again. */
function withRecheck({ config }: Context, found: Verification): Verification {
  const { evidence, verdict, verifiedAt } = found
  const policy = { of: "address", delaysMs: config.recheckDelaysMs } as const
  const wait = evidence.mailbox?.isPrivate ? null : nextAttempt(verdict, 0, policy)
  return wait === null ? found : { ...found, evidence: { ...evidence, nextCheckAt: verifiedAt + wait } }
}

interface Storing {
  readonly accountId: string | null
  readonly hidden: HiddenUntil
  /** The previous result. A failed probe does not replace it while it is fresh, because it serves other accounts. */
  readonly previous: StoredResult | null
  readonly facts: () => StoredFacts
}

/** Stores a verification after its answer, with the recheck of a deferred address. */
async function store(
  ctx: Context,
  verification: Verification,
  { accountId, hidden, previous, facts }: Storing,
): Promise<void> {
  const { evidence, verdict, verifiedAt } = verification
  const isStored = !(hasNoServerAnswer(verdict) && (previous?.expiresAt ?? 0) > verifiedAt)
  const recheckAt = isStored ? (evidence.nextCheckAt ?? null) : null
  const storedFor = { accountId, hidden, isCached: () => true }
  await storeAnswer(ctx, { verification, isStored, facts: facts(), recheckAt, storedFor })
}
