import type { ListClass } from "../../../schema/vocabulary.ts"
import type { StoredOverride } from "../../adapters/store/reference/list-overrides.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"
import { invalidateCached } from "./invalidate-cached.ts"

/** Sets the operator's class of a domain and its subdomains. It is active here at once, elsewhere within a minute. */
export async function setOverride(
  ctx: Context,
  { domain, said, note }: { domain: string; said: ListClass; note: string | null },
): Promise<StoredOverride> {
  const override = { domain, class: said, note, origin: "operator", createdAt: ctx.clock.now() } as const
  await ctx.store.listOverrides.set(override)
  await ctx.activeRules.reload()
  await invalidateBelow(ctx, domain)
  return override
}

/** Removes the operator's class of a domain, so that the lists decide again. @throws AppError not_found */
export async function removeOverride(ctx: Context, domain: string): Promise<void> {
  if (!(await ctx.store.listOverrides.remove(domain)))
    throw new AppError("not_found", "there is no override for this domain")
  await ctx.activeRules.reload()
  await invalidateBelow(ctx, domain)
}

const MOST_DOMAINS = 500

async function invalidateBelow(ctx: Context, domain: string): Promise<void> {
  await invalidateCached(ctx, await ctx.store.operator.domainsBelow(domain, MOST_DOMAINS))
}
