import type { EventType } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"

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

/** Writes an event down for delivery: body `{type, timestamp, data}` (Standard Webhooks 1.0.0). */
export async function announce(
  needs: Pick<Deps, "clock" | "randomToken" | "digests" | "outboundEvents">,
  { accountId, type, url, data, about }: Announcement,
): Promise<void> {
  const createdAt = needs.clock.now()
  const name = about ? (await needs.digests.of("event", `${type}\n${about}`)).slice(0, 32) : needs.randomToken()
  const payload = { type, timestamp: new Date(createdAt).toISOString(), data }
  await needs.outboundEvents.add({ eventId: `evt_${name}`, accountId, type, url, payload, createdAt })
}
