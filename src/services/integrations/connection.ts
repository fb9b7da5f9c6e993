import { SEND_PROVIDERS } from "../../../schema/vocabulary.ts"
import { Connection, type SendConnection, type SyncConnection } from "../../../schema/wire/integrations.ts"
import type { Exchange } from "../../adapters/integrations/api-client.ts"
import type { ContactBook, Messenger } from "../../adapters/integrations/contact-book.ts"
import type { Integration, IntegrationEvent } from "../../adapters/store/integrations/integrations.ts"
import type { Context } from "../../context.ts"
import { counted } from "../../domain/counted.ts"
import type { ProviderFailure } from "../../domain/integrations/provider.ts"
import { AppError } from "../../errors.ts"

/** The purpose that an integration's credentials are sealed for, so that another integration's do not open instead. */
function purposeOf(integrationId: string): string {
  return `integration ${integrationId}`
}

export async function sealCredentials(
  { sealer }: Pick<Context, "sealer">,
  integrationId: string,
  { credentials }: Pick<Connection, "credentials">,
): Promise<Pick<Integration, "sealed" | "sealKeyId">> {
  const sealed = await sealer.seal(purposeOf(integrationId), JSON.stringify(credentials))
  return { sealed, sealKeyId: sealer.keyId }
}

/** Opens an integration's credentials, null when no key opens them. Seals those of a former key again. */
export async function openConnection(ctx: Context, integration: Integration): Promise<Connection | null> {
  const { integrationId, provider, settings, sealed, sealKeyId } = integration
  const opened = await ctx.sealer.open(purposeOf(integrationId), sealed)
  if (opened === null) return null
  const connection = Connection.parse({ provider, credentials: JSON.parse(opened), settings })
  if (sealKeyId !== ctx.sealer.keyId)
    await ctx.store.integrations.reseal(integrationId, await sealCredentials(ctx, integrationId, connection), sealed)
  return connection
}

interface Client {
  /** Null for a connection that is not stored. */
  readonly integrationId: string | null
  /** Receives each request to the provider with its answer, without secrets. */
  readonly onExchange?: (exchange: Exchange) => void
}

/** Opens the contacts of an integration. A replaced refresh token is sealed before its use. */
export function contactBookOf(
  ctx: Context,
  connection: SyncConnection,
  { integrationId, onExchange }: Client,
): ContactBook {
  const storeRefreshToken = async (refresh_token: string) => {
    if (integrationId === null || connection.provider !== "salesforce") return
    const credentials = { ...connection.credentials, refresh_token }
    await ctx.store.integrations.reseal(integrationId, await sealCredentials(ctx, integrationId, { credentials }), null)
  }
  return ctx.connectors.contactBook(connection, storeRefreshToken, onExchange)
}

/** Returns the client behind a connection. Both kinds can be checked. */
export function clientOf(ctx: Context, connection: Connection, client: Client): ContactBook | Messenger {
  return isSender(connection)
    ? ctx.connectors.messenger(connection, client.onExchange)
    : contactBookOf(ctx, connection, client)
}

export function isSender(connection: Connection): connection is SendConnection {
  return SEND_PROVIDERS.some((provider) => provider === connection.provider)
}

const AT_ONCE = 20

/** Seals credentials under a former key again. */
export async function resealFormer(ctx: Context): Promise<void> {
  const former = await ctx.store.integrations.sealedOtherwise(ctx.sealer.keyId, AT_ONCE)
  for (const integration of former) await openConnection(ctx, integration)
}

const RETRY_SECONDS = 30

/**
 * Throws a provider's error as the caller's: 400 when the caller can fix it, 503 when it is temporary.
 * @param exchanges the requests that were made; the error names the last one
 */
export function throwProviderError(
  { outcome, detail, retryAfterMs }: ProviderFailure,
  exchanges: readonly Exchange[] = [],
): never {
  const message = [detail, ...exchanges.slice(-1).map(sentenceOf)].join("; ")
  if (outcome === "unauthorized" || outcome === "refused") throw new AppError("bad_request", message)
  const seconds = retryAfterMs === null ? RETRY_SECONDS : Math.max(1, Math.ceil(retryAfterMs / 1_000))
  throw new AppError("unavailable", `${message}; try again in ${counted(seconds, "second")}`, {
    retryAfterSeconds: seconds,
  })
}

function sentenceOf({ method, url, httpStatus }: Exchange): string {
  const answer = httpStatus === null ? "no answer" : `the answer's status ${httpStatus}`
  return `the request was ${method} ${url}, with ${answer}`
}

type Given = Pick<IntegrationEvent, "integrationId" | "accountId" | "kind" | "outcome"> &
  Partial<IntegrationEvent> & { readonly startedAt?: number }

/** Creates an entry of an integration's log. */
export function createEvent(
  { clock, randomToken }: Pick<Context, "clock" | "randomToken">,
  { startedAt, ...given }: Given,
): IntegrationEvent {
  const createdAt = clock.now()
  return {
    syncId: null,
    httpStatus: null,
    contacts: 0,
    detail: null,
    ...given,
    eventId: `iev_${randomToken()}`,
    createdAt,
    durationMs: createdAt - (startedAt ?? createdAt),
  }
}
