import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { type Inbound, type InboundReader, isRecent, parseJson, refuse, sameBytes } from "./inbound.ts"

/** How long after its signing a request is accepted; its token is remembered for as long. */
const MAX_AGE_MS = 300_000

const Signature = z.object({
  timestamp: z.union([z.string().regex(/^\d{1,12}$/), z.int().min(0).transform(String)]),
  token: z.string().min(1).max(200),
  signature: z.string().regex(/^[0-9a-f]{64}$/),
})
/** `parent-signature` is made with the key of the main account, for events of its subaccounts. */
const Signed = z.object({
  signature: Signature.extend({ "parent-signature": Signature.optional() }),
  "event-data": z.unknown(),
})

const Event = z.object({
  event: z.string(),
  id: z.string().min(1),
  recipient: z.string(),
  timestamp: z.number().optional(),
  severity: z.string().optional(),
  reason: z.string().optional(),
  "delivery-status": z.object({ code: z.union([z.number(), z.string()]).optional() }).optional(),
  "client-info": z.object({ bot: z.string().optional() }).optional(),
})

/**
 * Mailgun's webhooks: HMAC-SHA256 over timestamp and token, inside the JSON. It does not cover the event: whoever sees one
 * signature could put it on any event, so a token counts once. The secret is the HTTP webhook signing key.
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
    const token = { text: signature.token, expiresAt: signedAt + 2 * MAX_AGE_MS }
    return { ...readEvent(signed.data["event-data"]), token }
  },
}

async function isGenuine({ timestamp, token, signature }: z.infer<typeof Signature>, secret: string): Promise<boolean> {
  const encoder = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"])
  const expected = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`${timestamp}${token}`)))
  const given = Uint8Array.from(signature.match(/../g)!, (pair) => Number.parseInt(pair, 16))
  return sameBytes(expected, given)
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

function kindOf({
  event,
  severity,
  reason,
  "client-info": client,
  "delivery-status": status,
}: z.infer<typeof Event>): FeedbackKind | null {
  switch (event) {
    case "failed":
      return bounceKind(severity, reason, String(status?.code ?? ""))
    case "delivered":
      return "delivered"
    case "opened":
      return client?.bot ? null : "opened"
    case "clicked":
      return client?.bot ? null : "clicked"
    case "complained":
      return "spam_complaint"
    case "unsubscribed":
      return "unsubscribe"
    default:
      return null
  }
}

/** Its own codes and those of servers: 602 is "too old", after hours of temporary failures; 552 and x.2.2 are full mailboxes. */
const PASSING_CODE = /^(?:602|552|\d\.2\.2)$/

/**
 * Mailgun also calls permanent what it did not even send, for its own list, what was blocked as spam, and what it gave up
 * after hours of temporary failures: none of these says that the mailbox is not there.
 */
function bounceKind(severity: string | undefined, reason: string | undefined, code: string): FeedbackKind | null {
  if (reason === "suppress-unsubscribe" || reason === "suppress-complaint") return null
  const isPassing = reason === "espblock" || reason === "old" || PASSING_CODE.test(code)
  return severity === "permanent" && !isPassing ? "hard_bounce" : "soft_bounce"
}
