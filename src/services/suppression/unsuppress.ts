import type { Context } from "../../context.ts"
import { suppressedHashes } from "../../domain/address/address-forms.ts"
import type { Suppressed, Suppression } from "../../domain/suppression/suppression.ts"
import { AppError } from "../../errors.ts"
import { checkSuppression, type FoundSuppression } from "./check-suppression.ts"
import { refreshFlags } from "./refresh-flags.ts"

export interface Unsuppressed {
  /** The removed entry; null when only reports were withdrawn. */
  readonly removed: Suppression | null
  /** Whether the account's reports of a bounce or complaint were withdrawn. */
  readonly hasWithdrawnReports: boolean
  /** Entries that still suppress the address: those of its domain, and the operator's. Empty for a domain. */
  readonly remaining: readonly FoundSuppression[]
}

/**
 * Removes an address or a domain from a list. With an address, the account's reports of its bounces and complaints go too.
 * @throws AppError not_found when there is neither an entry nor a report
 */
export async function unsuppress(ctx: Context, list: string, one: Suppressed): Promise<Unsuppressed> {
  const hashes = await suppressedHashes(ctx.digests, one)
  const { removed, hasWithdrawnReports } = await ctx.store.suppressions.remove(list, hashes, ctx.clock.now())
  await refreshFlags(ctx, list, hashes)
  const remaining = "address" in one ? await checkSuppression(ctx, list, one.address) : []
  if (!removed && !hasWithdrawnReports) throw new AppError("not_found", notListed(one, remaining))
  return { removed, hasWithdrawnReports, remaining }
}

function notListed(one: Suppressed, remaining: readonly FoundSuppression[]): string {
  if ("wholeDomain" in one) return "this domain is not on your suppression list"
  const [still] = remaining
  if (!still) return "this address is not on your suppression list"
  if (still.list === "operator") return "this address is on the operator's list, not on yours"
  return `this address is not on your suppression list; the entry for the domain ${still.domain} suppresses it`
}
