import type { IntegrationSync } from "../../adapters/store/integration-syncs.ts"
import type { EventCounts, Integration, IntegrationEvent } from "../../adapters/store/integrations.ts"
import type { Deps } from "../../deps.ts"
import { pageOf } from "../../domain/page.ts"
import { DAY_MS } from "../../domain/time.ts"
import { findIntegration } from "./find-integration.ts"

type Needs = Pick<Deps, "integrations" | "integrationSyncs" | "clock">

export interface IntegrationStatus {
  readonly integration: Integration
  /** The newest sync; null before the first. */
  readonly sync: IntegrationSync | null
  /** What happened in the last 24 hours. */
  readonly recent: Pick<EventCounts, "succeeded" | "failed">
}

/** The account's integrations and how each fares, newest first. */
export async function integrationStatus(needs: Needs, accountId: string): Promise<IntegrationStatus[]> {
  const [own, syncs, counts] = await Promise.all([
    needs.integrations.list(accountId),
    needs.integrationSyncs.latest(accountId),
    needs.integrations.eventCounts(accountId, needs.clock.now() - DAY_MS),
  ])
  return own.map((integration) => {
    const isOwn = ({ integrationId }: { integrationId: string }) => integrationId === integration.integrationId
    const { succeeded = 0, failed = 0 } = counts.find(isOwn) ?? {}
    return { integration, sync: syncs.find(isOwn) ?? null, recent: { succeeded, failed } }
  })
}

export interface EventPage {
  readonly page: readonly IntegrationEvent[]
  /** The last one shown, when there are more. */
  readonly last: IntegrationEvent | null
}

/** A page of an integration's log, newest first. @throws AppError not_found */
export async function listEvents(
  needs: Needs,
  input: {
    readonly integrationId: string
    readonly accountId: string
    readonly limit: number
    readonly before: Pick<IntegrationEvent, "createdAt" | "eventId"> | null
  },
): Promise<EventPage> {
  const { integrationId } = await findIntegration(needs, input)
  const { limit, before } = input
  return pageOf(await needs.integrations.events(integrationId, { limit: limit + 1, before }), limit)
}
