import { outboundEvents } from "../../../../schema/tables/outbound-events.ts"
import type { EventType } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

interface OutboundEvent {
  readonly eventId: string
  readonly accountId: string | null
  readonly type: EventType
  readonly url: string
  readonly payload: unknown
  /** Unix milliseconds. */
  readonly createdAt: number
}

export interface OutboundEventStore {
  /** Adds an event that is due at once. A repeated id changes nothing. */
  add(event: OutboundEvent): Promise<void>
}

export function createOutboundEventStore(database: Database): OutboundEventStore {
  return {
    async add(event) {
      await database
        .insert(outboundEvents)
        .values({ ...event, dueAt: event.createdAt })
        .onConflictDoNothing()
    },
  }
}
