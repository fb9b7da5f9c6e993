import { z } from "zod"
import { SMTP_FAILURES, SMTP_STAGES } from "../vocabulary.ts"

/**
 * The probe protocol between edge and node: `POST /v1/probe` answers with an NDJSON stream of signed lines
 * (see signature.ts), one `recipient` line for each recipient asked about and a final `end` line.
 * The node reports what the mail server said; only the edge judges what it means.
 */
export const PROBE_PATH = "/v1/probe"
export const HEALTH_PATH = "/v1/health"

/** Bounds a node enforces on a request, and the edge respects when it builds one. */
export const PROBE_LIMITS = {
  groups: 1_000,
  mxHosts: 20,
  recipients: 5_000,
  bodyBytes: 2_000_000,
  deadlineMs: 60_000,
} as const

/** Bounds of a recipient line, which a mail server's words make long. */
export const LINE_LIMITS = {
  /** A node notes no more attempts, and cuts the replies quoted in them. */
  attempts: 16,
  attemptTextChars: 200,
  /** Above the longest line that the schema allows: JSON inside JSON may write one character as seven. */
  chars: 400_000,
} as const

/** ASCII without control characters or spaces: a host name in A-label form. */
const host = z.string().regex(/^[a-z0-9._-]{1,253}$/)

/** A mailbox as it goes into RCPT TO: no control characters, no angle brackets outside a quoted local part. */
const mailbox = z
  .string()
  .max(320)
  .regex(
    /^[^\u0000-\u0020\u007f-\u009f\u2028\u2029<>]+@[a-z0-9._-]+$|^"[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*"@[a-z0-9._-]+$/u,
  )

/** How to treat one mail operator. Chosen at the edge by MX suffix; the node only obeys. */
export const Playbook = z.object({
  operator: z.string().max(64), // pacing key: one bucket and one breaker per (source IP, operator)
  pipelining: z.boolean(), // false where the operator punishes it
  starttls: z.boolean(),
  control: z.enum(["same-session", "separate-session", "never"]), // where the random sibling is asked
  recipientsPerSession: z.int().min(1).max(100),
  sessionsPerHost: z.int().min(1).max(100),
})
export type Playbook = z.infer<typeof Playbook>

export const ProbeRecipient = z.object({ index: z.int().min(0), address: mailbox })
export type ProbeRecipient = z.infer<typeof ProbeRecipient>

/** Recipients that share the same MX hosts, so that one session can serve them. */
export const ProbeGroup = z.object({
  mx: z
    .array(z.object({ host, preference: z.int().min(0).max(65_535) }))
    .min(1)
    .max(PROBE_LIMITS.mxHosts),
  playbook: Playbook,
  recipients: z.array(ProbeRecipient).min(1),
  /** One random address per domain whose catch-all state is wanted; its reply is reported with every recipient of the domain. */
  controls: z.array(mailbox),
})
export type ProbeGroup = z.infer<typeof ProbeGroup>

export const ProbeRequest = z.object({
  requestId: z.string().min(1).max(64),
  deadlineMs: z.int().min(500).max(PROBE_LIMITS.deadlineMs),
  priority: z.enum(["interactive", "bulk"]),
  /** Ask from this source IP: greylisting remembers the triplet of IP, sender and recipient (RFC 6647 §2.2). */
  sourceIp: z.string().max(45).nullable(),
  /** Source IPs already refused, not to be used again for this request. */
  avoidSourceIps: z.array(z.string().max(45)).max(64),
  groups: z.array(ProbeGroup).min(1).max(PROBE_LIMITS.groups),
})
export type ProbeRequest = z.infer<typeof ProbeRequest>

/** A time in ms. Anybody's node may say it, and the edge adds it up with that of others: a day is more than anything takes. */
const ms = z.number().min(0).max(86_400_000)

/** One SMTP reply as it came off the wire. `text` is the lines joined by "\n", cut at 2,000 characters. */
export const SmtpReply = z.object({
  code: z.int().min(100).max(599),
  enhanced: z
    .string()
    .regex(/^[245]\.\d{1,3}\.\d{1,3}$/)
    .nullable(), // RFC 3463, RFC 2034
  text: z.string().max(2_000),
  ms, // since the command was sent
})
export type SmtpReply = z.infer<typeof SmtpReply>

/** What happened to one recipient: the server's reply to RCPT, or the stage that kept us from asking. */
export const RecipientOutcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("reply"), stage: z.enum(SMTP_STAGES), reply: SmtpReply }), // stage rcpt, or an earlier refusal
  z.object({
    kind: z.literal("failure"),
    stage: z.enum(SMTP_STAGES),
    failure: z.enum(SMTP_FAILURES),
    detail: z.string().max(200),
    ms,
  }),
])
export type RecipientOutcome = z.infer<typeof RecipientOutcome>

/** One connection to one MX host. Replies to RCPT are in the recipient lines, not here. */
export const SessionReport = z.object({
  mxHost: z.string().max(253),
  address: z.string().max(64), // IP connected to
  sourceIp: z.string().max(64), // IP connected from
  heloName: z.string().max(253),
  envelopeSender: z.string().max(320),
  greeting: SmtpReply.nullable(),
  ehlo: SmtpReply.nullable(),
  extensions: z.array(z.string().max(64)).max(64),
  tls: z
    .object({ protocol: z.string().max(32), authorized: z.boolean(), problem: z.string().max(200).nullable() })
    .nullable(),
  mail: SmtpReply.nullable(),
  connectMs: ms,
})
export type SessionReport = z.infer<typeof SessionReport>

/** An MX host tried before the one that answered. */
export const MxAttempt = z.object({
  mxHost: z.string().max(253),
  address: z.string().max(64).nullable(),
  outcome: RecipientOutcome,
})
export type MxAttempt = z.infer<typeof MxAttempt>

export const RecipientLine = z.object({
  type: z.literal("recipient"),
  index: z.int().min(0),
  outcome: RecipientOutcome,
  /** The reply to the random sibling of the same domain; null when none was asked. */
  control: RecipientOutcome.nullable(),
  session: SessionReport.nullable(), // null when no connection was opened
  attempts: z.array(MxAttempt).max(LINE_LIMITS.attempts),
  totalMs: ms,
})
export type RecipientLine = z.infer<typeof RecipientLine>

const EndLine = z.object({ type: z.literal("end"), recipients: z.int().min(0) })

export const ProbeLine = z.discriminatedUnion("type", [RecipientLine, EndLine])
export type ProbeLine = z.infer<typeof ProbeLine>

/** One line on the wire: the payload as a JSON string, so that the signed bytes are the bytes received. */
export const SignedLine = z.object({ seq: z.int().min(0), payload: z.string(), sig: z.string() })
export type SignedLine = z.infer<typeof SignedLine>
