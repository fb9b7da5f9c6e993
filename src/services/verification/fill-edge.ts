import type { StoredResult } from "../../adapters/store/results/results.ts"
import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash } from "../../domain/feedback/address-hash.ts"
import { presentCached } from "../../domain/verdict/cached-checks.ts"
import { fillFacts } from "../../domain/verdict/domain-facts.ts"
import type { Evidence, StoredEvidence } from "../../domain/verdict/evidence.ts"
import { reassess } from "../../domain/verdict/verification.ts"

/**
 * Copies a stored result to the edge cache. Deletes the copy when the result changed meanwhile, so that no old result
 * stays.
 */
export async function fillEdge(ctx: Context, address: ValidAddress, stored: StoredResult): Promise<void> {
  const { evidence, verifiedAt, expiresAt } = stored
  const hash = await addressHash(ctx.digests, address)
  await ctx.cache.put(hash, { ...presentCached(reassess(stored, address)), evidence, verifiedAt, expiresAt })
  const { result } = await ctx.store.results.latest(cacheKey(address), address.domain)
  if (result?.verifiedAt !== verifiedAt) await ctx.cache.delete(hash)
}

/**
 * The same with what the answer found in addition, at most once a minute: the edge did not have the result, or not all
 * of its evidence.
 */
export async function completeEdge(
  ctx: Context,
  { address, stored, found }: { address: ValidAddress; stored: StoredResult | null; found: Evidence },
): Promise<void> {
  if (!stored || !ctx.cache.startCompletion(await addressHash(ctx.digests, address))) return
  await fillEdge(ctx, address, { ...stored, evidence: withFound(stored.evidence, found) })
}

/** Adds what was found to stored evidence that lacks it. The checks of `found` may be fewer. */
export function withFound(stored: StoredEvidence, { domain, gravatar, notConfigured }: Evidence): StoredEvidence {
  return {
    ...stored,
    domain: stored.domain && domain ? fillFacts(stored.domain, domain) : stored.domain,
    ...(gravatar ? { gravatar } : {}),
    ...(notConfigured ? { notConfigured } : {}),
  }
}
