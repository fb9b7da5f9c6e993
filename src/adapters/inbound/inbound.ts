import type { FeedbackKind } from "../../../schema/vocabulary.ts"

/** A request of a sending provider, as received. */
export interface InboundRequest {
  readonly body: Uint8Array<ArrayBuffer>
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Unix milliseconds. */
  readonly now: number
}

/** One event about one recipient, in Mailverdict's terms. */
export interface InboundEvent {
  readonly email: string
  readonly kind: FeedbackKind
  /** The provider's id; unique together with kind and recipient. */
  readonly id: string
  /** Unix milliseconds; null when the provider gives no time. */
  readonly at: number | null
  readonly code: string | null
}

/** A token that its scheme allows for one event. The provider repeats that event with the same token. */
export interface EventToken {
  readonly text: string
  /** Identifies the event that came with the token. */
  readonly event: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** What a genuine request brings. */
export interface Batch {
  readonly kind: "events"
  readonly events: readonly InboundEvent[]
  /** Events that say nothing about a recipient, and events of unknown kinds. */
  readonly ignored: number
  /** Events whose kind, id or recipient cannot be read. */
  readonly unreadable: number
}

export type Inbound =
  | { readonly kind: "refused"; readonly why: Refusal }
  /** The signature is valid, but the body is not readable JSON. */
  | { readonly kind: "unreadable" }
  /** The token is for replay protection; null when the provider's scheme has none. */
  | (Batch & { readonly token: EventToken | null })
  /** The provider requests a confirmation, given by fetching the URL. */
  | { readonly kind: "subscription"; readonly confirmUrl: string }

export type Refusal = "no_signature" | "bad_signature" | "too_old" | "wrong_sender" | "no_secret"

/** Authenticates the requests of one provider and reads their events. */
export interface InboundReader {
  /** Whether a new secret has the form of the provider's. */
  isUsable(secret: string): Promise<boolean>
  read(request: InboundRequest, secret: string): Promise<Inbound>
}

export const refuse = (why: Refusal): Inbound => ({ kind: "refused", why })

/** How far in ms a provider's clock may run ahead. */
export const MAX_AHEAD_MS = 5 * 60_000

/** Whether a time is neither too old nor in the future. All in Unix milliseconds. */
export function isRecent(at: number, now: number, maxAgeMs: number): boolean {
  return now - at <= maxAgeMs && at - now <= MAX_AHEAD_MS
}

/** Bytes of strict base64 text; null when it is invalid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Compares in constant time. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (const [i, byte] of one.entries()) difference |= byte ^ other[i]!
  return difference === 0
}
