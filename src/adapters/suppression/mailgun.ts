import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { permanentBounce, undeclaredBounce } from "../../domain/suppression/bounce.ts"
import {
  type Batch,
  equalBytes,
  type InboundReader,
  isRecent,
  kindOfName,
  MAX_AHEAD_MS,
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
  signature: Signature.extend({ "parent-signature": Signature.optional().catch(undefined) }),
  "event-data": z.unknown(),
})

const Event = part({
  event: text,
  id: scalar,
  recipient: text,
  timestamp: moment,
  severity: text,
  reason: text,
  "delivery-status": part({ code: scalar, "bounce-code": scalar, message: text, description: text }),
  "client-info": part({ bot: text }),
})

/**
 * Mailgun's webhooks: HMAC-SHA256 over timestamp and token, inside the JSON. It does not cover the event.
 * A seen signature could be put on any event, so each token is valid for one event only.
 * The secret is the HTTP webhook signing key.
 */
export const mailgun: InboundReader = {
  async isUsable(secret) {
    return secret.length >= 16
  },

  async read({ body, now }, secret) {
    if (secret === "") return refuse("no_secret")
    const signed = Signed.safeParse(readJson(body))
    if (!signed.success) return refuse("no_signature")
    const { "parent-signature": parent, ...own } = signed.data.signature
    const candidates = parent ? [own, parent] : [own]
    const genuine = []
    for (const candidate of candidates) if (await isGenuine(candidate, secret)) genuine.push(candidate)
    const [signature] = genuine
    if (!signature) return refuse("bad_signature")
    const signedAt = Number(signature.timestamp) * 1000
    if (!isRecent(signedAt, now, MAX_AGE_MS)) return refuse("too_old")
    const { event, ...batch } = readEvent(signed.data["event-data"], now)
    return { ...batch, token: { text: signature.token, event, expiresAt: signedAt + MAX_AGE_MS + MAX_AHEAD_MS } }
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

/** @returns the event, and the text that identifies it */
function readEvent(data: unknown, now: number): Batch & { readonly event: string } {
  const one = Event.parse(data)
  const { event, id, recipient: email, timestamp: when, "delivery-status": status } = one
  const kind = kindOf(one)
  const batch = toBatch([toOutcome({ kind, email, id, when, code: status.code }, now)])
  return { ...batch, event: JSON.stringify([id, email, event, kind]) }
}

function kindOf(one: z.infer<typeof Event>): FeedbackKind | Unused {
  const kind = kindOfName("mailgun", one.event)
  if ((kind === "opened" || kind === "clicked") && one["client-info"].bot) return "ignored"
  return kind === "bounce" ? bounceKind(one) : kind
}

const SUPPRESSED_WITHOUT_BOUNCE: ReadonlySet<string> = new Set(["suppress-unsubscribe", "suppress-complaint"])
/** Blocked as spam, or given up after hours of temporary failures. */
const NOT_OF_MAILBOX: ReadonlySet<string> = new Set(["espblock", "blacklisted", "greylisted", "old"])
/** Mailgun's own code for "too old". */
const TOO_OLD = "602"

/** Mailgun also calls blocks, expiries and its own list permanent. None proves that the mailbox does not exist. */
function bounceKind({
  severity,
  reason = "",
  "delivery-status": status,
}: z.infer<typeof Event>): FeedbackKind | Unused {
  if (SUPPRESSED_WITHOUT_BOUNCE.has(reason)) return "ignored"
  const { code = "", "bounce-code": enhanced = "", message, description = "" } = status
  if (severity === "temporary" || NOT_OF_MAILBOX.has(reason) || code === TOO_OLD) return "soft_bounce"
  // For an address on its bounce list, the text is Mailgun's own, not the host's reply.
  if (reason === "suppress-bounce") return "hard_bounce"
  const reply = `${code} ${enhanced} ${message || description}`
  return severity === "permanent" ? permanentBounce(reply) : undeclaredBounce(reply)
}
