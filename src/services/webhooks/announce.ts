import type { EventType } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { type DeliverNeeds, deliverNow } from "./deliver.ts"

export type AnnounceNeeds = DeliverNeeds &
  Pick<Deps, "background" | "digests" | "outboundEvents"> &
  Partial<Pick<Deps, "courier">>

export interface Announcement {
  /** Null for a caller without an account. */
  readonly accountId: string | null
  readonly type: EventType
  /** Already read by `readTargetUrl`. */
  readonly url: string
  /** Goes out as it is: small, snake_case, without secrets. */
  readonly data: Readonly<Record<string, unknown>>
  /** What the event is about, when it must be told once only however often this is called. */
  readonly about?: string
}

/** Writes an event down, body `{type, timestamp, data}` (Standard Webhooks 1.0.0), and goes on to deliver it behind the caller. */
export async function announce(
  needs: AnnounceNeeds,
  { accountId, type, url, data, about }: Announcement,
): Promise<void> {
  const createdAt = needs.clock.now()
  const name = about ? (await needs.digests.of("event", `${type}\n${about}`)).slice(0, 32) : needs.randomToken()
  const payload = { type, timestamp: new Date(createdAt).toISOString(), data }
  const eventId = `evt_${name}`
  await needs.outboundEvents.add({ eventId, accountId, type, url, payload, createdAt })
  needs.background(needs.courier ? needs.courier.deliver(eventId) : deliverNow(needs, eventId))
}
