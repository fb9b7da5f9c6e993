import type { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { permanentBounce, undeclaredBounce } from "../../domain/suppression/bounce.ts"
import type { Inbound } from "./inbound.ts"
import { flag, kindOfName, list, moment, part, scalar, text, toBatch, toOutcome, type Unused } from "./lenient.ts"

const Recipient = part({ emailAddress: text, status: scalar, diagnosticCode: text })
type Recipient = z.infer<typeof Recipient>

/** SES has two forms: notifications with `notificationType`, published events with `eventType`. */
const Envelope = part({
  notificationType: text,
  eventType: text,
  mail: part({ destination: list(text) }),
  bounce: part({ bounceType: text, bounceSubType: text, bouncedRecipients: list(Recipient), timestamp: moment }),
  complaint: part({
    complainedRecipients: list(Recipient),
    complaintFeedbackType: text,
    complaintSubType: text,
    timestamp: moment,
  }),
  delivery: part({ recipients: list(text), timestamp: moment }),
  open: part({ timestamp: moment }),
  click: part({ timestamp: moment }),
  subscription: part({ timestamp: moment, newTopicPreferences: part({ unsubscribeAll: flag }) }),
})
type Envelope = z.infer<typeof Envelope>

interface Reading {
  readonly kindOf: (recipient: Recipient) => FeedbackKind
  readonly recipients: readonly Recipient[]
  readonly timestamp: string | number | undefined
}

/**
 * The events of one SES message; one bounce may have many recipients, each read by itself.
 * @param messageId of the SNS message @param now Unix milliseconds
 */
export function readSesEvents(messageId: string, data: unknown, now: number): Inbound {
  const reading = read(Envelope.parse(data))
  if (typeof reading === "string") return { ...toBatch([reading]), token: null }
  const { kindOf, recipients, timestamp: when } = reading
  const outcomes = recipients.map((recipient) =>
    toOutcome(
      { kind: kindOf(recipient), email: recipient.emailAddress, id: messageId, when, code: recipient.status },
      now,
    ),
  )
  return { ...toBatch(outcomes.length > 0 ? outcomes : ["unreadable"]), token: null }
}

function read(envelope: Envelope): Reading | Unused {
  const { bounce, complaint, delivery, mail, open, click, subscription } = envelope
  const kind = kindOfName("ses", envelope.eventType || envelope.notificationType)
  switch (kind) {
    case "bounce":
      if (NO_BOUNCE.has(bounce.bounceSubType ?? "")) return "ignored"
      return {
        kindOf: (recipient) => bounceKind(bounce, recipient),
        recipients: bounce.bouncedRecipients,
        timestamp: bounce.timestamp,
      }
    case "spam_complaint":
      if (!isByRecipient(complaint)) return "ignored"
      return { kindOf: () => kind, recipients: complaint.complainedRecipients, timestamp: complaint.timestamp }
    case "delivered":
      return { kindOf: () => kind, recipients: named(delivery.recipients), timestamp: delivery.timestamp }
    case "unsubscribe":
      if (!subscription.newTopicPreferences.unsubscribeAll) return "ignored"
      return ofSingleRecipient(kind, mail, subscription.timestamp)
    case "opened":
      return ofSingleRecipient(kind, mail, open.timestamp)
    case "clicked":
      return ofSingleRecipient(kind, mail, click.timestamp)
    default:
      return kind === "unreadable" ? kind : "ignored"
  }
}

/** Suppressed after an earlier bounce: SES did not send. The text is its own, not the host's reply. */
const ON_LIST: ReadonlySet<string> = new Set(["Suppressed", "OnAccountSuppressionList", "OnTenantSuppressionList"])
/** Not sent either: SES predicts a bounce (Auto Validation), or the recipient left the topic. */
const NO_BOUNCE: ReadonlySet<string> = new Set(["EmailValidationSuppressed", "UnsubscribedRecipient"])

const TEMPORARY: ReadonlySet<string> = new Set(["Transient", "Undetermined"])

/** In one bounce, one recipient may be invalid and another only delayed. */
function bounceKind(
  { bounceType, bounceSubType = "" }: Envelope["bounce"],
  { status = "", diagnosticCode = "" }: Recipient,
): FeedbackKind {
  if (TEMPORARY.has(bounceType ?? "")) return "soft_bounce"
  if (ON_LIST.has(bounceSubType)) return "hard_bounce"
  const said = `${status} ${diagnosticCode}`
  return bounceType === "Permanent" ? permanentBounce(said) : undeclaredBounce(said)
}

/** RFC 6430, 6591 and 5965: a message moved out of the spam folder, and machine reports about the message itself. */
const NO_COMPLAINT: ReadonlySet<string> = new Set(["not-spam", "auth-failure", "virus"])

/** With a list as its subtype the message was not sent, because of an earlier complaint. */
function isByRecipient({ complaintFeedbackType = "", complaintSubType = "" }: Envelope["complaint"]): boolean {
  return !ON_LIST.has(complaintSubType) && !NO_COMPLAINT.has(complaintFeedbackType)
}

/** SES does not say which recipient acted, so only messages with one recipient count. */
function ofSingleRecipient(
  kind: FeedbackKind,
  { destination }: Envelope["mail"],
  timestamp: Reading["timestamp"],
): Reading | Unused {
  return destination.length > 1 ? "ignored" : { kindOf: () => kind, recipients: named(destination), timestamp }
}

const named = (addresses: readonly (string | undefined)[]) =>
  addresses.map((emailAddress): Recipient => ({ emailAddress, status: undefined, diagnosticCode: undefined }))
