import type { OutboundEventStore } from "../../../src/adapters/store/webhooks/webhook-deliveries.ts"

type Added = Parameters<OutboundEventStore["add"]>[0][number]

/** Adds the event of a finished job, for no endpoint in particular. */
export const addEvent = (store: OutboundEventStore, event: Omit<Added, "type" | "endpointId">): Promise<unknown> =>
  store.add([{ ...event, type: "job.completed", endpointId: null }])
