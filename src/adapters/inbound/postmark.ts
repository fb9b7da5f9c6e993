import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { parseJson } from "../../../schema/wire/json.ts"
import { sameSecret } from "../../domain/accounts/digest.ts"
import { permanentBounce } from "../../domain/feedback/bounce.ts"
import { readDate } from "../../domain/feedback/read-date.ts"
import { type Inbound, type InboundReader, optionalText, refuse } from "./inbound.ts"

const Event = z.object({
  RecordType: z.string(),
  ID: z.union([z.number(), z.string()]).optional(),
  MessageID: z.string().nullish(),
  TypeCode: z.number().optional(),
  Email: z.string().optional(),
  Recipient: z.string().optional(),
  BouncedAt: z.string().optional(),
  DeliveredAt: z.string().optional(),
  ReceivedAt: z.string().optional(),
  ChangedAt: z.string().optional(),
  SuppressSending: z.boolean().optional(),
  SuppressionReason: optionalText,
  /** The host's reply. */
  Details: optionalText,
  /** The origin of a subscription change: "Recipient", or the sender as "Customer" or "Admin". */
  Origin: optionalText,
})

/**
 * Bounce types that do not concern the mailbox: challenges, auto-replies, subscriptions, errors on the sender's side
 * and manual changes.
 */
const NO_BOUNCE: ReadonlySet<number> = new Set([32, 64, 128, 16_384, 100_002, 100_003, 100_007, 100_008, 100_010])
const HARD: ReadonlySet<number> = new Set([1, 100_000])
const UNSUBSCRIBED = 16
const COMPLAINT = 100_001

/** Postmark does not sign webhooks. It sends the credentials of the configured URL. The secret is "user:password". */
export const postmark: InboundReader = {
  async problemOf(secret) {
    const [user, ...password] = secret.split(":")
    return user && password.join(":").length >= 16
      ? null
      : 'is not "user:password" with a password of at least 16 characters'
  },

  async read({ body, header, now }, secret) {
    if (!secret.includes(":")) return refuse("no_secret")
    const given = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header("authorization") ?? "")?.[1]
    if (given === undefined) return refuse("no_signature")
    const expected = btoa(String.fromCharCode(...new TextEncoder().encode(secret)))
    if (!(await sameSecret(given, expected))) return refuse("bad_signature")
    return readEvent(parseJson(body), now)
  },
}

function readEvent(data: unknown, now: number): Inbound {
  if (typeof data !== "object" || data === null) return { kind: "unreadable" }
  const event = Event.safeParse(data)
  const nothing: Inbound = { kind: "events", events: [], ignored: 1, token: null }
  if (!event.success) return nothing
  const { RecordType, ID, MessageID, Email, Recipient, TypeCode, ...times } = event.data
  const kind = kindOf(event.data)
  const email = Recipient ?? Email
  // Bounce ids exceed 2^53 and lose digits, so only id and message id together identify an event. A recipient
  // may unsubscribe twice through the link of one message.
  const own = ID ?? times.ChangedAt ?? ""
  if (!kind || !email || (own === "" && !MessageID)) return nothing
  const id = [RecordType, MessageID ?? "", own].join(" ")
  const when = times.BouncedAt ?? times.DeliveredAt ?? times.ReceivedAt ?? times.ChangedAt
  const code = TypeCode === undefined ? null : String(TypeCode)
  const one = { email, kind, id, at: when === undefined ? null : readDate(when, now), code }
  return { kind: "events", events: [one], ignored: 0, token: null }
}

function kindOf(event: z.infer<typeof Event>): FeedbackKind | null {
  switch (event.RecordType) {
    case "Bounce":
      return bounceKind(event)
    case "Delivery":
      return "delivered"
    case "Open":
      return "opened"
    case "Click":
      return "clicked"
    case "SpamComplaint":
      return "spam_complaint"
    case "SubscriptionChange":
      return subscriptionKind(event)
    default:
      return null
  }
}

/** Postmark stops sending to an address. A complaint has an event of its own, and the sender's own changes say nothing. */
function subscriptionKind(event: z.infer<typeof Event>): FeedbackKind | null {
  const { SuppressSending, SuppressionReason, Origin = "Recipient" } = event
  if (SuppressSending !== true || Origin !== "Recipient") return null
  if (SuppressionReason === "HardBounce") return "hard_bounce"
  return SuppressionReason === "ManualSuppression" ? "unsubscribe" : null
}

function bounceKind({ TypeCode = 0, Details = "" }: z.infer<typeof Event>): FeedbackKind | null {
  if (HARD.has(TypeCode)) return permanentBounce(Details)
  if (TypeCode === UNSUBSCRIBED) return "unsubscribe"
  if (TypeCode === COMPLAINT) return "spam_complaint"
  return NO_BOUNCE.has(TypeCode) ? null : "soft_bounce"
}
