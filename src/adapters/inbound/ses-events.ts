import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import type { Inbound, InboundEvent } from "./inbound.ts"

const Recipient = z.object({
  emailAddress: z.string(),
  status: z.string().optional(),
})

/** Both forms SES has: notifications name their type `notificationType`, published events `eventType`. */
const Envelope = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  mail: z.object({ destination: z.array(z.string()).default([]), timestamp: z.string().optional() }).optional(),
  bounce: z
    .object({ bounceType: z.string(), bouncedRecipients: z.array(Recipient), timestamp: z.string().optional() })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: z.array(Recipient),
      complaintFeedbackType: z.string().nullish(),
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
  readonly kind: FeedbackKind
  readonly recipients: readonly { readonly emailAddress: string; readonly status?: string | undefined }[]
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
    ({ emailAddress, status }): InboundEvent => ({
      email: bareAddress(emailAddress),
      kind: reading.kind,
      id: messageId,
      at,
      code: status ?? null,
    }),
  )
  return { kind: "events", events, ignored: 0, token: null }
}

function read(envelope: Envelope): Reading | null {
  const { bounce, complaint, delivery, mail } = envelope
  switch (envelope.eventType ?? envelope.notificationType) {
    case "Bounce":
      return bounce
        ? {
            kind: bounce.bounceType === "Permanent" ? "hard_bounce" : "soft_bounce",
            recipients: bounce.bouncedRecipients,
            timestamp: bounce.timestamp,
          }
        : null
    case "Complaint":
      // "not-spam" is somebody taking a message out of the spam folder.
      return complaint && complaint.complaintFeedbackType !== "not-spam"
        ? { kind: "spam_complaint", recipients: complaint.complainedRecipients, timestamp: complaint.timestamp }
        : null
    case "Delivery":
      return delivery
        ? { kind: "delivered", recipients: named(delivery.recipients), timestamp: delivery.timestamp }
        : null
    case "Open":
      return ofOne("opened", mail, envelope.open?.timestamp)
    case "Click":
      return ofOne("clicked", mail, envelope.click?.timestamp)
    case "Subscription":
      return envelope.subscription?.newTopicPreferences?.unsubscribeAll
        ? ofOne("unsubscribe", mail, envelope.subscription.timestamp)
        : null
    default:
      return null
  }
}

/** SES does not say which of several recipients it was. */
function ofOne(kind: FeedbackKind, mail: Envelope["mail"], timestamp: string | undefined): Reading | null {
  return mail?.destination.length === 1 ? { kind, recipients: named(mail.destination), timestamp } : null
}

const named = (addresses: readonly string[]) => addresses.map((emailAddress) => ({ emailAddress }))

/** SES repeats destinations as they were given, which may be with a display name. */
function bareAddress(text: string): string {
  return /<([^<>]+)>\s*$/.exec(text)?.[1] ?? text
}
