import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { Evidence, KeptFacts, MailboxEvidence, MailRoute } from "../../domain/verdict/evidence.ts"
import { noEvidence } from "../../domain/verdict/evidence-about.ts"
import { type Checks, wantedFacts } from "./checks.ts"
import { findGravatar } from "./find-gravatar.ts"
import { FACTS_BUDGET_MS, type FactNeeds, gatherFacts } from "./gather-facts.ts"
import { probeMailbox } from "./probe-mailbox.ts"

export type CollectNeeds = FactNeeds & Pick<Deps, "digests" | "randomToken" | "probes" | "gravatar">

export interface Collecting {
  readonly address: ValidAddress
  /** What was found out the last time. */
  readonly before: Evidence | null
  readonly kept: KeptFacts | null
  readonly smtp: boolean
  readonly checks: Checks
  /** When the answer is due, Unix ms. */
  readonly wallAt: number
}

/** The search for all that can be known about an address, going on. */
export interface Collection {
  readonly complete: Promise<Evidence>
  /** What is known by now. */
  soFar(): Evidence
}

/** What a node's last line needs to get here before the wall, in ms. */
const CLOSING_MS = 500
/** No SMTP conversation takes less. When it ends after the wall, it is for the next caller, in ms. */
const MIN_PROBE_MS = 1_000
/** The least time a mail server gets, in ms, if need be after the caller was answered: a Worker may go on for 30 s. */
export const HEARD_OUT_MS = 20_000

/** Asks the mail server as soon as the route is known, and for everything else meanwhile. */
export function collectEvidence(needs: CollectNeeds, collecting: Collecting): Collection {
  const { address, before, kept, smtp, checks, wallAt } = collecting
  const gathering = gatherFacts(needs, { domain: address.domain, stored: kept, wanted: wantedFacts(checks) })
  const nothing = noEvidence(address)
  let probed: Pick<Evidence, "mailbox" | "probeProblem"> = { mailbox: null, probeProblem: "deadline" }

  const ask = ({ hosts }: Extract<MailRoute, { hosts: unknown }>, deadlineMs: number) =>
    probeMailbox(needs, { address, hosts, deadlineMs, before: before?.mailbox ?? null })

  async function probe() {
    const route = await gathering.route
    if (!smtp || !hasMailHost(route)) return { mailbox: null, probeProblem: null }
    const leftMs = wallAt - CLOSING_MS - needs.clock.now()
    const mailbox = await ask(route, Math.max(MIN_PROBE_MS, leftMs))
    if (!mailbox) return { mailbox, probeProblem: "no_node" as const }
    const inTime = { mailbox, probeProblem: null }
    if (leftMs >= HEARD_OUT_MS || !ranOut(mailbox)) return inTime
    // Without more time a slow server would stay unknown for ever, for a minute even to callers who have time.
    probed = inTime
    const heard = await ask(route, HEARD_OUT_MS)
    return heard && (isAccepted(heard) || !isAccepted(mailbox)) ? { ...inTime, mailbox: heard } : inTime
  }

  async function all() {
    const [domain, gravatar] = await Promise.all([
      gathering.within(FACTS_BUDGET_MS),
      checks.gravatar
        ? findGravatar(needs, address, { before: before?.gravatar, budgetMs: FACTS_BUDGET_MS })
        : undefined,
      probe().then((found) => {
        probed = found
      }),
    ])
    return { ...nothing, domain, ...probed, ...(gravatar ? { gravatar } : {}) }
  }

  return { complete: all(), soFar: () => ({ ...nothing, domain: gathering.soFar(), ...probed }) }
}

/** The caller's time ended the conversation, not the server or our patience. After a yes the sibling's part counts. */
function ranOut(mailbox: MailboxEvidence): boolean {
  const last = isAccepted(mailbox) ? mailbox.control : mailbox.outcome
  return last?.kind === "failure" && last.failure === "deadline"
}

function isAccepted({ outcome }: MailboxEvidence): boolean {
  return outcome.kind === "reply" && outcome.reply.code < 300
}
