import { z } from "zod"
import { SENDING_PROVIDERS } from "../../../schema/sending-providers.ts"
import type { FeedbackKind, InboundProvider } from "../../../schema/vocabulary.ts"
import { parseJson } from "../../../schema/wire/json.ts"
import { addressInEntry } from "../../domain/lists/list-addresses.ts"
import { readDate } from "../../domain/suppression/read-date.ts"

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

type Refusal = "no_signature" | "bad_signature" | "too_old" | "wrong_sender" | "no_secret"

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

/** Fields of a provider's event. A value of another type and a blank text read as absent. Parsing never fails. */
export const text = z.string().regex(/\S/).optional().catch(undefined)
/** Only true and false, not texts or numbers of that meaning. */
export const flag = z.boolean().optional().catch(undefined)
const textOrNumber = z.union([z.string().regex(/\S/), z.number()])
/** An id or a code, as text. */
export const scalar = textOrNumber.transform(String).optional().catch(undefined)
/** A time, for `toOutcome`. */
export const moment = textOrNumber.optional().catch(undefined)
/** A list. Each item is read by itself. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).catch([])

/** An object of such fields. Anything else reads as an object without fields. */
export function part<Shape extends z.ZodRawShape>(shape: Shape) {
  const object = z.object(shape)
  return object.catch(() => object.parse({}))
}

/** Parses a body. Invalid UTF-8, as in a host's quoted reply, costs only its characters. @returns null without JSON */
export const readJson = (body: Uint8Array): unknown => parseJson(new TextDecoder().decode(body))

/** `ignored`: an event of a kind that is not used. `unreadable`: its kind, id or recipient cannot be read. */
export type Unused = "ignored" | "unreadable"
type Outcome = InboundEvent | Unused

/** The fields of one event, as read. */
interface EventFields {
  readonly kind: FeedbackKind | Unused
  /** An address, with or without a display name. */
  readonly email: string | undefined
  readonly id: string | undefined
  readonly when: string | number | undefined
  readonly code: string | undefined
}

/** The kind of an event by the provider's name for it. "bounce" when other fields tell whether it is hard. */
export function kindOfName(provider: InboundProvider, name: string | undefined): FeedbackKind | "bounce" | Unused {
  if (!name) return "unreadable"
  const { events } = SENDING_PROVIDERS[provider]
  return Object.hasOwn(events, name) ? events[name]! : "ignored"
}

/** The event that the fields describe. @param now Unix milliseconds */
export function toOutcome({ kind, email, id, when, code }: EventFields, now: number): Outcome {
  if (kind === "ignored" || kind === "unreadable") return kind
  if (!email || !id) return "unreadable"
  const at = when === undefined ? null : readDate(when, now)
  return { email: addressInEntry(email), kind, id, at, code: code ?? null }
}

/** Counts the outcomes of a request. */
export function toBatch(outcomes: readonly Outcome[]): Batch {
  const events = outcomes.filter((one) => typeof one !== "string")
  const ignored = outcomes.filter((one) => one === "ignored").length
  return { kind: "events", events, ignored, unreadable: outcomes.length - events.length - ignored }
}
