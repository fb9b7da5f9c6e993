import type { CachedResult } from "../../adapters/cache/result-cache.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash, addressHashes } from "../../domain/suppression/address-hash.ts"
import { type Standing, sameStanding } from "../../domain/suppression/mark.ts"
import { HOUR_MS } from "../../domain/time.ts"
import { reassess } from "../../domain/verdict/verification.ts"
import { AppError } from "../../errors.ts"
import { fillMarks } from "../suppression/fill-marks.ts"
import { findStanding, findStandingAtEdge, restoreMarks } from "../suppression/find-standing.ts"

type Needs = Pick<
  Deps,
  "clock" | "digests" | "cache" | "results" | "presentCached" | "background" | "marks" | "suppressions"
>

export interface FindInput {
  readonly address: ValidAddress
  /** Overrides the result's own lifetime. */
  readonly maxAgeHours: number | undefined
  /** Who asks; null for a caller without an account. */
  readonly accountId: string | null
}

export interface FoundCached {
  readonly result: CachedResult
  readonly standing: Standing
}

/**
 * The fresh cached result of an address and its standing with the caller, from the edge's own cache, else from the store,
 * which then fills the cache.
 * @throws AppError not_found without a fresh result, unavailable when the store does not answer
 */
export async function findCached(needs: Needs, { address, maxAgeHours, accountId }: FindInput): Promise<FoundCached> {
  // Both hashes first: what is read in the same moment is one operation.
  const [hash] = await Promise.all([addressHash(needs.digests, address), addressHashes(needs.digests, address)])
  const isFresh = ({ verifiedAt, expiresAt }: { verifiedAt: number; expiresAt: number }) => {
    const until = maxAgeHours === undefined ? expiresAt : verifiedAt + maxAgeHours * HOUR_MS
    return until > needs.clock.now()
  }
  const [cached, atEdge] = await Promise.all([needs.cache.get(hash), findStandingAtEdge(needs, { accountId, address })])
  if (!atEdge && accountId !== null) needs.background(fillMarks(needs, accountId))
  if (cached && isFresh(cached))
    return { result: cached, standing: atEdge ?? (await findStanding(needs, { accountId, address })) }
  const [stored, standing] = await Promise.all([readStore(needs, address), findStanding(needs, { accountId, address })])
  if (!stored || !isFresh(stored)) throw new AppError("not_found", "no fresh cached result for this address")
  if (stored.verifiedAt !== cached?.verifiedAt) needs.background(fill(needs, { hash, address, stored }))
  if (atEdge && !sameStanding(standing, atEdge)) needs.background(restoreMarks(needs, { accountId, address }))
  return { result: stored, standing }
}

async function readStore(needs: Needs, address: ValidAddress): Promise<CachedResult | null> {
  const { result } = await needs.results.latest(cacheKey(address), address.domain)
  if (!result) return null
  const { verifiedAt, expiresAt } = result
  return { ...needs.presentCached(reassess(result, address)), verifiedAt, expiresAt }
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
