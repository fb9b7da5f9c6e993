import type { IntegrationSync } from "../../adapters/store/integrations/integration-syncs.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"
import { chargeOf } from "./page-charge.ts"

/**
 * Removes an integration with its credentials, its syncs and its log. @returns the sync that this ended, null without an
 * incomplete one @throws AppError not_found
 */
export async function deleteIntegration(
  ctx: Context,
  { integrationId, accountId }: { integrationId: string; accountId: string },
): Promise<IntegrationSync | null> {
  const own = await ctx.store.integrations.find(integrationId, accountId)
  const open = own && (await ctx.store.integrationSyncs.openOf(integrationId))
  if (!(await ctx.store.integrations.remove(integrationId, accountId)))
    throw new AppError("not_found", "there is no such integration")
  if (open) await ctx.store.charges.settle(chargeOf(open), 0)
  return open
}
