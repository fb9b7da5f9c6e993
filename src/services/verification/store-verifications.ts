import type { ResultToStore } from "../../adapters/store/results.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { addressHash } from "../../domain/suppression/address-hash.ts"
import { lifetimeMs } from "../../domain/verdict/lifetime.ts"
import type { Verification } from "../../domain/verdict/verification.ts"

export type StoreNeeds = Pick<Deps, "resultLists" | "cache" | "digests" | "presentCached">

/** Keeps verifications for as long as they hold, in one write a slice. */
export async function storeVerifications(
  needs: StoreNeeds,
  verifications: readonly Verification[],
  isCached: (key: string) => boolean,
): Promise<void> {
  await needs.resultLists.saveAll(resultsOf(verifications))
  await rewriteCached(needs, verifications, isCached)
}

/**
 * What is stored of verifications, and for how long. What an account's own node said is not kept: results are everybody's,
 * and that node is trusted by its owner only.
 */
export function resultsOf(verifications: readonly Verification[]): ResultToStore[] {
  return kept(verifications).map(({ address, expiresAt, verification: { evidence, verdict, score, verifiedAt } }) => {
    const key = cacheKey(address)
    return { key, domain: address.domain, evidence, verdict, score: score.total, verifiedAt, expiresAt }
  })
}

/** After they are stored. The edge's own cache is rewritten only where it may hold an older one; the rest fills it when somebody reads. */
export async function rewriteCached(
  needs: Omit<StoreNeeds, "resultLists">,
  verifications: readonly Verification[],
  isCached: (key: string) => boolean,
): Promise<void> {
  const older = kept(verifications).filter(({ address }) => isCached(cacheKey(address)))
  await Promise.all(
    older.map(async ({ address, verification, expiresAt }) => {
      const hash = await addressHash(needs.digests, address)
      await needs.cache.put(hash, {
        ...needs.presentCached(verification),
        verifiedAt: verification.verifiedAt,
        expiresAt,
      })
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
