import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { parseJson } from "../../../schema/wire/json.ts"
import { permanentBounce } from "../../domain/feedback/bounce.ts"
import { derToRaw } from "./ecdsa-der.ts"
import {
  fromBase64,
  type Inbound,
  type InboundEvent,
  type InboundReader,
  isRecent,
  optionalText,
  refuse,
} from "./inbound.ts"

/** How long a request is accepted after its signing. SendGrid retries for a day; event ids reveal repeats. */
const MAX_AGE_MS = 25 * 3_600_000
const SIGNATURE = "x-twilio-email-event-webhook-signature"
const TIMESTAMP = "x-twilio-email-event-webhook-timestamp"

const Event = z.object({
  email: z.string(),
  event: z.string(),
  sg_event_id: z.string().min(1),
  timestamp: z.number().optional(),
  type: optionalText,
  status: optionalText,
  reason: optionalText,
  bounce_classification: optionalText,
  sg_machine_open: z.boolean().optional(),
})

/**
 * SendGrid's event webhook: ECDSA P-256 with SHA-256 over timestamp and raw body. The signature is base64 DER.
 * The secret is SendGrid's verification key: base64 of an SPKI public key.
 */
export const sendgrid: InboundReader = {
  async problemOf(secret) {
    return (await importKey(secret)) ? null : "is not SendGrid's verification key (base64 of a P-256 public key)"
  },

  async read({ body, header, now }, secret) {
    const [signature, timestamp] = [header(SIGNATURE), header(TIMESTAMP)]
    if (!signature || !timestamp || !/^\d{1,12}$/.test(timestamp)) return refuse("no_signature")
    const key = await importKey(secret)
    if (!key) return refuse("no_secret")
    const der = fromBase64(signature)
    const raw = der && derToRaw(der)
    if (!raw) return refuse("bad_signature")
    const stamp = new TextEncoder().encode(timestamp)
    const signed = new Uint8Array(stamp.length + body.length)
    signed.set(stamp)
    signed.set(body, stamp.length)
    const isGenuine = await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, raw, signed)
    if (!isGenuine) return refuse("bad_signature")
    if (!isRecent(Number(timestamp) * 1000, now, MAX_AGE_MS)) return refuse("too_old")
    return readEvents(parseJson(body))
  },
}

async function importKey(secret: string) {
  const spki = fromBase64(secret.replace(/-----[A-Z ]+-----|\s/g, ""))
  if (!spki) return null
  return crypto.subtle
    .importKey("spki", spki, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"])
    .catch(() => null)
}

function readEvents(list: unknown): Inbound {
  if (!Array.isArray(list)) return { kind: "unreadable" }
  const events = list.flatMap((entry): InboundEvent[] => {
    const event = Event.safeParse(entry)
    const kind = event.success ? kindOf(event.data) : null
    if (!event.success || !kind) return []
    const { email, sg_event_id: id, timestamp, status } = event.data
    return [{ email, kind, id, at: timestamp === undefined ? null : timestamp * 1000, code: status ?? null }]
  })
  return { kind: "events", events, ignored: list.length - events.length, token: null }
}

/** Ignores group unsubscribes, `deferred` (not final) and opens by machines. */
function kindOf(one: z.infer<typeof Event>): FeedbackKind | null {
  switch (one.event) {
    case "bounce":
      return bounceKind(one)
    case "dropped":
      return BOUNCED_ADDRESS.test(one.reason ?? "") ? "hard_bounce" : null
    case "delivered":
      return "delivered"
    case "open":
      return one.sg_machine_open ? null : "opened"
    case "click":
      return "clicked"
    case "spamreport":
      return "spam_complaint"
    case "unsubscribe":
      return "unsubscribe"
    default:
      return null
  }
}

/**
 * Dropped because the address is on SendGrid's bounce list. The other reasons for a drop concern the sender or the
 * message, or repeat a complaint or an unsubscribe that had an event of its own.
 */
const BOUNCED_ADDRESS = /^\s*bounced address\s*$/i

/** Bounce classes that concern the sender, the message or the moment. */
const NOT_OF_MAILBOX = /^(?:reputation|content|technical|frequency)/i

/** A `blocked` bounce concerns the message or the sender. An `expired` one was deferred for 72 hours. */
function bounceKind({ type = "bounce", status = "", reason = "", bounce_classification = "" }: z.infer<typeof Event>) {
  if (type !== "bounce" || NOT_OF_MAILBOX.test(bounce_classification)) return "soft_bounce"
  return permanentBounce(`${status} ${reason}`)
}
