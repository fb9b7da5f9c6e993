import { withDeadline } from "../../concurrency/deadlines.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { DAY_MS } from "../../domain/time.ts"
import {
  chooseFacts,
  type DomainFacts,
  type Evidence,
  type FactName,
  fillFacts,
  type GravatarEvidence,
  hasMailHost,
  type MailboxEvidence,
  type MailRoute,
  noEvidence,
  type OptionalService,
  type StoredEvidence,
  type StoredFacts,
} from "../../domain/verification/evidence.ts"
import { type OptionalChecks, wantedFacts } from "../../domain/verification/plan.ts"
import { gatherFacts } from "./facts.ts"
import { FULL_PROBE_MS, probeMailbox } from "./probe-mailboxes.ts"
import { storeFacts } from "./settle.ts"

/** How long a response waits for a slow fact, in ms. */
export const FACTS_BUDGET_MS = 2_500
/** Time for a node's last line to arrive before the deadline, in ms. */
const CLOSING_MS = 500
/** The shortest useful SMTP session, in ms. If it ends after the deadline, its result is stored for the next caller. */
const MIN_PROBE_MS = 1_000
const GRAVATAR_MS = { answer: 7 * DAY_MS, failure: 60_000 } as const

interface One {
  readonly address: ValidAddress
  /** Its own nodes probe, else the shared ones. Null for a caller without an account. */
  readonly accountId: string | null
  readonly checks: OptionalChecks
  readonly smtp: boolean
  /** The deadline of the answer, Unix ms. */
  readonly deadlineAt: number
  /** The evidence of the previous verification. */
  readonly before: StoredEvidence | null
  /** The stored facts of the domain. */
  readonly facts: StoredFacts | null
}

export interface Gathering {
  readonly complete: Promise<Evidence>
  /** The evidence so far. */
  soFar(): Evidence
  /** Returns the facts to store with the result. Facts found later are stored on their own. */
  foundFacts(): StoredFacts
}

/** Gathers the evidence about one address: probes as soon as the mail route is known, and all else in parallel. */
export function gather(ctx: Context, one: One): Gathering {
  const { address, checks, before } = one
  let unsaved: StoredFacts = {}
  // Facts of a new domain are stored at once: concurrent callers need them while the server is probed.
  let isSeparate = (one.facts?.route?.expiresAt ?? 0) <= ctx.clock.now()
  const facts = gatherFacts(ctx, {
    domain: address.domain,
    stored: one.facts,
    wanted: wantedFacts(checks),
    save: async (found) => {
      if (isSeparate) await storeFacts(ctx, address.domain, found)
      else unsaved = { ...unsaved, ...found }
    },
  })
  const nothing = noEvidence(address)
  let optional = noAnswers(ctx, checks)
  let probed: Pick<Evidence, "mailbox" | "probeProblem"> = { mailbox: null, probeProblem: "deadline" }

  async function addGravatar(): Promise<void> {
    const gravatar = await findGravatar(ctx, address, { before: before?.gravatar, budgetMs: FACTS_BUDGET_MS })
    optional = { ...optional, gravatar }
  }

  async function all(): Promise<Evidence> {
    const [domain] = await Promise.all([
      facts.within(FACTS_BUDGET_MS),
      checks.gravatar ? addGravatar() : undefined,
      probe(ctx, one, { route: facts.route, onInTime: (found) => (probed = found) }).then((found) => (probed = found)),
    ])
    return { ...nothing, domain, ...probed, ...optional }
  }

  return {
    complete: all(),
    soFar: () => ({ ...nothing, domain: facts.soFar(), ...probed, ...optional }),
    foundFacts() {
      isSeparate = true
      return unsaved
    },
  }
}

type Probed = Pick<Evidence, "mailbox" | "probeProblem">

/** @param onInTime called when the probe continues after the caller's deadline, with what it found before */
async function probe(
  ctx: Context,
  { accountId, address, smtp, deadlineAt, before }: One,
  { route: finding, onInTime }: { route: Promise<MailRoute>; onInTime: (found: Probed) => void },
): Promise<Probed> {
  const route = await finding
  if (!smtp || !hasMailHost(route)) return { mailbox: null, probeProblem: null }
  const { hosts } = route
  const once = (deadlineMs: number) =>
    probeMailbox(ctx, { accountId, address, hosts, deadlineMs, before: before?.mailbox ?? null })
  const leftMs = deadlineAt - CLOSING_MS - ctx.clock.now()
  const mailbox = await once(Math.max(MIN_PROBE_MS, leftMs))
  if (!mailbox) return { mailbox, probeProblem: "no_node" }
  const inTime = { mailbox, probeProblem: null }
  if (leftMs >= FULL_PROBE_MS || !ranOut(mailbox)) return inTime
  // Without more time a slow server would stay unknown forever, and for a minute even to callers with more time.
  onInTime(inTime)
  const later = await once(FULL_PROBE_MS)
  return later && (isAccepted(later) || !isAccepted(mailbox)) ? { ...inTime, mailbox: later } : inTime
}

/** True when the caller's deadline ended the session: of the random recipient, if the mailbox was accepted. */
function ranOut(mailbox: MailboxEvidence): boolean {
  const last = isAccepted(mailbox) ? mailbox.control : mailbox.outcome
  return last?.kind === "failure" && last.failure === "deadline"
}

function isAccepted({ outcome }: MailboxEvidence): boolean {
  return outcome.kind === "reply" && outcome.reply.code < 300
}

/** The evidence of the optional checks before any of them has an answer. */
export function noAnswers(
  ctx: Pick<Context, "clock" | "gravatar" | "rdap">,
  checks: Pick<OptionalChecks, "gravatar" | "domainAge">,
): Pick<Evidence, "gravatar" | "notConfigured"> {
  const notConfigured: OptionalService[] = []
  if (checks.gravatar && !ctx.gravatar.isConfigured) notConfigured.push("gravatar")
  if (checks.domainAge && !ctx.rdap.isConfigured) notConfigured.push("registration")
  return {
    ...(checks.gravatar ? { gravatar: { found: null, checkedAt: ctx.clock.now() } } : {}),
    ...(notConfigured.length > 0 ? { notConfigured } : {}),
  }
}

/** Returns whether an address has a Gravatar: a fresh previous answer, else a request within `budgetMs`. */
async function findGravatar(
  { clock, gravatar }: Pick<Context, "clock" | "gravatar">,
  address: ValidAddress,
  { before, budgetMs }: { before: GravatarEvidence | undefined; budgetMs: number },
): Promise<GravatarEvidence> {
  const now = clock.now()
  if (before && before.checkedAt + GRAVATAR_MS[before.found === null ? "failure" : "answer"] > now) return before
  const found = await withDeadline(clock, gravatar.has(`${address.local}@${address.domain}`), now + budgetMs)
  return { found, checkedAt: now }
}

interface Completing {
  /** The stored facts of the domain, which may be newer than those of the result. */
  readonly facts: StoredFacts | null
  readonly checks: OptionalChecks
  readonly budgetMs: number
}

/** Adapts stored evidence to the caller's checks: omits checks that are off and runs missing ones. Probes no server. */
export async function completeStored(
  ctx: Context,
  { gravatar: before, notConfigured: _, ...known }: Evidence,
  { facts, checks, budgetMs }: Completing,
): Promise<Evidence> {
  const { address } = known
  const [domain, gravatar] = await Promise.all([
    known.domain && completeFacts(ctx, known.domain, { facts, checks, budgetMs }),
    checks.gravatar && address.ok ? findGravatar(ctx, address, { before, budgetMs }) : undefined,
  ])
  return { ...known, domain, ...noAnswers(ctx, checks), ...(gravatar ? { gravatar } : {}) }
}

/** Fetches facts that were never requested, and tries failed ones again in the background. */
async function completeFacts(
  ctx: Context,
  own: DomainFacts,
  { facts, checks, budgetMs }: Completing,
): Promise<DomainFacts> {
  const wanted = wantedFacts(checks)
  const lacking = new Set<FactName>([...wanted].filter((name) => own[name] == null))
  if (lacking.size === 0) return chooseFacts(own, wanted)
  const { route, domain } = own
  const known = { value: route, checkedAt: own.checkedAt.route ?? 0, expiresAt: Number.MAX_SAFE_INTEGER }
  const gathering = gatherFacts(ctx, { domain, stored: { ...facts, route: known }, wanted: lacking })
  const neverRequested = [...lacking].some((name) => own[name] === undefined)
  return fillFacts(chooseFacts(own, wanted), await gathering.within(neverRequested ? budgetMs : 0))
}
