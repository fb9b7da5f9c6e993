import { findOperator, mailHostsOf } from "../mail/operators.ts"
import type { MailRoute } from "../verdict/evidence.ts"
import type { CompanySize } from "./priors.ts"

/** Different people seen at a domain from which on it is at least that large. */
const LARGE_FROM = 100
const MEDIUM_FROM = 10
/** Who filters mail through a gateway of its own has a department for it. */
const BY_OPERATOR: Readonly<Record<string, CompanySize>> = { microsoft365: "medium", google: "small" }

/** How large a company is by what is known of its mail: an estimate, where nobody says. */
export function estimateSize(sampleCount: number, route: MailRoute | undefined): CompanySize {
  const operator = findOperator(mailHostsOf(route)[0])
  if (sampleCount >= LARGE_FROM || operator?.kind === "gateway") return "large"
  if (sampleCount >= MEDIUM_FROM) return "medium"
  return BY_OPERATOR[operator?.name ?? ""] ?? "small"
}
