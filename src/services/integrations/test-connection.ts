import type { Connection } from "../../../schema/wire/integrations.ts"
import type { Exchange } from "../../adapters/integrations/api-client.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { clientOf, openConnection } from "./connection.ts"
import { createEvent } from "./create-event.ts"
import { rejectForeignUrl } from "./create-integration.ts"
import { findIntegration } from "./find-integration.ts"
import { throwProviderError } from "./throw-provider-error.ts"

export interface Tested {
  readonly provider: Connection["provider"]
  /** The account at the provider, if the provider names it. */
  readonly account: string | null
  /** The requests that the test made, in order, without secrets. */
  readonly requests: readonly Exchange[]
  readonly elapsedMs: number
}

/**
 * Checks with the provider that credentials have the required access: those of an integration, or unstored ones.
 * @throws AppError bad_request when the provider refuses, unavailable when it is unreachable or unreadable, not_found, invalid,
 * rate_limited
 */
export async function testConnection(
  ctx: Context,
  { accountId, subject }: { accountId: string; subject: { integrationId: string } | { connection: Connection } },
): Promise<Tested> {
  const stored = "integrationId" in subject ? await findIntegration(ctx, { ...subject, accountId }) : null
  const connection = "connection" in subject ? subject.connection : stored && (await openConnection(ctx, stored))
  if (!connection) throw new AppError("bad_request", CANNOT_OPEN)
  rejectForeignUrl(ctx, connection)
  await countFreeWork(ctx, "integrationChecks", accountId)
  const startedAt = ctx.clock.now()
  const requests: Exchange[] = []
  const onExchange = (exchange: Exchange) => requests.push(exchange)
  const checked = await clientOf(ctx, connection, { integrationId: stored?.integrationId ?? null, onExchange }).check()
  if (stored) {
    const { outcome = "ok", httpStatus = null, detail = null } = checked.ok ? {} : checked.failure
    const { integrationId } = stored
    const kind = "connection_tested"
    await ctx.store.integrations.record(
      createEvent(ctx, { integrationId, accountId, kind, outcome, httpStatus, detail, startedAt }),
    )
  }
  if (!checked.ok) return throwProviderError(checked.failure, requests)
  return { provider: connection.provider, account: checked.value, requests, elapsedMs: ctx.clock.now() - startedAt }
}

/** KEY_PEPPER was replaced and the former one is no longer accepted. */
export const CANNOT_OPEN = "the stored credentials cannot be decrypted; delete the integration and create it again"
