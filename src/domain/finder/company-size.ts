import { findOperator, mailHostsOf } from "../smtp-reply/operators.ts"
import type { MailRoute } from "../verdict/evidence.ts"
import type { CompanySize } from "./priors.ts"

/** Minimum number of different people at a domain for each size. */
const LARGE_FROM = 100
const MEDIUM_FROM = 10
/** Typical size of an operator's customers. */
const BY_OPERATOR: Readonly<Record<string, CompanySize>> = { microsoft365: "medium", google: "small" }

/** Estimates the size of a company by its known addresses and its mail operator. Customers of a gateway are large. */
export function estimateSize(sampleCount: number, route: MailRoute | undefined): CompanySize {
  const operator = findOperator(mailHostsOf(route)[0])
  if (sampleCount >= LARGE_FROM || operator?.kind === "gateway") return "large"
  if (sampleCount >= MEDIUM_FROM) return "medium"
  return BY_OPERATOR[operator?.name ?? ""] ?? "small"
}
