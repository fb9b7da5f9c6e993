import { z } from "zod"
import { SENDING_PROVIDERS } from "../../../schema/sending-providers.ts"
import type { FeedbackKind, InboundProvider } from "../../../schema/vocabulary.ts"
import { parseJson } from "../../../schema/wire/json.ts"
import { addressInEntry } from "../../domain/lists/list-addresses.ts"
import { readDate } from "../../domain/suppression/read-date.ts"
import type { Batch, InboundEvent } from "./inbound.ts"

/**
 * Fields of a provider's event. A value of another type and a blank text read as absent, so one odd field never costs
 * a bounce or a complaint. Parsing never fails.
 */
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
export type Outcome = InboundEvent | Unused

/** The fields of one event, as read. */
export interface EventFields {
  readonly kind: FeedbackKind | Unused
  /** An address, with or without a display name. */
  readonly email: string | undefined
  readonly id: string | undefined
  readonly when: string | number | undefined
  readonly code: string | undefined
}

/**
 * The kind of an event by the provider's name for it. "bounce" when other fields tell whether it is hard.
 * Events that the provider's record does not name are ignored.
 */
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
