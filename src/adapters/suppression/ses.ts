import { importX509 } from "jose"
import { z } from "zod"
import type { FeedbackKind } from "../../../schema/vocabulary.ts"
import { parseJson } from "../../../schema/wire/json.ts"
import { permanentBounce, undeclaredBounce } from "../../domain/suppression/bounce.ts"
import { AppError } from "../../errors.ts"
import { Memo } from "../cache.ts"
import { readText } from "../external-calls.ts"
import type { Fetch } from "../outbound.ts"
import {
  flag,
  fromBase64,
  type Inbound,
  type InboundReader,
  isRecent,
  kindOfName,
  list,
  moment,
  part,
  refuse,
  scalar,
  text,
  toBatch,
  toOutcome,
  type Unused,
} from "./inbound.ts"

/** SNS repeats a message with its original timestamp and signature for up to an hour. */
const MAX_AGE_MS = 60 * 60_000
const FETCH_MS = 5_000
const MAX_CERTIFICATE_BYTES = 64_000
const ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/

/** Certificates by URL, as text, for one day. Only certificates fetched from SNS are cached. */
const certificates = new Memo<string>({ capacity: 50, ttlMs: 24 * 60 * 60_000 })

/** Events of Amazon SES, signed by SNS. Any AWS customer may own a topic, so the secret is the account's topic ARN. */
export function createSes(fetch: Fetch): InboundReader {
  return {
    async isUsable(secret) {
      return ARN.test(secret)
    },

    async read({ body, now }, secret) {
      if (!ARN.test(secret)) return refuse("no_secret")
      const parsed = SnsMessage.safeParse(parseJson(body))
      if (!parsed.success) return refuse("no_signature")
      const message = parsed.data
      const certificateUrl = snsUrl(message.SigningCertURL)
      if (!certificateUrl?.pathname.endsWith(".pem") || certificateUrl.search !== "") return refuse("wrong_sender")
      if (message.TopicArn !== secret) return refuse("wrong_sender")
      if (!(await isSigned(message, await certificateAt(fetch, certificateUrl.href, now))))
        return refuse("bad_signature")
      if (!isRecent(Date.parse(message.Timestamp), now, MAX_AGE_MS)) return refuse("too_old")
      return answerTo(message, now)
    },
  }
}

const IGNORED: Inbound = { ...toBatch(["ignored"]), token: null }
/** SES publishes this when a topic is connected. It is the only message that is no JSON. */
const CONNECTED = /^Successfully validated SNS topic/

function answerTo(message: SnsMessage, now: number): Inbound {
  if (message.Type === "Notification")
    return CONNECTED.test(message.Message) ? IGNORED : readSesEvents(message.MessageId, parseJson(message.Message), now)
  const url = message.Type === "SubscriptionConfirmation" ? snsUrl(message.SubscribeURL ?? "") : null
  const isForTopic =
    url?.searchParams.get("Action") === "ConfirmSubscription" && url.searchParams.get("TopicArn") === message.TopicArn
  if (url && isForTopic) return { kind: "subscription", confirmUrl: url.href }
  return message.Type === "SubscriptionConfirmation" ? refuse("wrong_sender") : IGNORED
}

/** Confirms a subscription. @param url the confirmUrl that `read` returned */
export async function confirmSubscription(fetch: Fetch, url: string): Promise<void> {
  const response = await getFromSns(fetch, url)
  await response.body?.cancel()
}

async function certificateAt(fetch: Fetch, url: string, now: number): Promise<string> {
  const known = certificates.get(url, now)
  if (known !== undefined) return known
  const text = await readText(await getFromSns(fetch, url), MAX_CERTIFICATE_BYTES)
  certificates.set(url, text, now)
  return text
}

/** Follows no redirects, because a redirect could lead anywhere. After an error SNS sends the message again. */
async function getFromSns(fetch: Fetch, url: string): Promise<Response> {
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(FETCH_MS) }).catch((cause) => {
    throw new AppError("unavailable", "Amazon SNS could not be reached", { cause })
  })
  if (response.status === 200) return response
  await response.body?.cancel()
  throw new AppError("unavailable", "Amazon SNS did not answer as expected")
}

/** A message of Amazon SNS over HTTP. Unsigned fields are left out. */
const SnsMessage = z.object({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: z.string().min(1),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  Subject: text,
  Token: text,
  SubscribeURL: text,
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string(),
  SigningCertURL: z.string(),
})
type SnsMessage = z.infer<typeof SnsMessage>

const HOST = /^sns\.[a-z0-9-]{3,}\.amazonaws\.(?:com|com\.cn|eu)$/
const URL_TEXT = new RegExp(`^https://${HOST.source.slice(1, -1)}/[\\x21-\\x7e]*$`)
const NOTIFICATION = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const
const CONFIRMATION = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const
const HASHES = { "1": "SHA-1", "2": "SHA-256" } as const

/** A URL of Amazon SNS; null for any other. The raw text is checked too, because URL parsers differ. */
export function snsUrl(text: string): URL | null {
  if (!URL_TEXT.test(text)) return null
  const url = URL.parse(text)
  const isPlain = url?.protocol === "https:" && url.port === "" && url.username === "" && url.password === ""
  return url && isPlain && HOST.test(url.hostname) ? url : null
}

/** The text that SNS signs: names and values of the signed fields, sorted by name, one per line. */
function canonicalText(message: SnsMessage): string {
  const names = message.Type === "Notification" ? NOTIFICATION : CONFIRMATION
  return names
    .flatMap((name) => {
      const value = (message as Readonly<Record<string, unknown>>)[name]
      return typeof value === "string" ? [name, value] : []
    })
    .map((line) => `${line}\n`)
    .join("")
}

/** Whether the certificate's key signed the message (RSASSA-PKCS1-v1_5; version 1 with SHA-1, 2 with SHA-256). */
async function isSigned(message: SnsMessage, certificatePem: string): Promise<boolean> {
  const signature = fromBase64(message.Signature)
  const key = signature && (await publicKey(certificatePem, HASHES[message.SignatureVersion]))
  if (!key) return false
  return crypto.subtle.verify("RSASSA-PKCS1-v1_5", key, signature, new TextEncoder().encode(canonicalText(message)))
}

/** Imports the key twice: jose reads the certificate but does not support SHA-1. */
async function publicKey(pem: string, hash: "SHA-1" | "SHA-256") {
  try {
    const certified = await importX509(pem, "RS256", { extractable: true })
    const spki = await crypto.subtle.exportKey("spki", certified as never)
    return await crypto.subtle.importKey("spki", spki as ArrayBuffer, { name: "RSASSA-PKCS1-v1_5", hash }, false, [
      "verify",
    ])
  } catch {
    return null
  }
}

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

/** The events of one SES message; one bounce may have many recipients. @param messageId of the SNS message */
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
  const reply = `${status} ${diagnosticCode}`
  return bounceType === "Permanent" ? permanentBounce(reply) : undeclaredBounce(reply)
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
