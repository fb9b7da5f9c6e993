import type { IntegrationProvider, SendProvider } from "../../../schema/vocabulary.ts"
import type { Connection } from "../../../schema/wire/integrations.ts"
import type { Exchange } from "../../adapters/integrations/api-client.ts"
import type { Message } from "../../adapters/integrations/contact-book.ts"
import type { IntegrationSync } from "../../adapters/store/integrations/integration-syncs.ts"
import type {
  EventCounts,
  Integration,
  IntegrationEvent,
  LastEvents,
} from "../../adapters/store/integrations/integrations.ts"
import type { Context } from "../../context.ts"
import { ownUrlOf, readProviderUrl } from "../../domain/integrations/provider.ts"
import { pageOf } from "../../domain/page.ts"
import { DAY_MS } from "../../domain/time.ts"
import { AppError, invalidField } from "../../errors.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { clientOf, createEvent, isSender, openConnection, sealCredentials, throwProviderError } from "./connection.ts"
import { chargeOf } from "./sync-page.ts"

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
    integrationId,
    accountId,
    name,
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
function rejectForeignUrl(ctx: Context, connection: Connection): void {
  const own = ownUrlOf(connection, ctx.config.providerUrls)
  const read = own && readProviderUrl(own.url, own.hosts)
  if (!read || read.ok) return
  throw invalidField(["credentials", own.field], read.problem, "custom")
}

/**
 * Checks with the provider that credentials have the required access: those of an integration, or unstored ones.
 * @throws AppError bad_request when the provider refuses, unavailable when it is unreachable or unreadable, not_found, invalid,
 * rate_limited
 */
export async function testConnection(
  ctx: Context,
  { accountId, subject }: { accountId: string; subject: { integrationId: string } | { connection: Connection } },
) {
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

/** Finds an integration of the account. @throws AppError not_found, also for another account's integration */
async function findIntegration(
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

export interface IntegrationStatus {
  readonly integration: Integration
  /** The newest sync, null before the first. */
  readonly sync: IntegrationSync | null
  /** Events of the last 24 hours. */
  readonly recent: Pick<EventCounts, "succeeded" | "failed">
  readonly last: Pick<LastEvents, "lastAnswerAt" | "lastFailure">
}

/** Lists the account's integrations with their status, newest first. */
export async function integrationStatus(ctx: Context, accountId: string): Promise<IntegrationStatus[]> {
  const [own, syncs, counts, lasts] = await Promise.all([
    ctx.store.integrations.list(accountId),
    ctx.store.integrationSyncs.latest(accountId),
    ctx.store.integrations.eventCounts(accountId, ctx.clock.now() - DAY_MS),
    ctx.store.integrations.lastEvents(accountId),
  ])
  return own.map((integration) => {
    const isOwn = ({ integrationId }: { integrationId: string }) => integrationId === integration.integrationId
    const { succeeded = 0, failed = 0 } = counts.find(isOwn) ?? {}
    const { lastAnswerAt = null, lastFailure = null } = lasts.find(isOwn) ?? {}
    const last = { lastAnswerAt, lastFailure }
    return { integration, sync: syncs.find(isOwn) ?? null, recent: { succeeded, failed }, last }
  })
}

export interface EventPage {
  readonly page: readonly IntegrationEvent[]
  /** The last event of the page when more follow. */
  readonly last: IntegrationEvent | null
}

/** Returns a page of an integration's log, newest first. @throws AppError not_found */
export async function listEvents(
  ctx: Context,
  input: {
    readonly integrationId: string
    readonly accountId: string
    readonly limit: number
    readonly before: Pick<IntegrationEvent, "createdAt" | "eventId"> | null
  },
): Promise<EventPage> {
  const { integrationId } = await findIntegration(ctx, input)
  const { limit, before } = input
  return pageOf(await ctx.store.integrations.events(integrationId, { limit: limit + 1, before }), limit)
}

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

/**
 * Sends a message through one of the account's integrations and records the outcome.
 * @throws AppError not_found, rate_limited, bad_request when the provider refuses, unavailable when it is unreachable
 */
export async function sendMessage(
  ctx: Context,
  input: { accountId: string; provider: SendProvider; integrationId: string | null; message: Message },
): Promise<IntegrationEvent> {
  const { accountId, message } = input
  const integration = await pickIntegration(ctx, input)
  const { integrationId } = integration
  await countFreeWork(ctx, "integrationMessages", integrationId)
  const connection = await openConnection(ctx, integration)
  if (!connection || !isSender(connection)) throw new AppError("bad_request", CANNOT_OPEN)
  const startedAt = ctx.clock.now()
  const sent = await ctx.connectors.messenger(connection).send(message)
  const { outcome = "ok", httpStatus = null, detail = null } = sent.ok ? {} : sent.failure
  const about = { integrationId, accountId, kind: "message_sent", startedAt } as const
  const event = createEvent(ctx, { ...about, outcome, httpStatus, detail })
  await ctx.store.integrations.record(event)
  return sent.ok ? event : throwProviderError(sent.failure)
}
