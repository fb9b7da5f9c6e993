import type { HistoryEntry } from "../../adapters/store/history.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { countAnswers } from "./count-answers.ts"

/** Answers without a price that are kept a minute, for each request the plan allows in it. */
const KEPT_FOR_EACH = 6

/**
 * Adds answers to the history of the account that asked. Answers of a counted request are all kept. Free ones may come
 * as fast as anybody likes, at 3 KB each: beyond a minute's share they are only counted.
 */
export async function keepAnswers(
  needs: Pick<Deps, "history" | "clock" | "minuteBook">,
  { accountId, allowance }: Member,
  { entries, isCounted }: { entries: readonly HistoryEntry[]; isCounted: boolean },
): Promise<void> {
  const limit = KEPT_FOR_EACH * (allowance.perMinute ?? Number.POSITIVE_INFINITY)
  if (isCounted || needs.minuteBook.take(`answers:${accountId}`, entries.length, limit))
    await needs.history.record(accountId, entries, needs.clock.now())
  else await countAnswers(needs, accountId, entries)
}
