import { z } from "@hono/zod-openapi"
import {
  INTEGRATION_EVENT_KINDS,
  INTEGRATION_OUTCOMES,
  INTEGRATION_PROVIDERS,
  SYNC_PROVIDERS,
  SYNC_STATES,
} from "../../../schema/vocabulary.ts"
import type { IntegrationSync } from "../../adapters/store/integrations/integration-syncs.ts"
import type {
  IntegrationEvent as EventRow,
  Integration as IntegrationRow,
} from "../../adapters/store/integrations/integrations.ts"
import { iso } from "../../domain/time.ts"
import type { EventPage, IntegrationStatus } from "../../services/integrations/list-integrations.ts"

const time = z.iso.datetime()
const count = z.int().min(0)
const INTEGRATION_ID = { example: "int_q7Zl0c2hT5e3vXnK1bYw9A" }
const provider = z.enum(INTEGRATION_PROVIDERS)

export const IntegrationId = z.object({ integration_id: z.string().max(64).openapi(INTEGRATION_ID) })

export const Integration = z
  .object({
    integration_id: z.string().openapi(INTEGRATION_ID),
    provider,
    name: z.string(),
    settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).openapi({
      description: "The actions at the provider. The credentials are never shown",
      example: { list_id: "a1b2c3d4e5", action: "tag", tag: "mailverdict-unsafe" },
    }),
    created_at: time,
  })
  .openapi("Integration")

export function presentIntegration(row: IntegrationRow): z.infer<typeof Integration> {
  return {
    integration_id: row.integrationId,
    provider: row.provider,
    name: row.name,
    settings: row.settings as z.infer<typeof Integration>["settings"],
    created_at: iso(row.createdAt),
  }
}

export const Sync = z
  .object({
    sync_id: z.string().openapi({ example: "syn_q7Zl0c2hT5e3vXnK1bYw9A" }),
    integration_id: z.string().openapi(INTEGRATION_ID),
    provider: z.enum(SYNC_PROVIDERS),
    state: z.enum(SYNC_STATES).openapi({
      description:
        "`waiting` continues at `next_attempt_at`; `out_of_credits` and `failed` resume when the sync is started again",
    }),
    detail: z.string().nullable().openapi({ description: "Why it waits or has stopped" }),
    pages: count,
    contacts: count.openapi({ description: "Contacts read so far" }),
    written: count.openapi({ description: "Contacts verified and written back" }),
    unsafe: count.openapi({ description: "Written contacts whose mail bounces" }),
    undecided: count.openapi({ description: "Contacts not written, because their addresses must be probed again" }),
    rejected: count.openapi({ description: "Contacts whose result the provider rejected" }),
    credits: count.openapi({ description: "Credits that the verifications cost" }),
    started_at: time,
    updated_at: time,
    next_attempt_at: time.nullable(),
    completed_at: time.nullable(),
  })
  .openapi("IntegrationSync")

export function presentSync(sync: IntegrationSync): z.infer<typeof Sync> {
  const { state, detail, pages, contacts, written, unsafe, undecided, rejected, credits, provider } = sync
  return {
    sync_id: sync.syncId,
    integration_id: sync.integrationId,
    ...{ provider, state, detail, pages, contacts, written, unsafe, undecided, rejected, credits },
    started_at: iso(sync.createdAt),
    updated_at: iso(sync.updatedAt),
    next_attempt_at: state === "waiting" || state === "queued" ? iso(sync.dueAt) : null,
    completed_at: iso(sync.completedAt),
  }
}

export const IntegrationsStatus = z
  .object({
    integrations: z.array(
      z.object({
        integration_id: z.string().openapi(INTEGRATION_ID),
        provider,
        name: z.string(),
        health: z.enum(["ok", "working", "needs_attention", "idle"]).openapi({
          description: "`needs_attention`: its sync has stopped, or all events of 24 hours failed; `idle`: no events",
        }),
        events_24h: z.object({ succeeded: count, failed: count }),
        sync: z.union([Sync, z.null()]).openapi({ description: "The newest sync; null before the first" }),
      }),
    ),
  })
  .openapi("IntegrationsStatus")

export function presentStatus(all: readonly IntegrationStatus[]): z.infer<typeof IntegrationsStatus> {
  return {
    integrations: all.map((one) => ({
      integration_id: one.integration.integrationId,
      provider: one.integration.provider,
      name: one.integration.name,
      health: healthOf(one),
      events_24h: { ...one.recent },
      sync: one.sync && presentSync(one.sync),
    })),
  }
}

function healthOf({ sync, recent }: IntegrationStatus) {
  if (sync?.state === "failed" || sync?.state === "out_of_credits") return "needs_attention"
  if (sync && sync.state !== "complete") return "working"
  if (recent.succeeded === 0 && recent.failed > 0) return "needs_attention"
  return recent.succeeded > 0 ? "ok" : "idle"
}

export const Event = z
  .object({
    event_id: z.string().openapi({ example: "iev_q7Zl0c2hT5e3vXnK1bYw9A" }),
    sync_id: z.string().nullable(),
    kind: z.enum(INTEGRATION_EVENT_KINDS),
    outcome: z.enum(INTEGRATION_OUTCOMES).openapi({ description: "Only `ok` is a success" }),
    http_status: z.int().nullable().openapi({
      description: "The provider's status after a failure; null without a response",
    }),
    contacts: count.openapi({ description: "Number of contacts concerned" }),
    detail: z.string().nullable(),
    created_at: time,
    duration_ms: count,
  })
  .openapi("IntegrationEvent")

export function presentEvent(event: EventRow): z.infer<typeof Event> {
  const { eventId, syncId, kind, outcome, httpStatus, contacts, detail, createdAt, durationMs } = event
  return {
    event_id: eventId,
    sync_id: syncId,
    ...{ kind, outcome, contacts, detail },
    http_status: httpStatus,
    created_at: iso(createdAt),
    duration_ms: Math.max(0, durationMs),
  }
}

export const Events = z
  .object({ events: z.array(Event), next_cursor: z.string().nullable() })
  .openapi("IntegrationEvents")

export function presentEvents({ page, last }: EventPage): z.infer<typeof Events> {
  return { events: page.map(presentEvent), next_cursor: last && `${last.createdAt}.${last.eventId}` }
}
