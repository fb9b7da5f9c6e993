import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import type { Snapshot } from "../feedback/snapshot.ts"
import { type FeatureValues, featuresOf, type History } from "./features.ts"

/** One fact about mail as it was written down, with what had been known about the address. */
export interface Observation {
  readonly accountId: string
  readonly addressHash: string
  readonly domain: string
  readonly kind: FeedbackKind
  /** Unix milliseconds. */
  readonly at: number
  readonly snapshot: Snapshot
}

/** What a model learns from: one address of one account. */
export interface Sample {
  readonly accountId: string
  readonly operator: string | null
  readonly isCatchAll: boolean
  /** The score the address had been given, without the model. */
  readonly score: number
  readonly values: FeatureValues
  /** 1: mail arrived; 0: it bounced. */
  readonly outcome: 0 | 1
  /** Unix milliseconds. */
  readonly at: number
}

/** What the database knows about other addresses of a domain. */
export type Neighbours = (snapshot: Snapshot, domain: string) => Pick<History, "formatShare" | "missingShare">

/** Facts that say whether mail arrives. A complaint or an unsubscription comes from somebody who got it. */
const OUTCOMES: Readonly<Partial<Record<FeedbackKind, 0 | 1>>> = {
  hard_bounce: 0,
  delivered: 1,
  received: 1,
  opened: 1,
  clicked: 1,
  spam_complaint: 1,
  unsubscribe: 1,
}
export const OUTCOME_KINDS = Object.keys(OUTCOMES) as FeedbackKind[]
/** Facts closer together than this are about one mailing: the later one settles it. */
const ONE_MAILING_MS = 24 * 3_600_000

interface Mailing {
  readonly observation: Observation
  readonly history: History
  outcome: 0 | 1
}

/**
 * Makes samples of facts: one for the last mailing of an account to an address, with the account's own history of the time
 * before. Only what an account itself reported is history to it, so no account writes another's. @param facts in any order
 */
export function samplesOf(facts: readonly Observation[], neighbours: Neighbours): Sample[] {
  const ordered = facts.toSorted((a, b) => a.at - b.at || (a.addressHash < b.addressHash ? -1 : 1))
  const domains = new Map<string, { arrived: number; bounced: number }>()
  const mailings = new Map<string, Mailing>()
  for (const observation of ordered) {
    const outcome = OUTCOMES[observation.kind]
    if (outcome === undefined) continue
    const { accountId, addressHash, domain } = observation
    const key = `${accountId} ${addressHash}`
    const tally = domains.get(`${accountId} ${domain}`) ?? { arrived: 0, bounced: 0 }
    domains.set(`${accountId} ${domain}`, tally)
    const before = mailings.get(key)
    if (before && observation.at - before.observation.at < ONE_MAILING_MS) {
      if (before.outcome !== outcome) recount(tally, before.outcome, outcome)
      before.outcome = outcome
      continue
    }
    const reported = before ? (before.outcome === 1 ? ("arrived" as const) : ("bounced" as const)) : null
    const history = { ...tally, reported, ...neighbours(observation.snapshot, domain) }
    mailings.set(key, { observation, history, outcome })
    recount(tally, before?.outcome ?? null, outcome)
  }
  return [...mailings.values()].map(toSample).toSorted((a, b) => a.at - b.at)
}

/** An address counts once in its domain's history, as it last was. */
function recount(tally: { arrived: number; bounced: number }, before: 0 | 1 | null, now: 0 | 1): void {
  if (before === 1) tally.arrived--
  if (before === 0) tally.bounced--
  if (now === 1) tally.arrived++
  else tally.bounced++
}

function toSample({ observation: { accountId, snapshot, at }, history, outcome }: Mailing): Sample {
  const values = featuresOf(snapshot, history)
  const { operator, score } = snapshot
  return { accountId, operator, score, isCatchAll: snapshot.isCatchAll === true, values, outcome, at }
}
