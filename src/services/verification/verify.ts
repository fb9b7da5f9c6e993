import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import { withDeadline } from "../../concurrency/deadlines.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { addressHash, cacheKey } from "../../domain/address/address-forms.ts"
import { type ParsedAddress, parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { type Evidence, forCurrentSpelling, freshFacts, noEvidence } from "../../domain/verification/evidence.ts"
import { withRecheck } from "../../domain/verification/next-attempt.ts"
import {
  ALL_CHECKS,
  answers,
  isToStore,
  type OptionalChecks,
  reusableEvidence,
  type Serving,
  wantedFacts,
} from "../../domain/verification/plan.ts"
import { assess, type Verification, withAccountFlags } from "../../domain/verification/verification.ts"
import { pricesFor } from "../accounts/charge.ts"
import { enrich } from "../learning/enrich.ts"
import { breachResultOf, checkBreachesBeside } from "./breaches.ts"
import { completeStored, FACTS_BUDGET_MS, gather, noAnswers } from "./gather.ts"
import { findAtEdge, findKnown, type Known, NOTHING_KNOWN } from "./known.ts"
import { FULL_PROBE_MS } from "./probe-mailboxes.ts"
import { completeEdge, recordHistory, settleCharge, storeAnswer } from "./settle.ts"

/** Extra time in ms for the leader of identical requests to store its result. After it its lease expires. */
const LEASE_GRACE_MS = 5_000

interface Options {
  /** Probe the mail server. Without it the status of a reachable domain is unknown. */
  readonly smtp: boolean
  /** Optional checks, by default all. */
  readonly checks?: OptionalChecks
  /** The deadline in ms. It returns the best known result, and the verification continues in the background. */
  readonly timeoutMs: number
  /** Probe again although a stored result of more than a minute is fresh. */
  readonly fresh?: boolean
}

/** The options of a verification. The account comes from the caller. */
export interface CallerInput extends Options {
  readonly email: string
  /** Also search breaches. */
  readonly breach?: boolean
  /** False ignores suppressions. */
  readonly suppression?: boolean
  /** Add the model's prediction and the activity of the mailbox. */
  readonly enriched?: boolean
}

/** Verifies an address with the flags of the caller's account, and adds the result to the account's history. */
export async function verifyForCaller(
  ctx: Context,
  meter: UsageMeter,
  { caller, email, breach = false, suppression = true, enriched = false, ...options }: CallerInput & { caller: Caller },
): Promise<Verification> {
  const address = parseAddress(email)
  const accountId = accountOf(caller)
  const deadlineAt = ctx.clock.now() + options.timeoutMs
  ctx.queueEntry.deadlineAt = deadlineAt
  const { checks = ALL_CHECKS, fresh = false } = options
  const atEdge = address.ok && !fresh ? await findAtEdge(ctx, { address, accountId }, checks) : null
  const known = (async () => {
    if (atEdge) return { ...NOTHING_KNOWN, accountFlags: atEdge.accountFlags }
    return address.ok ? findKnown(ctx, { accountId, address }) : NOTHING_KNOWN
  })()
  const finding = known.then(({ accountFlags }) => accountFlags)
  const verifying = async () =>
    atEdge?.verification ?? (await verify(ctx, meter, { ...options, address, accountId, known }))
  const [{ done: neutral, search }, accountFlags] = await Promise.all([
    breach && address.ok
      ? checkBreachesBeside(ctx, meter, { address, accountId, work: verifying, accountFlags: finding, deadlineAt })
      : verifying().then((done) => ({ done, search: null })),
    finding,
  ])
  const found = breach ? { ...neutral, breach: breachResultOf(search) } : neutral
  const own = enriched ? await enrich(ctx, found, accountId) : found
  const verification = withAccountFlags(own, suppression ? accountFlags : { ...accountFlags, isSuppressed: false })
  recordHistory(ctx, meter, { caller, verifications: [verification] })
  return verification
}

export interface VerifyInput extends Options {
  readonly address: ParsedAddress
  /** Null for a caller without an account. */
  readonly accountId: string | null
  /** What the database knows about the address. */
  readonly known: Promise<Known>
}

/**
 * Verifies one address, or returns its fresh stored result: known → plan → gather → judge → settle. Of identical
 * requests one verifies, and the others wait for its result.
 */
export async function verify(ctx: Context, meter: UsageMeter, input: VerifyInput): Promise<Verification> {
  const { address, smtp, accountId, timeoutMs, checks = ALL_CHECKS } = input
  const startedAt = ctx.clock.now()
  const deadlineAt = startedAt + timeoutMs
  const fresh = (evidence: Evidence) => assess(evidence, { cached: false, verifiedAt: startedAt })
  if (!address.ok) return fresh(noEvidence(address))

  let known = await input.known
  const wanted = { address, checks, deadlineAt }
  const served = await serveStored(ctx, known, { ...wanted, serve: input.fresh ? "refresh" : "fresh" })
  if (served) {
    ctx.background(completeEdge(ctx, { address, stored: known.result!, found: served.evidence }))
    return served
  }
  const flight = smtp ? await acquireSingleFlight(ctx, { accountId, address, deadlineAt }) : null
  if (flight === "expired") {
    const domain = freshFacts(address.domain, { stored: known.facts, wanted: wantedFacts(checks), now: startedAt })
    return fresh({ ...noEvidence(address), ...noAnswers(ctx, checks), domain, probeProblem: "deadline" })
  }
  if (flight === "shared") {
    // Another request has just stored the result.
    known = await findKnown(ctx, { accountId, address })
    const shared = await serveStored(ctx, known, { ...wanted, serve: "fresh" })
    if (shared) return shared
  }
  const release = flight === "shared" ? undefined : flight?.release
  const charge = await meter.reserve(pricesFor(ctx, accountId).most([address])).catch(async (refusal: unknown) => {
    await release?.()
    throw refusal
  })

  const { result: previous, facts, accountFlags } = known
  const before = previous && reusableEvidence(previous, accountFlags)
  const gathering = gather(ctx, { ...wanted, accountId, smtp, before, facts })
  const complete = gathering.complete.then((found) => withRecheck(fresh(found), ctx.config.recheckDelaysMs))
  const storing = (async () => {
    try {
      const verification = await complete
      const hidden = new Map([[cacheKey(address), accountFlags.hidesUntil]])
      await storeAnswer(ctx, verification, {
        isStored: isToStore(verification, { previous }),
        facts: gathering.foundFacts(),
        storedFor: { accountId, hidden, isCached: () => true },
      })
    } finally {
      await release?.()
    }
  })()
  // The caller may disconnect, and the platform then ends its request. Others may wait for the result.
  ctx.background(storing.catch(() => undefined))
  const answer = withDeadline(ctx.clock, complete, deadlineAt).then((verification) => {
    if (verification) return verification
    ctx.background(complete)
    return fresh(gathering.soFar())
  })
  return settleCharge(ctx, charge, answer)
}

/** Returns the stored result if it may answer, with the caller's checks, else null. */
async function serveStored(
  ctx: Context,
  { result, facts, accountFlags }: Known,
  {
    address,
    checks,
    deadlineAt,
    serve,
  }: { address: ValidAddress; checks: OptionalChecks; deadlineAt: number; serve: Serving },
): Promise<Verification | null> {
  const now = ctx.clock.now()
  if (!answers(result, { serve, hidesUntil: accountFlags.hidesUntil, now })) return null
  const budgetMs = Math.max(0, Math.min(FACTS_BUDGET_MS, deadlineAt - now))
  const stored = forCurrentSpelling(result.evidence, address)
  const evidence = await completeStored(ctx, stored, { facts, checks, budgetMs })
  return assess(evidence, { cached: true, verifiedAt: result.verifiedAt })
}

/**
 * Deduplicates identical requests: one verifies, the others wait for it until their own deadlines. Requests to private
 * nodes are deduplicated within their account only, because their results are for that account.
 * @returns the leader's `release`, "shared" when the leader's result is stored, "expired" after the deadline
 */
async function acquireSingleFlight(
  ctx: Context,
  { accountId, address, deadlineAt }: { accountId: string | null; address: ValidAddress; deadlineAt: number },
): Promise<{ readonly release: () => Promise<void> } | "shared" | "expired"> {
  const [hash, owner] = await Promise.all([addressHash(ctx.digests, address), ctx.probes.owner(accountId)])
  const name = owner === null ? hash : `${hash} ${owner}`
  const release = () => ctx.singleFlight.release(name)
  const leftMs = Math.max(0, deadlineAt - ctx.clock.now())
  const lateMs = leftMs < FULL_PROBE_MS ? FULL_PROBE_MS : 0
  const acquiring = ctx.singleFlight.acquire(name, leftMs + lateMs + LEASE_GRACE_MS)
  const isLeader = await withDeadline(ctx.clock, acquiring, deadlineAt)
  if (isLeader !== null) return isLeader ? { release } : "shared"
  // A leader past its deadline releases the lease.
  ctx.background(acquiring.then((leads) => (leads ? release() : undefined)))
  return "expired"
}
