import type { HistoryEntry } from "../../adapters/store/history.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"

/** Answers without a price that are kept a minute, for each request the plan allows in it. */
const KEPT_FOR_EACH = 6

/**
 * Adds answers to the history of the account that asked. Answers of a counted request are all kept. Free ones may come
 * as fast as anybody likes, at 3 KB each: beyond a minute's share they are only counted.
 */
export async function keepAnswers(
  { history, clock, minuteBook }: Pick<Deps, "history" | "clock" | "minuteBook">,
  { accountId, allowance }: Member,
  { entries, isCounted }: { entries: readonly HistoryEntry[]; isCounted: boolean },
): Promise<void> {
  const limit = KEPT_FOR_EACH * (allowance.perMinute ?? Number.POSITIVE_INFINITY)
  const isKept = isCounted || minuteBook.take(`answers:${accountId}`, entries.length, limit)
  if (isKept) await history.record(accountId, entries, clock.now())
  else await history.count(accountId, entries, clock.now())
}
