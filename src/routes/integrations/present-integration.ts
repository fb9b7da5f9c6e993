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
  LastEvents,
} from "../../adapters/store/integrations/integrations.ts"
import {
  healthOf,
  INTEGRATION_HEALTHS,
  WROTE_NOTHING,
  WROTE_NOTHING_TEXTS,
  wroteNothing,
} from "../../domain/integrations/sync.ts"
import { iso } from "../../domain/time.ts"
import { arrayOf, component } from "../../http/fields.ts"
import type { EventPage, IntegrationStatus } from "../../services/integrations/integrations.ts"

const time = z.iso.datetime()
const count = z.int().min(0)
const INTEGRATION_ID = { example: "int_q7Zl0c2hT5e3vXnK1bYw9A" }
const provider = z.enum(INTEGRATION_PROVIDERS)

export const IntegrationId = z.object({
  integration_id: z
    .string()
    .max(64)
    .openapi({ description: "Id of the integration", ...INTEGRATION_ID }),
})

export const Integration = component("Integration", {
  integration_id: z.string().openapi(INTEGRATION_ID),
  provider,
  name: z.string(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).openapi({
    description: "The actions at the provider. The credentials are never shown",
    example: { list_id: "a1b2c3d4e5", action: "tag", tag: "mailverdict-unsafe" },
  }),
  created_at: time,
})

export function presentIntegration(row: IntegrationRow): z.infer<typeof Integration> {
  return {
    integration_id: row.integrationId,
    provider: row.provider,
    name: row.name,
    settings: row.settings as z.infer<typeof Integration>["settings"],
    created_at: iso(row.createdAt),
  }
}

export const Sync = component("IntegrationSync", {
  sync_id: z.string().openapi({ example: "syn_q7Zl0c2hT5e3vXnK1bYw9A" }),
  integration_id: z.string().openapi(INTEGRATION_ID),
  provider: z.enum(SYNC_PROVIDERS),
  state: z.enum(SYNC_STATES).openapi({
    description:
      "`waiting` continues at `next_attempt_at`; `out_of_credits` and `failed` resume when the sync is started again",
  }),
  detail: z.string().nullable().openapi({ description: "Why it waits, has stopped or wrote nothing" }),
  pages: count,
  contacts: count.openapi({ description: "Contacts read so far" }),
  written: count.openapi({ description: "Contacts verified and written back" }),
  wrote_nothing: z.enum(WROTE_NOTHING).nullable().openapi({
    description: "Why a complete sync wrote no contact; null if it wrote some or is not complete",
  }),
  unsafe: count.openapi({ description: "Written contacts whose mail bounces" }),
  undecided: count.openapi({ description: "Contacts not written, because their addresses must be probed again" }),
  rejected: count.openapi({ description: "Contacts whose result the provider rejected" }),
  credits: count.openapi({ description: "Credits that the verifications cost" }),
  started_at: time,
  updated_at: time,
  next_attempt_at: time.nullable(),
  completed_at: time.nullable(),
})

export function presentSync(sync: IntegrationSync): z.infer<typeof Sync> {
  const nothing = wroteNothing(sync)
  const { state, pages, contacts, written, unsafe, undecided, rejected, credits, provider } = sync
  return {
    sync_id: sync.syncId,
    integration_id: sync.integrationId,
    provider,
    state,
    pages,
    contacts,
    written,
    unsafe,
    undecided,
    rejected,
    credits,
    detail: nothing === null ? sync.detail : WROTE_NOTHING_TEXTS[nothing],
    wrote_nothing: nothing,
    started_at: iso(sync.createdAt),
    updated_at: iso(sync.updatedAt),
    next_attempt_at: state === "waiting" || state === "queued" ? iso(sync.dueAt) : null,
    completed_at: iso(sync.completedAt),
  }
}

export const IntegrationsStatus = component("IntegrationsStatus", {
  integrations: arrayOf({
    integration_id: z.string().openapi(INTEGRATION_ID),
    provider,
    name: z.string(),
    health: z.enum(INTEGRATION_HEALTHS).openapi({
      description:
        "`failing`: the provider has never answered as it should; `needs_attention`: its sync has stopped or was rejected completely, or all events of 24 hours failed; `idle`: no events",
    }),
    events_24h: z
      .object({ succeeded: count, failed: count })
      .openapi({ description: "Tests, pages of syncs and messages; the start of a sync does not count" }),
    last_answer_at: time.nullable().openapi({
      description: "When the provider last answered as it should; null if it never did within 90 days",
    }),
    last_failure: z
      .object({
        at: time,
        outcome: z.enum(INTEGRATION_OUTCOMES),
        http_status: z.int().nullable(),
        detail: z.string().nullable(),
      })
      .nullable()
      .openapi({ description: "The last event that was not `ok`, also if later ones were; null without one" }),
    sync: z.union([Sync, z.null()]).openapi({ description: "The newest sync; null before the first" }),
  }),
})

export function presentStatus(all: readonly IntegrationStatus[]): z.infer<typeof IntegrationsStatus> {
  return {
    integrations: all.map((one) => ({
      integration_id: one.integration.integrationId,
      provider: one.integration.provider,
      name: one.integration.name,
      health: healthOf({
        sync: one.sync,
        recent: one.recent,
        lastAnswerAt: one.last.lastAnswerAt,
        lastFailureAt: one.last.lastFailure?.createdAt ?? null,
      }),
      events_24h: { ...one.recent },
      last_answer_at: iso(one.last.lastAnswerAt),
      last_failure: one.last.lastFailure && presentFailure(one.last.lastFailure),
      sync: one.sync && presentSync(one.sync),
    })),
  }
}

function presentFailure({ createdAt, outcome, httpStatus, detail }: NonNullable<LastEvents["lastFailure"]>) {
  return { at: iso(createdAt), outcome, http_status: httpStatus, detail }
}

export const Event = component("IntegrationEvent", {
  event_id: z.string().openapi({ example: "iev_q7Zl0c2hT5e3vXnK1bYw9A" }),
  sync_id: z.string().nullable(),
  kind: z.enum(INTEGRATION_EVENT_KINDS),
  outcome: z.enum(INTEGRATION_OUTCOMES).openapi({
    description:
      "Only `ok` is a success. `unreachable`: no answer, or a server error; `unreadable`: an answer in an unknown form",
  }),
  http_status: z.int().nullable().openapi({
    description: "The provider's status after a failure; null without a response",
  }),
  contacts: count.openapi({ description: "Number of contacts concerned" }),
  detail: z.string().nullable(),
  created_at: time,
  duration_ms: count,
})

export function presentEvent(event: EventRow): z.infer<typeof Event> {
  const { eventId, syncId, kind, outcome, httpStatus, contacts, detail, createdAt, durationMs } = event
  return {
    event_id: eventId,
    sync_id: syncId,
    kind,
    outcome,
    contacts,
    detail,
    http_status: httpStatus,
    created_at: iso(createdAt),
    duration_ms: Math.max(0, durationMs),
  }
}

export const Events = component("IntegrationEvents", { events: z.array(Event), next_cursor: z.string().nullable() })

export function presentEvents({ page, last }: EventPage): z.infer<typeof Events> {
  return { events: page.map(presentEvent), next_cursor: last && `${last.createdAt}.${last.eventId}` }
}
