import type { IntegrationSync } from "../../adapters/store/integrations/integration-syncs.ts"
import type {
  EventCounts,
  Integration,
  IntegrationEvent,
  LastEvents,
} from "../../adapters/store/integrations/integrations.ts"
import type { Context } from "../../context.ts"
import { pageOf } from "../../domain/page.ts"
import { DAY_MS } from "../../domain/time.ts"
import { findIntegration } from "./find-integration.ts"

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
