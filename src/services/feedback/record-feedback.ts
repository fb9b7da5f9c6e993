import type { Status, VerdictOutcome } from "../../../schema/vocabulary.ts"
import type { FeedbackRow } from "../../adapters/store/suppression/feedback.ts"
import type { Context } from "../../context.ts"
import { addressHash, cacheKey } from "../../domain/address/address-forms.ts"
import { snapshotOf } from "../../domain/learning/features.ts"
import {
  changesAccountFlags,
  eventKey,
  type Fact,
  outcomeOf,
  suppressionOf,
} from "../../domain/suppression/feedback.ts"
import { reassess } from "../../domain/verification/verification.ts"
import { refreshFlags } from "../suppression/refresh-flags.ts"
import { readStored } from "../verification/known.ts"

export interface Report {
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

export interface Recorded {
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
