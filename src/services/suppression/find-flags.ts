import type { FlagQuery } from "../../adapters/suppression/flag-cache.ts"
import type { Context } from "../../context.ts"
import { addressHashes, cacheKey, flagHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import {
  type AccountFlags,
  accountFlagsOf,
  type HiddenUntil,
  NO_ACCOUNT_FLAGS,
  sameAccountFlags,
} from "../../domain/suppression/flags.ts"
import { OPERATOR_LIST } from "../../domain/suppression/suppression.ts"
import { refreshFlags } from "./refresh-flags.ts"

/** The lists that apply to an account. A caller without an account has the operator's list only. */
export const listsOf = (accountId: string | null) =>
  accountId === null || accountId === OPERATOR_LIST ? [OPERATOR_LIST] : [accountId, OPERATOR_LIST]

/** Reads the account's flags of an address from the database. @param accountId null for a caller without an account */
export async function findAccountFlags(
  ctx: Context,
  { accountId, address }: { accountId: string | null; address: ValidAddress },
): Promise<AccountFlags> {
  const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses: [address] })
  return flagsByKey.get(cacheKey(address)) ?? NO_ACCOUNT_FLAGS
}

/** Returns the flags to read at the edge for an address. Lists without entries have none of its domain either. */
export async function suppressionFlagsAbout(
  { flags, digests }: Pick<Context, "flags" | "digests">,
  { accountId, address }: { accountId: string | null; address: ValidAddress },
): Promise<FlagQuery[]> {
  const lists = listsOf(accountId)
  const areEmpty = lists.every((list) => flags.isKnownEmpty(list))
  const hashes = await (areEmpty ? addressHashes(digests, address) : flagHashes(digests, address))
  return lists.map((list) => ({ list, hashes }))
}

/** Reads the account's flags from the edge. Null while a list is being copied: then read the database. */
export async function findAccountFlagsAtEdge(
  { flags, clock }: Pick<Context, "flags" | "clock">,
  asked: readonly FlagQuery[],
): Promise<AccountFlags | null> {
  const found = await flags.get(asked)
  return found && accountFlagsOf(found, clock.now())
}

/** Addresses in one statement. Lists times addresses stays far below the statement's limit. */
const SLICE = 1_000

/** Reads the flags of many addresses, by cache key. Addresses without flags are omitted. */
export async function findManyAccountFlags(
  ctx: Context,
  { accountId, addresses }: { accountId: string | null; addresses: readonly ValidAddress[] },
): Promise<Map<string, AccountFlags>> {
  const unique = [...new Map(addresses.map((address) => [cacheKey(address), address]))]
  const found = new Map<string, AccountFlags>()
  if (unique.length > 1 && !(await ctx.store.suppressions.haveFlags(listsOf(accountId)))) return found
  const now = ctx.clock.now()
  for (let at = 0; at < unique.length; at += SLICE) {
    const slice = unique.slice(at, at + SLICE)
    const hashed = await Promise.all(
      slice.map(async ([key, address]) => ({ key, hashes: await flagHashes(ctx.digests, address) })),
    )
    const lists = await ctx.store.suppressions.flags(
      listsOf(accountId),
      [...new Set(hashed.flatMap(({ hashes }) => hashes))],
      now,
    )
    for (const { key, hashes } of hashed) {
      const flags = [...lists.values()].flatMap((list) => hashes.map((hash) => list.get(hash)))
      const accountFlags = accountFlagsOf(flags, now)
      if (!sameAccountFlags(accountFlags, NO_ACCOUNT_FLAGS)) found.set(key, accountFlags)
    }
  }
  return found
}

/** Returns which stored results are hidden from an account because it erased the addresses. */
export async function findHidden(
  ctx: Context,
  { accountId, addresses }: { accountId: string | null; addresses: readonly ValidAddress[] },
): Promise<HiddenUntil> {
  if (accountId === null || addresses.length === 0 || !(await ctx.store.accountErasures.has(accountId)))
    return new Map()
  const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses })
  return new Map([...flagsByKey].flatMap(([key, { hidesUntil }]) => (hidesUntil > 0 ? [[key, hidesUntil]] : [])))
}

/** Restores flags of an address that the edge has lost. */
export async function restoreFlags(
  ctx: Context,
  { accountId, address }: { accountId: string | null; address: ValidAddress },
): Promise<void> {
  const hashes = await flagHashes(ctx.digests, address)
  for (const list of listsOf(accountId)) await refreshFlags(ctx, list, hashes)
}
