import type { Offer, UnconfirmedKey } from "../../adapters/store/accounts/unclaimed-accounts.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { copyFlags } from "../suppression/flags.ts"
import { countFreeWork } from "./count-free-work.ts"
import { emailOf } from "./identify.ts"
import { invalidateKeys } from "./keys.ts"

/** Keys that one answer lists. Revoking or joining some shows the next. */
const MAX_LISTED = 100
/** Strangers can make keys in any mailbox's name, so the count is bounded. */
export const MAX_COUNTED = 1_000

/** Unconfirmed keys of a mailbox. */
export interface UnconfirmedKeys {
  /** At most 100: the key that requested the sign-in first, then the newest. */
  readonly keys: readonly UnconfirmedKey[]
  /** All of them, counted up to MAX_COUNTED. */
  readonly total: number
}

/** One key, and the session that decides about it. */
interface Decision {
  readonly caller: Member
  readonly keyId: string
}

/**
 * Lists the keys that a mailbox's owner may join to the account or revoke: active keys made in the mailbox's name, and the
 * key that requested the sign-in in the same browser. A stranger can make such a key, so none joins without the owner's
 * decision.
 */
export async function listUnconfirmedKeys(ctx: Context, offer: Offer): Promise<UnconfirmedKeys> {
  const keys = await ctx.store.unconfirmedKeys.list(offer, MAX_LISTED)
  return { keys, total: keys.length < MAX_LISTED ? keys.length : await countUnconfirmedKeys(ctx, offer) }
}

/** Counts up to MAX_COUNTED keys. */
export function countUnconfirmedKeys(ctx: Context, offer: Offer): Promise<number> {
  return ctx.store.unconfirmedKeys.count(offer, MAX_COUNTED)
}

/** The keys that a session's owner may decide about. */
export function offerTo(caller: Member): Offer {
  return { email: emailOf(caller), signInKeyId: caller.signInKeyId ?? null }
}

/**
 * Moves the key's unclaimed account, with all its keys and data, to the caller's account.
 * @returns the number of moved keys @throws AppError not_found for a key that is not offered, rate_limited
 */
export async function joinUnconfirmedKey(ctx: Context, decision: Decision): Promise<number> {
  const { accountId } = await findOffered(ctx, decision)
  const moved = await joinAccount(ctx, { from: accountId, to: decision.caller.accountId })
  if (moved === 0) throw unknownKey()
  return moved
}

/** Revokes one key, from the next request on. @throws AppError not_found for a key that is not offered, rate_limited */
export async function revokeUnconfirmedKey(ctx: Context, decision: Decision): Promise<void> {
  const { keyId, accountId, digest } = await findOffered(ctx, decision)
  await ctx.store.keys.revoke(keyId, accountId, ctx.clock.now())
  await ctx.keyLimiters.ofKey(digest).invalidate()
}

async function findOffered(ctx: Context, { caller, keyId }: Decision): Promise<UnconfirmedKey> {
  await countFreeWork(ctx, "unconfirmedKeys", caller.accountId)
  const key = await ctx.store.unconfirmedKeys.find(offerTo(caller), keyId)
  if (!key) throw unknownKey()
  return key
}

function unknownKey(): AppError {
  return new AppError("not_found", "there is no such unconfirmed key")
}

/**
 * Moves an account without a proven owner, with its keys and data, to another account.
 * @returns the number of moved keys; 0 for the same account and for one with an owner
 */
export async function joinAccount(ctx: Context, { from, to }: { from: string; to: string }): Promise<number> {
  if (from === to) return 0
  const { clock, flags } = ctx
  const { keys, suppressions } = ctx.store
  // The moved suppressions apply at once: until the edge has all flags, it reads the database.
  if (await suppressions.haveFlags([from])) await flags.setFilled(to, "")
  const moved = await keys.adopt({ from, to, now: clock.now() })
  ctx.background(copyFlags(ctx, to, from))
  if (moved > 0) await invalidateKeys(ctx, to)
  return moved
}
