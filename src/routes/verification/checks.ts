import { z } from "@hono/zod-openapi"
import { SMTP_STATUSES } from "../../../schema/vocabulary.ts"
import { NULL_REASONS, type presentChecks } from "../../domain/verification/checks.ts"
import { WEB_PRESENCES } from "../../domain/verification/evidence.ts"
import {
  canSend,
  grade,
  isDisposable,
  isFree,
  isRole,
  mailHosts,
  score,
  syntaxValid,
  verdictStatus,
} from "../../http/answer-fields.ts"
import { component, mxKind, mxValid, repaired, suggestion, tldExists } from "../../http/fields.ts"

const points = (min: number, max: number) => z.int().min(min).max(max)

export const ScoreBreakdown = component("ScoreBreakdown", "The points that add up to the score before it is capped", {
  base: points(0, 50).openapi({ description: "50; 0 for a malformed address" }),
  smtp_bonus: points(0, 30).openapi({
    description:
      "For an accepted recipient: 30 when a random one is refused, 22 when that is unclear, 10 for `accept_all`",
  }),
  catch_all_bonus: points(-20, 14).openapi({
    description:
      "For `accept_all`: by the catch-all classifier's probability that the mailbox exists. From 0 at 70 %, " +
      "below it at most -11",
  }),
  mx_bonus: points(0, 10).openapi({
    description: "For the domain: MX records, SPF, DMARC, and how far its mail host answered",
  }),
  rbl_penalty: points(-30, 0).openapi({ description: "For mail hosts on blocklists" }),
  disposable_penalty: points(-40, 0).openapi({ description: "-40 for a disposable mail service" }),
  role_penalty: points(-10, 0).openapi({ description: "-10 for the address of a role" }),
  ml_adjustment: points(-20, 20).openapi({ description: "By the model, with enrich=true; otherwise 0" }),
  received_bonus: points(0, 25).openapi({ description: "25 when mail from the address has been received" }),
})

/** What the checks of the Gravatar and of the website found, in both variants. */
export const Presence = {
  gravatar: z.boolean().nullable().openapi({ description: "The address has a Gravatar" }),
  web_presence: z
    .enum(WEB_PRESENCES)
    .nullable()
    .openapi({ description: "The domain's website; `error` answered 400 or more, `none` has no web server" }),
} as const

export const PrimaryRisk = z
  .string()
  .nullable()
  .openapi({
    description:
      "The first risk that holds, null for none: `blocklisted:` and a zone, or a word such as `catch_all`. " +
      "docs/verdicts.md has them in order",
    example: null,
  })

export const NullReasons = z.record(z.string(), z.enum(NULL_REASONS)).openapi({
  description:
    "Why a field of this object is null. `not_requested`: its option is off. `not_configured`: this service has no " +
    "source for it. `no_answer`: the source or DNS gave no answer. `not_applicable`: this address cannot have a " +
    "value. The null of `did_you_mean`, `next_check_at` and `primary_risk` means that there is none",
  example: { breach_found: "not_requested", breach_count: "not_requested" },
})

/** Variant A of the interface. Fields are always present; null only where the type says so. */
export const Checks = component("Checks", "The result of a verification, variant A", {
  email: z.string().openapi({ description: "Normalized address; as given when it is malformed" }),
  repaired: repaired(),
  did_you_mean: suggestion(),
  deliverable: z
    .boolean()
    .openapi({ description: "The mail server accepted the recipient, and your account reported no hard bounce" }),
  can_send: canSend,
  status: verdictStatus,
  score: score,
  grade: grade,
  score_breakdown: ScoreBreakdown,
  is_catch_all: z.boolean().openapi({ description: "Also false when unknown" }),
  is_role_account: isRole,
  is_disposable: isDisposable,
  is_free_provider: isFree,
  is_subaddress: z
    .boolean()
    .openapi({ description: "The local part has a tag, such as +news, which the mailbox's owner chose" }),
  is_corporate: z
    .boolean()
    .openapi({ description: "The domain is an organization's own, not one of a mail provider for the public" }),
  is_relay: z.boolean().openapi({ description: "An alias that forwards to a permanent mailbox" }),
  is_government: z.boolean().openapi({ description: "The domain is reserved for public authorities" }),
  is_education: z.boolean().openapi({ description: "The domain is reserved for education" }),
  mx_valid: mxValid,
  mx_kind: mxKind,
  mx_records: mailHosts,
  spf_valid: z.boolean().openapi({ description: "The domain publishes a valid SPF record; also false when unknown" }),
  dkim_present: z.boolean().openapi({ description: "A key is published; also false when unknown" }),
  smtp_verified: z
    .boolean()
    .openapi({ description: "The mail server accepted the recipient. At an `accept_all` domain that shows nothing" }),
  smtp_status: z.enum(SMTP_STATUSES).openapi({
    description: "How the probe ended. `error`: a temporary or unclear reply, or no connection. `skipped`: no probe",
  }),
  smtp_response_code: z.int().openapi({ description: "The deciding SMTP reply's code; 0 when there was none" }),
  smtp_banner: z.string().openapi({ description: "The greeting of the mail server; empty without one" }),
  rbl_listed: z
    .boolean()
    .openapi({ description: "A mail host is on one of the blocklists that answered; also false when none did" }),
  rbl_lists_checked: z.int().openapi({ description: "Blocklists that answered" }),
  ...Presence,
  breach_found: z
    .boolean()
    .nullable()
    .openapi({ description: "A breach has the address, by the sources of this service" }),
  domain: z
    .string()
    .openapi({ description: "The domain of the address, in ASCII (IDNA); empty when the address is malformed" }),
  provider: z.string().openapi({ description: "The mail operator, by its MX hosts" }),
  tld: z.string().openapi({ description: "The top-level domain; empty when the address is malformed" }),
  tld_exists: tldExists,
  cached: z.boolean().openapi({ description: "The result was stored before this call" }),
  next_check_at: z.iso
    .datetime()
    .nullable()
    .openapi({ description: "Time of the next check, after a temporary refusal of the mail server" }),
  verified_at: z.iso.datetime().openapi({ description: "Time at which the result was found" }),
  local_part: z.string().openapi({ description: "What precedes the `@`; empty when the address is malformed" }),
  syntax_valid: syntaxValid,
  smtp_connect_ms: z
    .int()
    .openapi({ description: "Milliseconds until the mail server was connected; 0 without a connection" }),
  smtp_total_ms: z.int().openapi({ description: "Milliseconds of the whole SMTP conversation; 0 without a probe" }),
  ml_score: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .openapi({ description: "With enrich=true: the model's probability that mail arrives" }),
  pattern_match: z.string().openapi({
    description: "The shape of the local part, such as `{first}.{last}`, or `other`; empty when it is malformed",
  }),
  domain_age_days: z.int().nullable().openapi({ description: "Days since the domain was registered" }),
  breach_count: z.int().nullable().openapi({ description: "Breaches that have the address" }),
  rbl_lists_matched: z.array(z.string()).openapi({ description: "Blocklists that have a mail host of the domain" }),
  null_reasons: NullReasons,
} satisfies Record<keyof ReturnType<typeof presentChecks>, z.ZodType>)
