import { outboundEvents } from "../../../../schema/tables/outbound-events.ts"
import type { EventType } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

export interface OutboundEvent {
  readonly eventId: string
  readonly accountId: string | null
  readonly type: EventType
  readonly url: string
  /** The account's endpoint with this URL. Null for a URL that was given with a list. */
  readonly endpointId: string | null
  readonly payload: unknown
  /** Unix milliseconds. */
  readonly createdAt: number
}

export interface OutboundEventStore {
  /** Adds events that are due at once, in one statement. A repeated id changes nothing. */
  add(events: readonly OutboundEvent[]): Promise<void>
}

export function createOutboundEventStore(database: Database): OutboundEventStore {
  return {
    async add(events) {
      const rows = events.map((event) => ({ ...event, dueAt: event.createdAt }))
      await database.insert(outboundEvents).values(rows).onConflictDoNothing()
    },
  }
}
