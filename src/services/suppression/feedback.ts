import type { Status, VerdictOutcome } from "../../../schema/vocabulary.ts"
import type { FeedbackRow } from "../../adapters/store/suppression/feedback.ts"
import type { Context } from "../../context.ts"
import { addressHash, cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { snapshotOf } from "../../domain/learning/features.ts"
import { addressInEntry } from "../../domain/lists/list-addresses.ts"
import {
  type Accuracy,
  accuracyOf,
  changesAccountFlags,
  eventKey,
  type Fact,
  type KindCount,
  outcomeOf,
  suppressionOf,
} from "../../domain/suppression/feedback.ts"
import { readDate } from "../../domain/suppression/read-date.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"
import { reassess } from "../../domain/verification/verification.ts"
import { readStored } from "../verification/known.ts"
import { refreshFlags } from "./flags.ts"

interface Report {
  readonly accountId: string
  readonly facts: readonly Fact[]
  /**
   * The source of the report. Each hard bounce from a caller counts. A repeated provider event changes nothing, not
   * even an address that was removed from the list since.
   */
  readonly origin: "caller" | "provider"
}

/** The verdict that a report was about, and what the report says about it. */
export interface JudgedVerdict {
  readonly status: Status
  /** Unix milliseconds. */
  readonly verifiedAt: number
  readonly outcome: VerdictOutcome
}

interface Recorded {
  /** Facts that were new. */
  readonly fresh: number
  readonly known: number
  /** By fact, the latest stored verdict before the report; null for an address without one. */
  readonly judged: readonly (JudgedVerdict | null)[]
}

/** A provider's clock may be ahead by this much, in ms. */
const MAX_AHEAD_MS = 5 * 60_000

/** Records delivery feedback: samples for the model, counters, and the account's suppressions. */
export async function recordFeedback(ctx: Context, { accountId, facts, origin }: Report): Promise<Recorded> {
  if (facts.length === 0) return { fresh: 0, known: 0, judged: [] }
  const now = ctx.clock.now()
  const stored = await readStored(ctx, { accountId, addresses: facts.map(({ address }) => address) })
  const rows = await Promise.all(
    facts.map(async (fact): Promise<FeedbackRow> => {
      const { address, kind, source, code, at } = fact
      const hash = await addressHash(ctx.digests, address)
      const result = stored.get(cacheKey(address))
      const snapshot = result ? snapshotOf(reassess(result, address)) : null
      return {
        eventKey: await eventKey(fact, { accountId, hash, now }),
        addressHash: hash,
        address: address.normalized,
        domain: address.domain,
        kind,
        source,
        code: code?.replace(/(?<!\S)[^\s@]*@\S*/g, "…") ?? null,
        at: at !== null && at >= 0 && at <= now + MAX_AHEAD_MS ? at : now,
        verifiedAt: snapshot?.verifiedAt ?? null,
        predictedStatus: snapshot?.status ?? null,
        predictedScore: snapshot?.score ?? null,
        snapshot,
        outcome: snapshot && outcomeOf(fact, snapshot.status),
        isMailboxMissing: kind === "hard_bounce" && !fact.mailboxMayExist,
        suppressFor: suppressionOf(kind, origin),
      }
    }),
  )
  const recording = { accountId, batch: ctx.randomToken(), now, appliesRepeats: origin === "caller" }
  const { fresh, revived } = await ctx.store.feedback.record(rows, recording)
  const marked = rows.filter(({ kind }) => changesAccountFlags(kind)).map((row) => row.addressHash)
  await refreshFlags(ctx, accountId, [...marked, ...revived])
  return { fresh, known: facts.length - fresh, judged: rows.map(judgedBy) }
}

function judgedBy({ snapshot, outcome }: FeedbackRow): JudgedVerdict | null {
  return snapshot && outcome && { status: snapshot.status, verifiedAt: snapshot.verifiedAt, outcome }
}

/** A sender whose mail has been received. */
export interface Sender {
  readonly email: string
  /** ISO 8601, a Unix timestamp, or a date in words. Null when unknown. */
  readonly receivedAt: string | number | null
}

/** Marks addresses as confirmed, because mail from them has reached the account. */
export async function recordReceived(
  ctx: Context,
  { accountId, senders, source }: { accountId: string; senders: readonly Sender[]; source: string },
) {
  const now = ctx.clock.now()
  const rejected: { index: number; reason: string }[] = []
  const facts = senders.flatMap((sender, index): Fact[] => {
    const read = readSender(sender, source, now)
    if (typeof read !== "string") return [read]
    rejected.push({ index, reason: read })
    return []
  })
  const { fresh, judged } = await recordFeedback(ctx, { accountId, facts, origin: "caller" })
  const names = [...new Set(facts.map(({ address }) => address.domain))]
  const counts = names.length > 0 ? await ctx.store.feedback.ofDomains(accountId, names) : []
  const received = counts.filter(({ kind }) => kind === "received")
  return {
    boosted: new Set(facts.map(({ address }) => cacheKey(address))).size,
    processed: facts.length,
    repaired: facts.filter(({ address }) => address.repaired.length > 0).length,
    fresh,
    judged,
    rejected,
    domains: Object.fromEntries(received.map(({ domain, count }) => [domain, count])),
  }
}

/** Returns the fact, or the reason for its rejection. */
function readSender({ email, receivedAt }: Sender, source: string, now: number): Fact | string {
  const address = parseAddress(addressInEntry(email))
  if (!address.ok) return `not an address: ${explainProblem(address)}`
  const at = receivedAt === null ? null : readDate(receivedAt, now)
  if (receivedAt !== null && at === null) return "received_at is not an unambiguous date"
  if (at !== null && at > now + DAY_MS) return "received_at is in the future"
  return { address, kind: "received", source, code: null, at, id: null }
}

export interface FoundAccuracy {
  readonly accuracy: Accuracy
  /** All reports by kind, several about one verdict too. */
  readonly counts: readonly KindCount[]
}

/** Finds how often reports confirmed verdicts. @param accountId null for the sums of all accounts */
export async function findAccuracy(ctx: Context, accountId: string | null): Promise<FoundAccuracy> {
  const { feedback } = ctx.store
  const [outcomes, counts] = await Promise.all([feedback.outcomes(accountId), feedback.counts(accountId)])
  return { accuracy: accuracyOf(outcomes), counts }
}

const DAYS = 30
const TOP_DOMAINS = 10

/** Reads the bounces of an account. @param accountId null for the sums of all accounts */
export async function readBounces(ctx: Context, accountId: string | null) {
  const { feedback } = ctx.store
  const since = dayOf(ctx.clock.now() - (DAYS - 1) * DAY_MS)
  const [counts, daily, domains] = await Promise.all([
    feedback.counts(accountId),
    feedback.daily(accountId, since),
    feedback.topDomains(accountId, "hard_bounce", TOP_DOMAINS),
  ])
  return { counts, daily, domains }
}
