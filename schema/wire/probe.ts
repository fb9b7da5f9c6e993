import { z } from "zod"
import { SMTP_FAILURES, SMTP_STAGES } from "../vocabulary.ts"

/**
 * The probe protocol between edge and node: `POST /v1/probe` answers with an NDJSON stream of signed lines
 * (see signature.ts): one `recipient` line for each recipient and a final `end` line.
 * The node reports the mail server's replies. Only the edge decides the verdict.
 */
export const PROBE_PATH = "/v1/probe"
export const HEALTH_PATH = "/v1/health"

/** Limits of a request. The node enforces them, and the edge respects them. */
export const PROBE_LIMITS = {
  groups: 1_000,
  mxHosts: 20,
  recipients: 5_000,
  bodyBytes: 2_000_000,
  deadlineMs: 60_000,
} as const

/** Limits of a recipient line, which contains text from mail servers. */
export const LINE_LIMITS = {
  /** Most attempts that a node records. It also cuts the replies in them. */
  attempts: 16,
  attemptTextChars: 200,
  /** More than the longest line of the schema: JSON inside JSON may encode one character as seven. */
  chars: 400_000,
} as const

/** ASCII without control characters or spaces: a host name in A-label form. */
const host = z.string().regex(/^[a-z0-9._-]{1,253}$/)

/** A mailbox for RCPT TO: no control characters, and no angle brackets outside a quoted local part. */
const mailbox = z
  .string()
  .max(320)
  .regex(
    /^[^\u0000-\u0020\u007f-\u009f\u2028\u2029<>]+@[a-z0-9._-]+$|^"[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*"@[a-z0-9._-]+$/u,
  )

/** Rules for one mail operator. The edge selects them by MX suffix and the node applies them. */
export const Playbook = z.object({
  operator: z.string().max(64), // pacing key: one bucket and one breaker per (source IP, operator)
  pipelining: z.boolean(), // false where the operator penalizes it
  starttls: z.boolean(),
  control: z.enum(["same-session", "separate-session", "never"]), // which session runs the catch-all probe
  recipientsPerSession: z.int().min(1).max(100),
  sessionsPerHost: z.int().min(1).max(100),
})
export type Playbook = z.infer<typeof Playbook>

export const ProbeRecipient = z.object({ index: z.int().min(0), address: mailbox })
export type ProbeRecipient = z.infer<typeof ProbeRecipient>

/** Recipients with the same MX hosts, so that they can share a session. */
export const ProbeGroup = z.object({
  mx: z
    .array(z.object({ host, preference: z.int().min(0).max(65_535) }))
    .min(1)
    .max(PROBE_LIMITS.mxHosts),
  playbook: Playbook,
  recipients: z.array(ProbeRecipient).min(1),
  /** One random recipient per domain for the catch-all probe. Each line of the domain's recipients has its reply. */
  controls: z.array(mailbox),
})
export type ProbeGroup = z.infer<typeof ProbeGroup>

export const ProbeRequest = z.object({
  requestId: z.string().min(1).max(64),
  deadlineMs: z.int().min(500).max(PROBE_LIMITS.deadlineMs),
  priority: z.enum(["interactive", "bulk"]),
  /** Connect from this source IP, because greylisting matches IP, sender and recipient (RFC 6647 §2.2). */
  sourceIp: z.string().max(45).nullable(),
  /** Source IPs to avoid, because mail servers already refused them. */
  avoidSourceIps: z.array(z.string().max(45)).max(64),
  groups: z.array(ProbeGroup).min(1).max(PROBE_LIMITS.groups),
})
export type ProbeRequest = z.infer<typeof ProbeRequest>

/** A duration in ms, at most a day. The limit keeps a faulty node from distorting the edge's sums. */
const ms = z.number().min(0).max(86_400_000)

/** One SMTP reply. `text` holds its lines, joined by "\n" and cut at 2,000 characters. */
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

/** The outcome for one recipient: the server's reply to RCPT, or the failure at an earlier stage. */
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
  /** The outcome of the catch-all probe of the same domain. Null: not probed. */
  control: RecipientOutcome.nullable(),
  session: SessionReport.nullable(), // null when no connection was opened
  attempts: z.array(MxAttempt).max(LINE_LIMITS.attempts),
  totalMs: ms,
})
export type RecipientLine = z.infer<typeof RecipientLine>

const EndLine = z.object({ type: z.literal("end"), recipients: z.int().min(0) })

export const ProbeLine = z.discriminatedUnion("type", [RecipientLine, EndLine])
export type ProbeLine = z.infer<typeof ProbeLine>

/** One line of the stream. The payload is a JSON string, so that the received bytes equal the signed bytes. */
export const SignedLine = z.object({ seq: z.int().min(0), payload: z.string(), sig: z.string() })
export type SignedLine = z.infer<typeof SignedLine>
