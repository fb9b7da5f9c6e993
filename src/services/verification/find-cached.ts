import type { CachedResult } from "../../adapters/cache/result-cache.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"
import { assess } from "../../domain/verdict/verification.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "clock" | "digests" | "cache" | "results" | "presentCached" | "background">

const HOUR_MS = 60 * 60_000

/**
 * The fresh cached result of an address, from the edge's own cache, else from the store with one read, which then fills
 * the cache. @param maxAgeHours overrides the result's own lifetime
 * @throws AppError not_found without a fresh result, unavailable when the store does not answer
 */
export async function findCached(
  needs: Needs,
  { address, maxAgeHours }: { address: ValidAddress; maxAgeHours: number | undefined },
): Promise<CachedResult> {
  const hash = await cacheHash(needs, address)
  const isFresh = ({ verifiedAt, expiresAt }: { verifiedAt: number; expiresAt: number }) => {
    const until = maxAgeHours === undefined ? expiresAt : verifiedAt + maxAgeHours * HOUR_MS
    return until > needs.clock.now()
  }
  const cached = await needs.cache.get(hash)
  if (cached && isFresh(cached)) return cached
  const stored = await readStore(needs, address)
  if (!stored || !isFresh(stored)) throw new AppError("not_found", "no fresh cached result for this address")
  if (stored.verifiedAt !== cached?.verifiedAt) needs.background(fill(needs, { hash, address, stored }))
  return stored
}

/** What an address is called in the cache: a keyed hash, so that the cache alone tells nobody's address. */
export function cacheHash({ digests }: Pick<Deps, "digests">, address: ValidAddress): Promise<string> {
  return digests.of("result", cacheKey(address))
}

async function readStore(needs: Needs, address: ValidAddress): Promise<CachedResult | null> {
  const { result } = await needs.results.latest(cacheKey(address), address.domain)
  if (!result) return null
  const { verifiedAt, expiresAt } = result
  const evidence = { ...result.evidence, address, lists: classifyAddress(address) }
  const verification = assess(evidence, { cached: true, isSuppressed: false, verifiedAt })
  return { ...needs.presentCached(verification), verifiedAt, expiresAt }
}

/** Fills the cache; takes the entry out again when the result changed meanwhile, so that no old one stays behind. */
async function fill(
  needs: Needs,
  { hash, address, stored }: { hash: string; address: ValidAddress; stored: CachedResult },
) {
  await needs.cache.put(hash, stored)
  const { result } = await needs.results.latest(cacheKey(address), address.domain)
  if (result?.verifiedAt !== stored.verifiedAt) await needs.cache.delete(hash)
}
