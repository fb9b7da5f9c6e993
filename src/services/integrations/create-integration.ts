import type { Connection } from "../../../schema/wire/integrations.ts"
import type { Exchange } from "../../adapters/integrations/api-client.ts"
import type { Integration } from "../../adapters/store/integrations/integrations.ts"
import type { Context } from "../../context.ts"
import { ownUrlOf, readProviderUrl } from "../../domain/integrations/provider.ts"
import { AppError, invalidField } from "../../errors.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { clientOf, sealCredentials } from "./connection.ts"
import { throwProviderError } from "./throw-provider-error.ts"

const MOST = 50

/**
 * Connects an account with a provider and seals the credentials at once. @throws AppError invalid for a URL of another
 * host, conflict. With `verify`: bad_request or unavailable from the provider
 */
export async function createIntegration(
  ctx: Context,
  input: { accountId: string; name: string; connection: Connection; verify: boolean },
): Promise<Integration> {
  const { accountId, name, connection, verify } = input
  rejectForeignUrl(ctx, connection)
  if (verify) await countFreeWork(ctx, "integrationChecks", accountId)
  const integrationId = `int_${ctx.randomToken()}`
  // Stored before the check: a check may replace the refresh token, and the new one must be stored.
  const integration: Integration = {
    ...{ integrationId, accountId, name },
    ...(await sealCredentials(ctx, integrationId, connection)),
    provider: connection.provider,
    settings: connection.settings,
    createdAt: ctx.clock.now(),
  }
  if (!(await ctx.store.integrations.add(integration, MOST)))
    throw new AppError("conflict", `an account may have at most ${MOST} integrations`)
  if (!verify) return integration
  const exchanges: Exchange[] = []
  const onExchange = (exchange: Exchange) => exchanges.push(exchange)
  const checked = await clientOf(ctx, connection, { integrationId, onExchange }).check()
  if (checked.ok) return integration
  await ctx.store.integrations.remove(integrationId, accountId)
  return throwProviderError(checked.failure, exchanges)
}

/** Rejects a URL in the credentials that is not the provider's. @throws AppError invalid */
export function rejectForeignUrl(ctx: Context, connection: Connection): void {
  const own = ownUrlOf(connection, ctx.config.providerUrls)
  const read = own && readProviderUrl(own.url, own.hosts)
  if (!read || read.ok) return
  throw invalidField(["credentials", own.field], read.problem, "custom")
}
