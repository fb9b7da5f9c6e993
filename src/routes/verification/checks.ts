import { z } from "@hono/zod-openapi"
import { GRADES, SMTP_STATUSES, STATUSES } from "../../../schema/vocabulary.ts"
import { NULL_REASONS, type presentChecks } from "../../domain/verification/checks.ts"
import { WEB_PRESENCES } from "../../domain/verification/evidence.ts"
import { component, mxKind, mxValid, repaired, suggestion, tldExists } from "../../http/fields.ts"

const points = (min: number, max: number) => z.int().min(min).max(max)

export const ScoreBreakdown = component("ScoreBreakdown", "The points that add up to the score before it is capped", {
  base: points(0, 50).openapi({ description: "50; 0 for a malformed address" }),
  smtp_bonus: points(0, 30),
  catch_all_bonus: points(-20, 14).openapi({
    description:
      "For `accept_all`: by the catch-all classifier's probability that the mailbox exists. From 0 at 70 %, " +
      "below it at most -11",
  }),
  mx_bonus: points(0, 10),
  rbl_penalty: points(-30, 0),
  disposable_penalty: points(-40, 0),
  role_penalty: points(-10, 0),
  ml_adjustment: points(-20, 20),
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
  can_send: z.boolean(),
  status: z.enum(STATUSES),
  score: points(0, 100),
  grade: z.enum(GRADES),
  score_breakdown: ScoreBreakdown,
  is_catch_all: z.boolean().openapi({ description: "Also false when unknown" }),
  is_role_account: z.boolean(),
  is_disposable: z.boolean(),
  is_free_provider: z.boolean(),
  is_subaddress: z.boolean(),
  is_corporate: z.boolean(),
  is_relay: z.boolean().openapi({ description: "An alias that forwards to a permanent mailbox" }),
  is_government: z.boolean(),
  is_education: z.boolean(),
  mx_valid: mxValid,
  mx_kind: mxKind,
  mx_records: z.array(z.string()),
  spf_valid: z.boolean(),
  dkim_present: z.boolean().openapi({ description: "A key is published; also false when unknown" }),
  smtp_verified: z.boolean(),
  smtp_status: z.enum(SMTP_STATUSES),
  smtp_response_code: z.int().openapi({ description: "The deciding SMTP reply's code; 0 when there was none" }),
  smtp_banner: z.string(),
  rbl_listed: z.boolean(),
  rbl_lists_checked: z.int(),
  ...Presence,
  breach_found: z.boolean().nullable(),
  domain: z.string(),
  provider: z.string().openapi({ description: "The mail operator, by its MX hosts" }),
  tld: z.string(),
  tld_exists: tldExists,
  cached: z.boolean(),
  next_check_at: z.iso
    .datetime()
    .nullable()
    .openapi({ description: "Time of the next check, after a temporary refusal of the mail server" }),
  verified_at: z.iso.datetime(),
  local_part: z.string(),
  syntax_valid: z.boolean(),
  smtp_connect_ms: z.int(),
  smtp_total_ms: z.int(),
  ml_score: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .openapi({ description: "With enrich=true: the model's probability that mail arrives" }),
  pattern_match: z.string(),
  domain_age_days: z.int().nullable(),
  breach_count: z.int().nullable(),
  rbl_lists_matched: z.array(z.string()),
  null_reasons: NullReasons,
} satisfies Record<keyof ReturnType<typeof presentChecks>, z.ZodType>)
