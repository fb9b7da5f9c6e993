import type { FeedbackRow } from "../../adapters/store/feedback.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { changesStanding, eventKey, type Fact, suppressionOf } from "../../domain/feedback/fact.ts"
import { snapshotOf } from "../../domain/feedback/snapshot.ts"
import { addressHash } from "../../domain/suppression/address-hash.ts"
import { reassess } from "../../domain/verdict/verification.ts"
import { type RefreshNeeds, refreshMarks } from "../suppression/refresh-marks.ts"

export type RecordNeeds = RefreshNeeds & Pick<Deps, "feedback" | "resultLists" | "digests" | "randomToken">

export interface Report {
  readonly accountId: string
  readonly facts: readonly Fact[]
  /**
   * Who reports. A caller who says "hard bounce" means it, each time; a provider's event that comes again changes nothing,
   * not even what has been taken off the list since.
   */
  readonly origin: "caller" | "provider"
}

export interface Recorded {
  /** Facts that had not been known. */
  readonly fresh: number
  readonly known: number
}

/** A provider's clock may run ahead by this much, in ms. */
const MAX_AHEAD_MS = 5 * 60_000

/** Writes down what happened to mail: samples for the model, counters, and the account's suppressions. */
export async function recordFeedback(needs: RecordNeeds, { accountId, facts, origin }: Report): Promise<Recorded> {
  if (facts.length === 0) return { fresh: 0, known: 0 }
  const now = needs.clock.now()
  const stored = await needs.resultLists.among([...new Set(facts.map(({ address }) => cacheKey(address)))])
  const rows = await Promise.all(
    facts.map(async (fact): Promise<FeedbackRow> => {
      const { address, kind, source, code, at } = fact
      const hash = await addressHash(needs.digests, address)
      const result = stored.get(cacheKey(address))
      const snapshot = result ? snapshotOf(reassess(result, address)) : null
      return {
        eventKey: await eventKey(fact, { accountId, hash, now }),
        addressHash: hash,
        address: address.normalized,
        domain: address.domain,
        kind,
        source,
        code: code?.replace(/\S*@\S*/g, "…") ?? null,
        at: at !== null && at >= 0 && at <= now + MAX_AHEAD_MS ? at : now,
        verifiedAt: snapshot?.verifiedAt ?? null,
        predictedStatus: snapshot?.status ?? null,
        predictedScore: snapshot?.score ?? null,
        snapshot,
        suppressFor: suppressionOf(kind, origin),
      }
    }),
  )
  const recording = { accountId, batch: needs.randomToken(), now, heedsRepeats: origin === "caller" }
  const fresh = await needs.feedback.record(rows, recording)
  const marked = rows.filter(({ kind }) => changesStanding(kind)).map((row) => row.addressHash)
  await refreshMarks(needs, accountId, marked)
  return { fresh, known: facts.length - fresh }
}
