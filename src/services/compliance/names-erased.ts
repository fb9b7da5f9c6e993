import type { Context } from "../../context.ts"
import { addressHashes, domainHashes } from "../../domain/address/address-forms.ts"
import { addressesIn } from "../../domain/compliance/data-subject.ts"

/**
 * Returns whether an answer names an address that its account erased after the answer was given. @param json the
 * answer's body @param since when the answer was given (Unix ms)
 */
export async function namesErased(
  ctx: Context,
  { accountId, json, since }: { accountId: string | null; json: string; since: number },
): Promise<boolean> {
  const erased = accountId === null ? new Set() : await ctx.store.accountErasures.since(accountId, since)
  if (erased.size === 0) return false
  const hashes = await Promise.all(
    addressesIn(JSON.parse(json)).flatMap((address) => [
      addressHashes(ctx.digests, address),
      domainHashes(ctx.digests, address.domain),
    ]),
  )
  return hashes.flat().some((hash) => erased.has(hash))
}
