import type { CachedResult, CacheEntry } from "../../adapters/cache/result-cache.ts"
import type { StoredBrief } from "../../adapters/store/results/result-lists.ts"
import type { ResultToStore, StoredResult } from "../../adapters/store/results/results.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash, addressHashes } from "../../domain/feedback/address-hash.ts"
import {
  type AccountFlags,
  type HiddenUntil,
  isHidden,
  isHiddenAmong,
  sameAccountFlags,
} from "../../domain/feedback/flags.ts"
import { HOUR_MS } from "../../domain/time.ts"
import { isCurrent, presentCached } from "../../domain/verdict/cached-checks.ts"
import { lifetimeMs } from "../../domain/verdict/lifetime.ts"
import { reassess, type Verification } from "../../domain/verdict/verification.ts"
import { AppError } from "../../errors.ts"
import { copyFlags } from "../suppression/copy-flags.ts"
import {
  findAccountFlags,
  findAccountFlagsAtEdge,
  findHidden,
  restoreFlags,
  suppressionFlagsAbout,
} from "../suppression/find-flags.ts"
import { refreshFlags } from "../suppression/refresh-flags.ts"
import { fillEdge } from "./fill-edge.ts"
import { lookUp } from "./look-up.ts"

export interface FoundCached {
  readonly result: CachedResult
  readonly accountFlags: AccountFlags
}

interface Wanted {
  readonly address: ValidAddress
  /** Overrides the result's own lifetime. */
  readonly maxAgeHours?: number | undefined
  /** Null for a caller without an account. */
  readonly accountId: string | null
  /** Whether an address that the database did not have some seconds ago is still missing. */
  readonly trustsMisses?: boolean
}

/**
 * Returns the fresh cached result of an address and the caller's flags, from the edge cache, else from the database.
 * The database's result then fills the cache. @throws AppError not_found without a fresh result that the account may
 * see, unavailable when the database does not answer
 */
export async function findCached(
  ctx: Context,
  { address, maxAgeHours, accountId, trustsMisses = false }: Wanted,
): Promise<FoundCached> {
  // The hashes come first, because simultaneous KV reads become one operation.
  const [hash, asked] = await Promise.all([
    addressHash(ctx.digests, address),
    suppressionFlagsAbout(ctx, { accountId, address }),
  ])
  if (trustsMisses && ctx.cache.isKnownMiss(hash)) throw notFound()
  const isFresh = ({ verifiedAt, expiresAt }: { verifiedAt: number; expiresAt: number }) => {
    const until = maxAgeHours === undefined ? expiresAt : verifiedAt + maxAgeHours * HOUR_MS
    return until > ctx.clock.now()
  }
  const [cached, atEdge] = await Promise.all([ctx.cache.get(hash), findAccountFlagsAtEdge(ctx, asked)])
  if (!atEdge && accountId !== null) ctx.background(copyFlags(ctx, accountId))
  if (cached && isFresh(cached)) {
    const accountFlags = atEdge ?? (await findAccountFlags(ctx, { accountId, address }))
    const result = isHidden(accountFlags, cached.verifiedAt) ? null : judgedNow(ctx, { address, hash, cached })
    if (result) return { result, accountFlags }
  }
  const { result: stored, accountFlags } = await lookUp(ctx, { accountId, address })
  if (!stored) ctx.cache.recordMiss(hash)
  if (atEdge && !sameAccountFlags(accountFlags, atEdge)) ctx.background(restoreFlags(ctx, { accountId, address }))
  if (!stored || !isFresh(stored) || isHidden(accountFlags, stored.verifiedAt)) throw notFound()
  if (stored.verifiedAt !== cached?.verifiedAt) ctx.background(fillEdge(ctx, address, stored))
  return { result: presentStored(stored, address), accountFlags }
}

/**
 * Returns a cached result as the active classifier scores it. If another one scored the entry, judges its evidence
 * again and rewrites it. Null when the entry has no evidence.
 */
function judgedNow(
  ctx: Context,
  { address, hash, cached }: { address: ValidAddress; hash: string; cached: CacheEntry },
): CachedResult | null {
  if (isCurrent(cached)) return cached
  const evidence = ctx.cache.evidenceOf(cached)
  if (!evidence) return null
  const { verifiedAt, expiresAt } = cached
  const stored = { evidence, verifiedAt, expiresAt }
  if (ctx.cache.startCompletion(hash)) ctx.background(fillEdge(ctx, address, stored))
  return presentStored(stored, address)
}

const notFound = () => new AppError("not_found", "no fresh cached result for this address")

/** The checks of a stored result as the cache has them, by the active rules. */
function presentStored(stored: StoredResult, address: ValidAddress): CachedResult {
  const { verifiedAt, expiresAt } = stored
  return { ...presentCached(reassess(stored, address)), verifiedAt, expiresAt }
}

interface AskedStored {
  /** Null for a caller without an account, which sees every result. */
  readonly accountId: string | null
  readonly addresses: readonly ValidAddress[]
}

/** Reads stored results by cache key, fresh or not, without those hidden from the account. */
export async function readStored(ctx: Context, asked: AskedStored): Promise<Map<string, StoredResult>> {
  const [stored, hidden] = await Promise.all([ctx.store.resultLists.among(keysOf(asked)), findHidden(ctx, asked)])
  return shownOf(stored, hidden)
}

/** Reads fresh results by cache key without their evidence and without those hidden from the account. */
export async function readSummaries(ctx: Context, asked: AskedStored): Promise<Map<string, StoredBrief>> {
  const now = ctx.clock.now()
  const [stored, hidden] = await Promise.all([
    ctx.store.resultLists.briefsAmong(keysOf(asked), now),
    findHidden(ctx, asked),
  ])
  return shownOf(stored, hidden)
}

function keysOf({ addresses }: AskedStored): string[] {
  return [...new Set(addresses.map(cacheKey))]
}

function shownOf<T extends { readonly verifiedAt: number }>(
  stored: ReadonlyMap<string, T>,
  hidden: HiddenUntil,
): Map<string, T> {
  return new Map([...stored].filter(([key, { verifiedAt }]) => !isHiddenAmong(hidden, key, verifiedAt)))
}

/** The account that results are stored for, and what is known of their addresses. */
export interface StoredFor {
  /** Null for a caller without an account. */
  readonly accountId: string | null
  /** Stored results that were hidden from the account before. */
  readonly hidden: HiddenUntil
  /** Whether the edge may hold an older result under a cache key. */
  readonly isCached: (key: string) => boolean
}

/** Stores verifications for their lifetime, in one write per slice. */
export async function storeVerifications(
  ctx: Context,
  verifications: readonly Verification[],
  storedFor: StoredFor,
): Promise<void> {
  await ctx.store.resultLists.saveAll(resultsOf(verifications), storedFor.accountId)
  await publishStored(ctx, verifications, storedFor)
}

/** Returns the rows to store. Results of an account's own node are not shared: only its owner trusts it. */
export function resultsOf(verifications: readonly Verification[]): ResultToStore[] {
  return kept(verifications).map(({ address, expiresAt, verification }) => {
    const { evidence, verdict, score, canSend, verifiedAt } = verification
    const key = cacheKey(address)
    return { key, domain: address.domain, evidence, verdict, score: score.total, canSend, verifiedAt, expiresAt }
  })
}

/**
 * Publishes stored verifications. The edge cache is rewritten only where it may hold an older result, a later read
 * fills the rest. An account that erased an address sees the new result.
 */
export async function publishStored(
  ctx: Context,
  verifications: readonly Verification[],
  storedFor: StoredFor,
): Promise<void> {
  await publishAtEdge(ctx, verifications, storedFor)
  await showVerified(ctx, storedFor, verifications)
}

/** Rewrites the edge cache where it may hold an older result. */
export async function publishAtEdge(
  ctx: Context,
  verifications: readonly Verification[],
  { isCached }: Pick<StoredFor, "isCached">,
): Promise<void> {
  const older = kept(verifications).filter(({ address }) => isCached(cacheKey(address)))
  await Promise.all(
    older.map(async ({ address, verification, expiresAt }) => {
      const hash = await addressHash(ctx.digests, address)
      const { evidence, verifiedAt } = verification
      await ctx.cache.put(hash, { ...presentCached(verification), evidence, verifiedAt, expiresAt })
    }),
  )
}

function kept(verifications: readonly Verification[]) {
  return verifications.flatMap((verification) => {
    const { address, mailbox } = verification.evidence
    const lifetime = mailbox?.isPrivate ? 0 : lifetimeMs(verification)
    return address.ok && lifetime > 0 ? [{ address, verification, expiresAt: verification.verifiedAt + lifetime }] : []
  })
}

/** Shows the stored results of erased addresses to the account that verified them again. Older results stay hidden. */
export async function showVerified(
  ctx: Context,
  { accountId, hidden }: Pick<StoredFor, "accountId" | "hidden">,
  verifications: readonly Verification[],
): Promise<void> {
  if (accountId === null) return
  const erased = kept(verifications).flatMap(({ address, verification: { verifiedAt } }) =>
    hidden.get(cacheKey(address)) === Number.POSITIVE_INFINITY ? [{ address, verifiedAt }] : [],
  )
  if (erased.length === 0) return
  const subjects = await Promise.all(
    erased.map(async ({ address, verifiedAt }) =>
      (await addressHashes(ctx.digests, address)).map((hash) => ({ hash, hidesUntil: verifiedAt - 1 })),
    ),
  )
  await ctx.store.accountErasures.showSince(accountId, subjects.flat())
  const hashes = subjects.flat().map(({ hash }) => hash)
  await refreshFlags(ctx, accountId, hashes)
}
