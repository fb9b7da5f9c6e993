import type { FactName } from "./evidence.ts"
import type { Verification } from "./verification.ts"

/**
 * Why a field has no value: the caller did not request the check, the operator configured no service for it, the service
 * or DNS gave no answer, or the address can have no value.
 */
export const NULL_REASONS = ["not_requested", "not_configured", "no_answer", "not_applicable"] as const
export type NullReason = (typeof NULL_REASONS)[number]

/** The fields of an answer that hold evidence and may be null. */
type NullableField = keyof typeof REASONS

/** The reason of each field, read only when the field is null. */
const REASONS = {
  gravatar: ({ evidence: { gravatar, notConfigured } }) => {
    if (!gravatar) return "not_requested"
    return notConfigured?.includes("gravatar") ? "not_configured" : "no_answer"
  },
  web_presence: (verification) => reasonOfFact("web", verification),
  domain_age_days: (verification) => reasonOfFact("registration", verification),
  breach_found: reasonOfBreach,
  breach_count: reasonOfBreach,
  ml_score: () => "not_requested",
  ml: () => "not_requested",
  activity_score: ({ activityScore }) => (activityScore === undefined ? "not_requested" : "no_answer"),
  mx_kind: () => "no_answer",
  // Reserved names are in no root zone, so the question does not apply to them (RFC 6761).
  tld_exists: () => "not_applicable",
  // Only an address that was not probed has no sub-status.
  sub_status: () => "not_requested",
} satisfies Record<string, (verification: Verification) => NullReason>

/**
 * Why each null field among the given ones has no value. A malformed address can have no value in any of them.
 * @param fields values by the name of the field in the answer
 */
export function nullReasons(
  fields: { readonly [Name in NullableField]?: unknown },
  verification: Verification,
): Record<string, NullReason> {
  const names = (Object.keys(fields) as NullableField[]).filter((name) => fields[name] === null)
  const isWellFormed = verification.evidence.address.ok
  return Object.fromEntries(
    names.map((name) => [name, isWellFormed ? REASONS[name](verification) : "not_applicable"] as const),
  )
}

function reasonOfFact(
  name: Exclude<FactName, "route">,
  { evidence: { domain, notConfigured } }: Verification,
): NullReason {
  // Before the deadline DNS had not answered, so no fact of the domain could be found.
  if (!domain) return "no_answer"
  if (domain[name] === undefined) return "not_requested"
  if (domain.route.kind === "no_such_domain") return "not_applicable"
  return notConfigured?.some((service) => service === name) ? "not_configured" : "no_answer"
}

function reasonOfBreach({ breach }: Verification): NullReason {
  return typeof breach === "string" ? breach : "not_requested"
}
