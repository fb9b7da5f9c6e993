import type { IntegrationProvider } from "../../../schema/vocabulary.ts"
import type { Integration } from "../../adapters/store/integrations/integrations.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"

/** Finds an integration of the account. @throws AppError not_found, also for another account's integration */
export async function findIntegration(
  ctx: Context,
  { integrationId, accountId }: { integrationId: string; accountId: string },
): Promise<Integration> {
  const found = await ctx.store.integrations.find(integrationId, accountId)
  if (!found) throw new AppError("not_found", "there is no such integration")
  return found
}

/**
 * Finds the given integration, or the account's only one of that provider.
 * @throws AppError not_found, bad_request when several match or it belongs to another provider
 */
export async function pickIntegration<P extends IntegrationProvider>(
  ctx: Context,
  { integrationId, accountId, provider }: { integrationId: string | null; accountId: string; provider: P },
): Promise<Integration & { provider: P }> {
  const found =
    integrationId === null
      ? await onlyOne(ctx, accountId, provider)
      : await findIntegration(ctx, { integrationId, accountId })
  if (found.provider !== provider)
    throw new AppError("bad_request", `this integration belongs to ${found.provider}, not to ${provider}`)
  return { ...found, provider }
}

async function onlyOne(ctx: Context, accountId: string, provider: IntegrationProvider) {
  const [first, ...others] = await ctx.store.integrations.list(accountId, provider)
  if (!first) throw new AppError("not_found", `there is no ${provider} integration; create one with POST /integrations`)
  if (others.length > 0)
    throw new AppError("bad_request", `there are several ${provider} integrations; choose one with integration_id`)
  return first
}
