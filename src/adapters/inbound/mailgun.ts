import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { parseJson } from "../../../schema/wire/json.ts"
import { permanentBounce } from "../../domain/feedback/bounce.ts"
import {
  equalBytes,
  type Inbound,
  type InboundReader,
  isRecent,
  MAX_AHEAD_MS,
  optionalText,
  refuse,
} from "./inbound.ts"

/**
 * How long a request is accepted after its signing; its token is stored as long. Mailgun signs once.
 * It retries for eight hours, first after ten minutes. A shorter limit would lose bounces in an hour of store outage.
 */
const MAX_AGE_MS = 9 * 3_600_000

const Signature = z.object({
  timestamp: z.union([z.string().regex(/^\d{1,12}$/), z.int().min(0).transform(String)]),
  token: z.string().min(1).max(200),
  signature: z.string().regex(/^[0-9a-f]{64}$/),
})
/** `parent-signature` uses the main account's key, for events of its subaccounts. */
const Signed = z.object({
  signature: Signature.extend({ "parent-signature": Signature.optional() }),
  "event-data": z.unknown(),
})

const Event = z.object({
  event: z.string(),
  id: z.string().min(1),
  recipient: z.string(),
  timestamp: z.number().optional(),
  severity: optionalText,
  reason: optionalText,
  "delivery-status": z
    .object({
      code: z.union([z.number(), z.string()]).optional(),
      "bounce-code": optionalText,
      message: optionalText,
      description: optionalText,
    })
    .optional(),
  "client-info": z.object({ bot: z.string().optional() }).optional(),
})

/**
 * Mailgun's webhooks: HMAC-SHA256 over timestamp and token, inside the JSON. It does not cover the event.
 * A seen signature could be put on any event, so each token counts once.
 * The secret is the HTTP webhook signing key.
 */
export const mailgun: InboundReader = {
  async problemOf(secret) {
    return secret.length < 16 ? "is too short for Mailgun's HTTP webhook signing key" : null
  },

  async read({ body, now }, secret) {
    if (secret === "") return refuse("no_secret")
    const signed = Signed.safeParse(parseJson(body))
    if (!signed.success) return refuse("no_signature")
    const { "parent-signature": parent, ...own } = signed.data.signature
    const candidates = parent ? [own, parent] : [own]
    const genuine = []
    for (const candidate of candidates) if (await isGenuine(candidate, secret)) genuine.push(candidate)
    const [signature] = genuine
    if (!signature) return refuse("bad_signature")
    const signedAt = Number(signature.timestamp) * 1000
    if (!isRecent(signedAt, now, MAX_AGE_MS)) return refuse("too_old")
    const token = { text: signature.token, expiresAt: signedAt + MAX_AGE_MS + MAX_AHEAD_MS }
    return { ...readEvent(signed.data["event-data"]), token }
  },
}

async function isGenuine({ timestamp, token, signature }: z.infer<typeof Signature>, secret: string): Promise<boolean> {
  const encoder = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"])
  const expected = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`${timestamp}${token}`)))
  const given = Uint8Array.from(signature.match(/../g)!, (pair) => Number.parseInt(pair, 16))
  return equalBytes(expected, given)
}

function readEvent(data: unknown): Extract<Inbound, { kind: "events" }> {
  const event = Event.safeParse(data)
  const kind = event.success ? kindOf(event.data) : null
  if (!event.success || !kind) return { kind: "events", events: [], ignored: 1, token: null }
  const { id, recipient: email, timestamp, "delivery-status": status } = event.data
  const at = timestamp === undefined ? null : Math.round(timestamp * 1000)
  const code = status?.code === undefined ? null : String(status.code)
  return { kind: "events", events: [{ email, kind, id, at, code }], ignored: 0, token: null }
}

function kindOf(one: z.infer<typeof Event>): FeedbackKind | null {
  const isOfBot = Boolean(one["client-info"]?.bot)
  switch (one.event) {
    case "failed":
      return bounceKind(one)
    case "delivered":
      return "delivered"
    case "opened":
      return isOfBot ? null : "opened"
    case "clicked":
      return isOfBot ? null : "clicked"
    case "complained":
      return "spam_complaint"
    case "unsubscribed":
      return "unsubscribe"
    default:
      return null
  }
}

const SUPPRESSED_WITHOUT_BOUNCE: ReadonlySet<string> = new Set(["suppress-unsubscribe", "suppress-complaint"])
/** Blocked as spam, or given up after hours of temporary failures. */
const NOT_OF_MAILBOX: ReadonlySet<string> = new Set(["espblock", "blacklisted", "greylisted", "old"])
/** Mailgun's own code for "too old". */
const TOO_OLD = "602"

/**
 * Mailgun also calls these permanent: suppressed by its own list, blocked as spam, or given up after hours.
 * None of them proves that the mailbox does not exist.
 */
function bounceKind({ severity, reason = "", "delivery-status": status }: z.infer<typeof Event>): FeedbackKind | null {
  if (SUPPRESSED_WITHOUT_BOUNCE.has(reason)) return null
  const { code = "", "bounce-code": enhanced = "", message, description = "" } = status ?? {}
  if (severity !== "permanent" || NOT_OF_MAILBOX.has(reason) || String(code) === TOO_OLD) return "soft_bounce"
  // For an address on its bounce list, the text is Mailgun's own, not the host's reply.
  return reason === "suppress-bounce" ? "hard_bounce" : permanentBounce(`${code} ${enhanced} ${message || description}`)
}
