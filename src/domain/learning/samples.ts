import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { type FeatureValues, featuresOf, type History, NO_HISTORY, type Snapshot } from "./features.ts"

/** One recorded fact about mail, with the evidence about the address at that time. */
export interface Observation {
  readonly accountId: string
  readonly addressHash: string
  readonly domain: string
  readonly kind: FeedbackKind
  /** Unix milliseconds. */
  readonly at: number
  readonly snapshot: Snapshot
}

/** A training sample: one address of one account. */
export interface Sample {
  readonly accountId: string
  readonly operator: string | null
  readonly isCatchAll: boolean
  /** Earlier score of the address, without the model. */
  readonly score: number
  readonly values: FeatureValues
  /** 1: mail arrived; 0: it bounced. */
  readonly outcome: 0 | 1
  /** Unix milliseconds. */
  readonly at: number
}

/** Statistics of the domain's other addresses, from the database. */
type NeighborStatistics = (snapshot: Snapshot, domain: string) => Pick<History, "formatShare" | "missingShare">

/** Facts that show whether mail arrives. A complaint or an unsubscription proves that it did. */
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
/** Facts within this time belong to one mailing. The later fact decides. */
const ONE_MAILING_MS = 24 * 3_600_000

interface Mailing {
  readonly observation: Observation
  readonly history: History
  outcome: 0 | 1
}

/** One sample per account and address: its last mailing, with the account's earlier history. @param facts unordered */
export function samplesOf(facts: readonly Observation[], neighbors: NeighborStatistics | null): Sample[] {
  const ordered = facts.toSorted((a, b) => a.at - b.at || (a.addressHash < b.addressHash ? -1 : 1))
  const domains = new Map<string, { arrived: number; bounced: number }>()
  const mailings = new Map<string, Mailing>()
  for (const observation of ordered) {
    const outcome = OUTCOMES[observation.kind]
    if (outcome === undefined) continue
    const { accountId, addressHash, domain } = observation
    const key = `${accountId} ${addressHash}`
    const totals = domains.get(`${accountId} ${domain}`) ?? { arrived: 0, bounced: 0 }
    domains.set(`${accountId} ${domain}`, totals)
    const before = mailings.get(key)
    if (before && observation.at - before.observation.at < ONE_MAILING_MS) {
      if (before.outcome !== outcome) recount(totals, before.outcome, outcome)
      before.outcome = outcome
      continue
    }
    const reported = before ? (before.outcome === 1 ? ("arrived" as const) : ("bounced" as const)) : null
    const history = neighbors ? { ...totals, reported, ...neighbors(observation.snapshot, domain) } : NO_HISTORY
    mailings.set(key, { observation, history, outcome })
    recount(totals, before?.outcome ?? null, outcome)
  }
  return [...mailings.values()].map(toSample).toSorted((a, b) => a.at - b.at)
}

/** Counts each address once in its domain's history, by its last outcome. */
function recount(totals: { arrived: number; bounced: number }, before: 0 | 1 | null, now: 0 | 1): void {
  if (before === 1) totals.arrived--
  if (before === 0) totals.bounced--
  if (now === 1) totals.arrived++
  else totals.bounced++
}

function toSample({ observation: { accountId, snapshot, at }, history, outcome }: Mailing): Sample {
  const values = featuresOf(snapshot, history)
  const { operator, score } = snapshot
  return { accountId, operator, score, isCatchAll: snapshot.isCatchAll === true, values, outcome, at }
}

/** Statistics of a domain's addresses, without the addresses themselves. */
export interface Neighborhood {
  /** Number of addresses not known to be missing, by name format. */
  readonly formats: ReadonlyMap<string, number>
  readonly known: number
  readonly missing: number
}

const MIN_NEIGHBORS = 5

/** The history by the domain's other addresses. @param own the address's own part, which is subtracted */
export function neighborHistory(
  neighborhood: Neighborhood | undefined,
  { pattern, own }: { pattern: string; own: "known" | "missing" | null },
): Pick<History, "formatShare" | "missingShare"> {
  if (!neighborhood) return { formatShare: null, missingShare: null }
  const known = neighborhood.known - (own === "known" ? 1 : 0)
  const missing = neighborhood.missing - (own === "missing" ? 1 : 0)
  const sameFormat = (neighborhood.formats.get(pattern) ?? 0) - (own === "known" ? 1 : 0)
  return {
    formatShare: known < MIN_NEIGHBORS ? null : Math.max(0, sameFormat) / known,
    missingShare: known + missing < MIN_NEIGHBORS ? null : Math.max(0, missing) / (known + missing),
  }
}
