import type { FlagQuery } from "../../adapters/suppression/flag-cache.ts"
import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { addressHashes, cacheKey, flagHashes, suppressedHashes } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import {
  type AccountFlags,
  accountFlagsOf,
  type HiddenUntil,
  NO_ACCOUNT_FLAGS,
  sameAccountFlags,
  sameSuppressionFlags,
} from "../../domain/suppression/flags.ts"
import { domainOfName, OPERATOR_LIST } from "../../domain/suppression/suppression.ts"

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
  queries: readonly FlagQuery[],
): Promise<AccountFlags | null> {
  const found = await flags.get(queries)
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

/** Concurrent writes to the edge. */
const AT_A_TIME = 12
/** Entries that one statement reads. */
const PAGE = 500
/** Another writer may change the database between the read and the write. Then the flags are written again. */
const ROUNDS = 4

/**
 * Writes the database's current flags of some addresses on one list to the edge. It runs after every change and before
 * the response, so that the next request from anywhere sees the change.
 */
export async function refreshFlags(ctx: Context, list: string, hashes: readonly string[]): Promise<void> {
  let open: readonly string[] = [...new Set(hashes)]
  let truth = await read(ctx, list, open)
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    await inParallel(open, AT_A_TIME, (hash) => ctx.flags.put(list, hash, truth.get(hash) ?? null))
    const now = await read(ctx, list, open)
    const written = truth
    open = open.filter((hash) => !sameSuppressionFlags(written.get(hash), now.get(hash)))
    truth = now
  }
}

async function read(ctx: Context, list: string, hashes: readonly string[]) {
  if (hashes.length === 0) return new Map()
  return (await ctx.store.suppressions.flags([list], hashes, ctx.clock.now())).get(list) ?? new Map()
}

/**
 * Continues to copy a list from the database to the edge, where the last call stopped. It may be interrupted at any
 * time: until the copy is complete, requests read the database.
 * @param formerly the former list of the entries, whose flags are deleted
 */
export async function copyFlags(ctx: Context, list: string, formerly?: string): Promise<void> {
  for (let after = await ctx.flags.continueFilling(list); after !== null; ) {
    const hashes = await ctx.store.suppressions.hashes(list, { after, limit: PAGE })
    await refreshFlags(ctx, list, hashes)
    if (formerly !== undefined) await inParallel(hashes, AT_A_TIME, (hash) => ctx.flags.put(formerly, hash, null))
    after = hashes.length === PAGE ? hashes.at(-1)! : null
    await ctx.flags.setFilled(list, after)
  }
}

/**
 * Publishes to an empty edge (after a restore, or in a new namespace) which lists have entries. Otherwise the edge
 * treats every list as empty and allows mail to suppressed addresses. An account's list is copied on its first request,
 * the operator's list at once, because every request reads it.
 */
export async function publishListChanges(ctx: Context): Promise<void> {
  const { flags } = ctx
  const { suppressions } = ctx.store
  if (!(await flags.isComplete())) {
    for (let [after, isMore] = ["", true]; isMore; ) {
      const lists = await suppressions.lists({ after, limit: PAGE })
      await inParallel(lists, AT_A_TIME, (list) => flags.markNonEmpty(list))
      after = lists.at(-1) ?? after
      isMore = lists.length === PAGE
    }
    await flags.setComplete()
  }
  await copyFlags(ctx, OPERATOR_LIST)
}

/**
 * Rehashes entries with the current pepper while the former one is still configured. Entries with an erased address
 * stay. The platform limits writes per call, so whole lists are marked as incomplete at the edge. The edge then reads
 * the database until the copy is done. @returns how many entries were moved
 */
export async function rehashSuppressions(ctx: Context): Promise<number> {
  if ((await ctx.digests.candidates("", "")).length === 1) return 0
  const lists = new Set<string>()
  let moved = 0
  for (let [after, isMore] = [0, true]; isMore; ) {
    const page = await ctx.store.suppressions.named({ after, limit: PAGE })
    const moves = await Promise.all(
      page.map(async ({ list, addressHash: from, address }) => {
        const [to, ...former] = await hashesOf(ctx, address)
        // Skips entries whose hash does not match their address under a former pepper.
        return to !== undefined && former.includes(from) ? [{ list, from, to }] : []
      }),
    ).then((all) => all.flat())
    for (const { list } of moves) {
      if (lists.has(list)) continue
      lists.add(list)
      await ctx.flags.setFilled(list, "")
    }
    if (moves.length > 0) await ctx.store.suppressions.rehash(moves, ctx.clock.now())
    moved += moves.length
    after = page.at(-1)?.row ?? after
    isMore = page.length === PAGE
  }
  // Repeated, because a running copy may have passed an entry's new position before the entry was there.
  for (const list of lists) await ctx.flags.setFilled(list, "")
  return moved
}

/** The hashes of a stored name under every pepper, the current one first. */
async function hashesOf({ digests }: Pick<Context, "digests">, name: string): Promise<string[]> {
  const domain = domainOfName(name)
  if (domain !== null) return suppressedHashes(digests, { wholeDomain: domain })
  const parsed = parseAddress(name)
  return parsed.ok ? suppressedHashes(digests, { address: parsed }) : []
}
