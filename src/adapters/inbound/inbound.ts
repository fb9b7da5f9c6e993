import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"

/** A request of a sending provider, as it came over the wire. */
export interface InboundRequest {
  readonly body: Uint8Array<ArrayBuffer>
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Unix milliseconds. */
  readonly now: number
}

/** One event about one recipient, in our words. */
export interface InboundEvent {
  readonly email: string
  readonly kind: FeedbackKind
  /** The provider's own id; unique together with kind and recipient. */
  readonly id: string
  /** Unix milliseconds; null when the provider does not say. */
  readonly at: number | null
  readonly code: string | null
}

export type Inbound =
  | { readonly kind: "refused"; readonly why: Refusal }
  /** It is genuine, but no JSON we can read. */
  | { readonly kind: "unreadable" }
  | {
      readonly kind: "events"
      readonly events: readonly InboundEvent[]
      /** Events that say nothing about a recipient, and those of kinds we do not know. */
      readonly ignored: number
      /** Must not have been used before; null where the provider's scheme has none. */
      readonly token: { readonly text: string; readonly expiresAt: number } | null
    }
  /** The provider asks whether its messages are wanted here: yes is said by fetching the URL. */
  | { readonly kind: "subscription"; readonly confirmUrl: string }

export type Refusal = "no_signature" | "bad_signature" | "too_old" | "wrong_sender" | "no_secret"

/** How one provider shows that a request is its own, and what its events say. */
export interface InboundReader {
  /** What is wrong with a secret somebody wants to set up, in words; null when it will do. */
  problemOf(secret: string): Promise<string | null>
  read(request: InboundRequest, secret: string): Promise<Inbound>
}

/** A detail in words; no event is lost because its detail is null or something else. */
export const detail = z.string().optional().catch(undefined)

export const refuse = (why: Refusal): Inbound => ({ kind: "refused", why })

/** A provider's clock may run ahead of ours by this much, in ms. */
export const MAX_AHEAD_MS = 5 * 60_000

/** Whether a moment is not longer ago than is accepted, and not ahead. All in Unix milliseconds. */
export function isRecent(at: number, now: number, maxAgeMs: number): boolean {
  return now - at <= maxAgeMs && at - now <= MAX_AHEAD_MS
}

/** Bytes of strict base64 text; null when it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Compares without telling by its time where they differ. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (const [i, byte] of one.entries()) difference |= byte ^ other[i]!
  return difference === 0
}
