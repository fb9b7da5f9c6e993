import { PERSONAL_TABLES } from "../../../schema/tables/personal-data.ts"
import type { FoundResult } from "../../adapters/store/admin/operator.ts"
import type { Context } from "../../context.ts"
import { addressHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressTerms } from "../../domain/compliance/data-subject.ts"
import { isHidden } from "../../domain/suppression/flags.ts"
import { findAccountFlags } from "../suppression/flags.ts"

/** The tables for an account that may not see the result. */
const WITHOUT_RESULT = PERSONAL_TABLES.map(({ table }) => table).filter((table) => table !== "results")

/** Exports the stored data about an address: of one account, or of all accounts when `accountId` is null. */
export async function exportData(
  ctx: Context,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
) {
  const subject = { by: "address", terms: await addressTerms(ctx.digests, address), accountId } as const
  // Read before the response begins: a database failure is then an error response and not a truncated export.
  const stored = await findStored(ctx, { address, accountId })
  const isShown = accountId === null || stored !== null
  const edge = isShown ? await atEdge(ctx, address) : null
  return { tables: ctx.store.erasure.collect(isShown ? subject : { ...subject, tables: WITHOUT_RESULT }), edge }
}

async function atEdge({ digests, cache }: Pick<Context, "digests" | "cache">, address: ValidAddress): Promise<unknown> {
  for (const hash of await addressHashes(digests, address)) {
    const cached = await cache.get(hash, { isLookup: false })
    if (cached) return JSON.parse(cached.json)
  }
  return null
}

/** The stored result of an address, or null. An account must have verified and not erased the address since. */
export async function findStored(
  ctx: Context,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<FoundResult | null> {
  const { digests } = ctx
  const { operator, erasure } = ctx.store
  const terms = await addressTerms(digests, address)
  const [key] = await erasure.resultsOf({ by: "address", terms, accountId }, 1)
  const found = key === undefined ? null : await operator.result(key)
  if (found === null || accountId === null) return found
  return isHidden(await findAccountFlags(ctx, { accountId, address }), found.verifiedAt) ? null : found
}
