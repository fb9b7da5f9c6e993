import type { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { sameSecret } from "../../domain/accounts/crypto.ts"
import { permanentBounce, undeclaredBounce } from "../../domain/suppression/bounce.ts"
import {
  flag,
  type Inbound,
  type InboundReader,
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

const Event = part({
  RecordType: text,
  ID: scalar,
  MessageID: scalar,
  /** The type of a bounce, as a name and as a number. */
  Type: text,
  TypeCode: scalar,
  Email: text,
  Recipient: text,
  BouncedAt: moment,
  DeliveredAt: moment,
  ReceivedAt: moment,
  ChangedAt: moment,
  SuppressSending: flag,
  SuppressionReason: text,
  /** The host's reply. */
  Details: text,
  Origin: text,
})

/** Names of the bounce types whose meaning is used, by number. */
const TYPES: Readonly<Record<string, string>> = {
  1: "HardBounce",
  16: "Unsubscribe",
  32: "Subscribe",
  64: "AutoResponder",
  128: "AddressChange",
  16384: "ChallengeVerification",
  100000: "BadEmailAddress",
  100001: "SpamComplaint",
  100002: "ManuallyDeactivated",
  100003: "Unconfirmed",
  100007: "SMTPApiError",
  100008: "InboundError",
  100010: "TemplateRenderingFailed",
}
/** Bounce types that do not concern the mailbox, such as auto-replies and errors on the sender's side. */
const NO_BOUNCE: ReadonlySet<string> = new Set([
  "Subscribe",
  "AutoResponder",
  "AddressChange",
  "ChallengeVerification",
  "ManuallyDeactivated",
  "Unconfirmed",
  "SMTPApiError",
  "InboundError",
  "TemplateRenderingFailed",
])
const HARD: ReadonlySet<string> = new Set(["HardBounce", "BadEmailAddress"])

/** Postmark does not sign webhooks. It sends the credentials of the configured URL. The secret is "user:password". */
export const postmark: InboundReader = {
  async isUsable(secret) {
    const [user, ...password] = secret.split(":")
    return Boolean(user) && password.join(":").length >= 16
  },

  async read({ body, header, now }, secret) {
    if (!secret.includes(":")) return refuse("no_secret")
    const given = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header("authorization") ?? "")?.[1]
    if (given === undefined) return refuse("no_signature")
    const expected = btoa(String.fromCharCode(...new TextEncoder().encode(secret)))
    if (!(await sameSecret(given, expected))) return refuse("bad_signature")
    return readEvent(readJson(body), now)
  },
}

function readEvent(data: unknown, now: number): Inbound {
  if (typeof data !== "object" || data === null) return { kind: "unreadable" }
  const event = Event.parse(data)
  const { RecordType, ID, MessageID, Email, Recipient, TypeCode: code, ...times } = event
  // Bounce ids exceed 2^53 and lose digits, so only id and message id together identify an event. A recipient
  // may unsubscribe twice through the link of one message.
  const own = ID || times.ChangedAt || ""
  const id = own || MessageID ? [RecordType, MessageID ?? "", own].join(" ") : undefined
  const when = times.BouncedAt ?? times.DeliveredAt ?? times.ReceivedAt ?? times.ChangedAt
  const one = toOutcome({ kind: kindOf(event), email: Recipient || Email, id, when, code }, now)
  return { ...toBatch([one]), token: null }
}

function kindOf(event: z.infer<typeof Event>): FeedbackKind | Unused {
  if (event.RecordType === "SubscriptionChange") return subscriptionKind(event)
  const kind = kindOfName("postmark", event.RecordType)
  return kind === "bounce" ? bounceKind(event) : kind
}

/** Origins of a subscription change other than the recipient. */
const BY_SENDER: ReadonlySet<string> = new Set(["Customer", "Admin"])

/** Postmark gives a reason when it stops sending to an address. A complaint has an event of its own. */
function subscriptionKind(event: z.infer<typeof Event>): FeedbackKind | Unused {
  const { SuppressSending, SuppressionReason, Origin = "" } = event
  if (SuppressSending === false || BY_SENDER.has(Origin)) return "ignored"
  if (SuppressionReason === "HardBounce") return "hard_bounce"
  return SuppressionReason === "ManualSuppression" ? "unsubscribe" : "ignored"
}

/** Number and name of a type say the same, so one of them is enough. */
function bounceKind({ TypeCode = "", Type, Details = "" }: z.infer<typeof Event>): FeedbackKind | Unused {
  const isNumbered = /^\d+$/.test(TypeCode)
  if (!isNumbered && !Type) return undeclaredBounce(Details)
  const type = isNumbered ? (TYPES[TypeCode] ?? "") : Type!
  if (HARD.has(type)) return permanentBounce(Details)
  if (type === "Unsubscribe") return "unsubscribe"
  if (type === "SpamComplaint") return "spam_complaint"
  return NO_BOUNCE.has(type) ? "ignored" : "soft_bounce"
}
