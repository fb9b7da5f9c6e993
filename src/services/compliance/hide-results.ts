import { OPERATOR_ERASURE } from "../../../schema/tables/account-erasures.ts"
import type { Context } from "../../context.ts"
import { addressHash, addressHashes, domainHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { refreshFlags } from "../suppression/refresh-flags.ts"

/** Hides all stored results of an address from an account until the account verifies the address again. */
export async function hideAddress(
  ctx: Context,
  { accountId, address }: { accountId: string; address: ValidAddress },
): Promise<void> {
  const [hashes, ofDomain] = await Promise.all([
    addressHashes(ctx.digests, address),
    domainHashes(ctx.digests, address.domain),
  ])
  await hide(ctx, { accountId, hashes, domainHash: ofDomain[0]!, hidesUntil: null })
}

/** Hides a domain's results that are stored by now from an account. @param domain A-labels, lower case */
export async function hideDomain(
  ctx: Context,
  { accountId, domain }: { accountId: string; domain: string },
): Promise<void> {
  const hashes = await domainHashes(ctx.digests, domain)
  await hide(ctx, { accountId, hashes, domainHash: hashes[0]!, hidesUntil: ctx.clock.now() })
}

/** Records an erasure by the operator, so that answers given before it are not stored after it. */
export async function recordErasure(
  ctx: Context,
  erased: { address: ValidAddress } | { domain: string },
): Promise<void> {
  const domain = "domain" in erased ? erased.domain : erased.address.domain
  const [domainHash] = await domainHashes(ctx.digests, domain)
  const subjectHash = "domain" in erased ? domainHash! : await addressHash(ctx.digests, erased.address)
  const erasedAt = ctx.clock.now()
  await ctx.store.accountErasures.add({
    ...{ accountId: OPERATOR_ERASURE, subjectHash, domainHash: domainHash! },
    ...{ hidesUntil: erasedAt, erasedAt },
  })
}

interface Hiding {
  readonly accountId: string
  /** Under every pepper, the current one first. */
  readonly hashes: readonly string[]
  readonly domainHash: string
  readonly hidesUntil: number | null
}

async function hide(ctx: Context, { accountId, hashes, domainHash, hidesUntil }: Hiding): Promise<void> {
  const erasedAt = ctx.clock.now()
  await ctx.store.accountErasures.add({ accountId, subjectHash: hashes[0]!, domainHash, hidesUntil, erasedAt })
  await refreshFlags(ctx, accountId, hashes)
}
