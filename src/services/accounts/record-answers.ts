import type { Answer, HistoryEntry } from "../../adapters/store/accounts/history.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { reserveFreeWork } from "./count-free-work.ts"

interface Recorded {
  readonly entries: readonly HistoryEntry[]
  /** Keyed hashes of the only entry's address and domain. An erasure of one of them comes before the entry. */
  readonly subjects: readonly string[]
  /** Whether the request counts against the month. */
  readonly isCounted: boolean
}

/**
 * Adds answers to the account's history. Answers of a counted request are all stored. Free answers
 * beyond the limit of the minute are only counted. A single answer is written with those of other requests.
 */
export async function recordAnswers(
  ctx: Context,
  member: Member,
  { entries, subjects, isCounted }: Recorded,
): Promise<void> {
  const { accountId, keyId } = member
  const at = ctx.clock.now()
  const isStored = isCounted || (await reserveFreeWork(ctx, "historyAnswers", member, entries.length)) === null
  const [only, ...others] = entries
  if (only && others.length === 0)
    await ctx.writeBehind.add({ accountId, keyId, at, subjects, ...(isStored ? { listed: only } : { counted: only }) })
  else if (isStored) await ctx.store.history.record({ accountId, keyId }, entries, at)
  else await ctx.store.history.count({ accountId, keyId }, entries, at)
}

/** Counts answers to callers without an account, who have no history. */
export async function countAnswers(ctx: Context, answers: readonly Answer[]): Promise<void> {
  const at = ctx.clock.now()
  const [only, ...others] = answers
  if (only && others.length === 0) await ctx.writeBehind.add({ accountId: null, at, subjects: [], counted: only })
  else await ctx.store.history.count({ accountId: null, keyId: null }, answers, at)
}
