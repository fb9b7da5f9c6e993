import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash } from "../../domain/suppression/address-hash.ts"
import { lifetimeMs } from "../../domain/verdict/lifetime.ts"
import type { Verification } from "../../domain/verdict/verification.ts"

export type StoreNeeds = Pick<Deps, "resultLists" | "cache" | "digests" | "presentCached">

/**
 * Keeps verifications for as long as they hold, in one write a slice. The edge's own cache is rewritten only where
 * `isCached` says that it may hold an older one; the rest fills it when somebody reads. What an account's own node said is
 * not kept: results are everybody's, and that node is trusted by its owner only.
 */
export async function storeVerifications(
  needs: StoreNeeds,
  verifications: readonly Verification[],
  isCached: (key: string) => boolean,
): Promise<void> {
  const kept = verifications.flatMap((verification) => {
    const { address, mailbox } = verification.evidence
    const lifetime = mailbox?.isPrivate ? 0 : lifetimeMs(verification)
    return address.ok && lifetime > 0 ? [{ address, verification, expiresAt: verification.verifiedAt + lifetime }] : []
  })
  await needs.resultLists.saveAll(
    kept.map(({ address, expiresAt, verification: { evidence, verdict, score, verifiedAt } }) => {
      const key = cacheKey(address)
      return { key, domain: address.domain, evidence, verdict, score: score.total, verifiedAt, expiresAt }
    }),
  )
  await Promise.all(kept.filter(({ address }) => isCached(cacheKey(address))).map((one) => rewriteCache(needs, one)))
}

async function rewriteCache(
  needs: StoreNeeds,
  { address, verification, expiresAt }: { address: ValidAddress; verification: Verification; expiresAt: number },
): Promise<void> {
  const hash = await addressHash(needs.digests, address)
  await needs.cache.put(hash, { ...needs.presentCached(verification), verifiedAt: verification.verifiedAt, expiresAt })
}
