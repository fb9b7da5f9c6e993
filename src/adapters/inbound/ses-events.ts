import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { permanentBounce } from "../../domain/feedback/bounce.ts"
import { type Inbound, type InboundEvent, optionalText } from "./inbound.ts"

const Recipient = z.object({
  emailAddress: z.string(),
  status: optionalText,
  diagnosticCode: optionalText,
})
type Recipient = z.infer<typeof Recipient>

/** SES has two forms: notifications with `notificationType`, published events with `eventType`. */
const Envelope = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  mail: z.object({ destination: z.array(z.string()).default([]), timestamp: z.string().optional() }).optional(),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: optionalText,
      bouncedRecipients: z.array(Recipient),
      timestamp: z.string().optional(),
    })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: z.array(Recipient),
      complaintFeedbackType: optionalText,
      complaintSubType: optionalText,
      timestamp: z.string().optional(),
    })
    .optional(),
  delivery: z.object({ recipients: z.array(z.string()), timestamp: z.string().optional() }).optional(),
  open: z.object({ timestamp: z.string().optional() }).optional(),
  click: z.object({ timestamp: z.string().optional() }).optional(),
  subscription: z
    .object({
      timestamp: z.string().optional(),
      newTopicPreferences: z.object({ unsubscribeAll: z.boolean().optional() }).optional(),
    })
    .optional(),
})
type Envelope = z.infer<typeof Envelope>

interface Reading {
  readonly kindOf: (recipient: Recipient) => FeedbackKind
  readonly recipients: readonly Recipient[]
  readonly timestamp: string | undefined
}

/** The events of one SES message; one bounce may have many recipients. @param messageId of the SNS message */
export function readSesEvents(messageId: string, data: unknown): Inbound {
  const envelope = Envelope.safeParse(data)
  const reading = envelope.success ? read(envelope.data) : null
  if (!reading) return { kind: "events", events: [], ignored: 1, token: null }
  const stamp = Date.parse(reading.timestamp ?? "")
  const at = Number.isNaN(stamp) ? null : stamp
  const events = reading.recipients.map(
    (recipient): InboundEvent => ({
      email: bareAddress(recipient.emailAddress),
      kind: reading.kindOf(recipient),
      id: messageId,
      at,
      code: recipient.status ?? null,
    }),
  )
  return { kind: "events", events, ignored: 0, token: null }
}

function read(envelope: Envelope): Reading | null {
  const { bounce, complaint, delivery, mail } = envelope
  switch (envelope.eventType ?? envelope.notificationType) {
    case "Bounce":
      return bounce && !NO_BOUNCE.has(bounce.bounceSubType ?? "")
        ? {
            kindOf: (recipient) => bounceKind(bounce, recipient),
            recipients: bounce.bouncedRecipients,
            timestamp: bounce.timestamp,
          }
        : null
    case "Complaint":
      return complaint && isByRecipient(complaint)
        ? {
            kindOf: () => "spam_complaint",
            recipients: complaint.complainedRecipients,
            timestamp: complaint.timestamp,
          }
        : null
    case "Delivery":
      return delivery
        ? { kindOf: () => "delivered", recipients: named(delivery.recipients), timestamp: delivery.timestamp }
        : null
    case "Open":
      return ofSingleRecipient("opened", mail, envelope.open?.timestamp)
    case "Click":
      return ofSingleRecipient("clicked", mail, envelope.click?.timestamp)
    case "Subscription":
      return envelope.subscription?.newTopicPreferences?.unsubscribeAll
        ? ofSingleRecipient("unsubscribe", mail, envelope.subscription.timestamp)
        : null
    default:
      return null
  }
}

/** Suppressed after an earlier bounce: SES did not send. The text is its own, not the host's reply. */
const ON_LIST: ReadonlySet<string> = new Set(["Suppressed", "OnAccountSuppressionList", "OnTenantSuppressionList"])
/** Not sent either: SES predicts a bounce (Auto Validation), or the recipient left the topic. */
const NO_BOUNCE: ReadonlySet<string> = new Set(["EmailValidationSuppressed", "UnsubscribedRecipient"])

/** In one bounce, one recipient may be invalid and another only delayed. */
function bounceKind(
  { bounceType, bounceSubType = "" }: NonNullable<Envelope["bounce"]>,
  { status = "", diagnosticCode = "" }: Recipient,
): FeedbackKind {
  if (bounceType !== "Permanent") return "soft_bounce"
  return ON_LIST.has(bounceSubType) ? "hard_bounce" : permanentBounce(`${status} ${diagnosticCode}`)
}

/** RFC 6430, 6591 and 5965: a message moved out of the spam folder, and machine reports about the message itself. */
const NO_COMPLAINT: ReadonlySet<string> = new Set(["not-spam", "auth-failure", "virus"])

/** With a subtype the message was not sent, because of an earlier complaint. */
function isByRecipient({ complaintFeedbackType = "", complaintSubType }: NonNullable<Envelope["complaint"]>): boolean {
  return complaintSubType === undefined && !NO_COMPLAINT.has(complaintFeedbackType)
}

/** SES does not say which recipient acted, so only messages with one recipient count. */
function ofSingleRecipient(kind: FeedbackKind, mail: Envelope["mail"], timestamp: string | undefined): Reading | null {
  return mail?.destination.length === 1 ? { kindOf: () => kind, recipients: named(mail.destination), timestamp } : null
}

const named = (addresses: readonly string[]) => addresses.map((emailAddress) => ({ emailAddress }))

/** SES repeats destinations as given, possibly with a display name. */
function bareAddress(text: string): string {
  return /<([^<>]+)>\s*$/.exec(text)?.[1] ?? text
}
