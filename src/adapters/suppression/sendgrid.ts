import type { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { permanentBounce } from "../../domain/suppression/bounce.ts"
import {
  flag,
  fromBase64,
  type Inbound,
  type InboundReader,
  isRecent,
  kindOfName,
  moment,
  part,
  readJson,
  refuse,
  scalar,
  text,
  toBatch,
  toOutcome,
  type Unused,
} from "./inbound.ts"

/** How long a request is accepted after its signing. SendGrid retries for a day; event ids reveal repeats. */
const MAX_AGE_MS = 25 * 3_600_000
const SIGNATURE = "x-twilio-email-event-webhook-signature"
const TIMESTAMP = "x-twilio-email-event-webhook-timestamp"

const Event = part({
  email: text,
  event: text,
  sg_event_id: scalar,
  timestamp: moment,
  type: text,
  status: scalar,
  reason: text,
  bounce_classification: text,
  sg_machine_open: flag,
})

/** SendGrid's event webhook: ECDSA P-256 over timestamp and raw body. The secret is base64 of an SPKI public key. */
export const sendgrid: InboundReader = {
  async isUsable(secret) {
    return (await importKey(secret)) !== null
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
    return readEvents(readJson(body), now)
  },
}

async function importKey(secret: string) {
  const spki = fromBase64(secret.replace(/-----[A-Z ]+-----|\s/g, ""))
  if (!spki) return null
  return crypto.subtle
    .importKey("spki", spki, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"])
    .catch(() => null)
}

function readEvents(entries: unknown, now: number): Inbound {
  if (!Array.isArray(entries)) return { kind: "unreadable" }
  const outcomes = entries.map((entry) => {
    const event = Event.parse(entry)
    const { email, sg_event_id: id, timestamp: when, status: code } = event
    return toOutcome({ kind: kindOf(event), email, id, when, code }, now)
  })
  return { ...toBatch(outcomes), token: null }
}

/** Ignores group unsubscribes, `deferred` (not final) and opens by machines. */
function kindOf(one: z.infer<typeof Event>): FeedbackKind | Unused {
  if (one.event === "dropped") return BOUNCED_ADDRESS.test(one.reason ?? "") ? "hard_bounce" : "ignored"
  const kind = kindOfName("sendgrid", one.event)
  if (kind === "opened" && one.sg_machine_open) return "ignored"
  return kind === "bounce" ? bounceKind(one) : kind
}

/** Dropped because of SendGrid's bounce list. Other drops concern the sender, the message, or an earlier event. */
const BOUNCED_ADDRESS = /^\s*bounced address\s*$/i

/** Bounce classes that concern the sender, the message or the moment. */
const NOT_OF_MAILBOX = /^(?:reputation|content|technical|frequency)/i

/** A `blocked` bounce concerns the message or the sender. An `expired` one was deferred for 72 hours. */
const SOFT_TYPES: ReadonlySet<string> = new Set(["blocked", "expired"])

function bounceKind({ type = "", status = "", reason = "", bounce_classification = "" }: z.infer<typeof Event>) {
  if (SOFT_TYPES.has(type) || NOT_OF_MAILBOX.test(bounce_classification)) return "soft_bounce"
  return permanentBounce(`${status} ${reason}`)
}

const SEQUENCE = 0x30
const INTEGER = 0x02
/** Octets of a P-256 integer. */
const SIZE = 32

/**
 * Converts a DER-encoded ECDSA-P256 signature (RFC 3279 §2.2.3) to the 64 bytes r‖s that WebCrypto expects.
 * Only the one canonical encoding is accepted, so a signature has no variants.
 * @returns null when the bytes are not such a signature
 */
export function derToRaw(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return null
  const r = readInteger(der, 2)
  const s = r && readInteger(der, r.end)
  if (!s || s.end !== der.length) return null
  const raw = new Uint8Array(2 * SIZE)
  raw.set(r.bytes, SIZE - r.bytes.length)
  raw.set(s.bytes, 2 * SIZE - s.bytes.length)
  return raw
}

/** A positive integer of at most 32 octets in its shortest encoding (X.690 §8.3.2). */
function readInteger(der: Uint8Array, at: number): { bytes: Uint8Array; end: number } | null {
  const length = der[at + 1]
  if (der[at] !== INTEGER || length === undefined || length === 0 || length > SIZE + 1) return null
  const end = at + 2 + length
  if (end > der.length) return null
  const bytes = der.subarray(at + 2, end)
  const first = bytes[0]!
  if (first >= 0x80) return null
  if (first === 0 && (length === 1 || bytes[1]! < 0x80)) return null
  const value = first === 0 ? bytes.subarray(1) : bytes
  return value.length > SIZE ? null : { bytes: value, end }
}
