import type { HistoryEntry } from "../../adapters/store/accounts/history.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { reserveFreeWork } from "./count-free-work.ts"

/**
 * Adds answers to the account's history. Answers of a counted request are all stored. Free answers
 * beyond the limit of the minute are only counted.
 */
export async function recordAnswers(
  ctx: Context,
  member: Member,
  { entries, isCounted }: { entries: readonly HistoryEntry[]; isCounted: boolean },
): Promise<void> {
  const { accountId } = member
  const isStored = isCounted || (await reserveFreeWork(ctx, "historyAnswers", member, entries.length)) === null
  if (isStored) await ctx.store.history.record(accountId, entries, ctx.clock.now())
  else await ctx.store.history.count(accountId, entries, ctx.clock.now())
}
