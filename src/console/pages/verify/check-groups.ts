import type { Checks, Deliverability } from "../../api/shapes.ts"
import { operatorName } from "../../operator-names.ts"
import { type CheckRow, WORST_FIRST, worst } from "../../parts/rating.ts"
import { replyWords } from "../../words.ts"
import { accountRows, addressRows, blocklistWords, domainRows, reputationRows, serverRows } from "./check-results.ts"
import { entryOf, isConfirmedByMail } from "./sentence.ts"

interface Group {
  readonly title: string
  /** The group in one line. */
  readonly summary: string
  readonly rows: readonly CheckRow[]
}

/** The groups by importance: first the group that decided, then those that speak against the address. */
export function groupsOf(result: Deliverability): Group[] {
  const { checks } = result
  const address: Group = { title: "Address", summary: addressSummary(checks), rows: addressRows(checks) }
  // Malformed syntax skips all other checks.
  if (!checks.syntax_valid) return [{ ...address, rows: address.rows.slice(0, 1) }]
  const reports = accountRows(result)
  const account: Group = { title: "Your account", summary: accountSummary(reports), rows: reports }
  const domain: Group = { title: "Domain", summary: domainSummary(checks), rows: domainRows(checks) }
  const server: Group = { title: "Mail server", summary: serverSummary(checks), rows: serverRows(result) }
  const reputation: Group = { title: "Reputation", summary: blocklistWords(checks), rows: reputationRows(checks) }
  const decisive = { account, domain, server, address, reputation }[decisiveGroup(result, reports)]
  const rank = ({ rows }: Group) => Math.min(2, WORST_FIRST.indexOf(worst(rows)))
  const others = [account, server, domain, address, reputation].filter(
    (group) => group !== decisive && group.rows.length > 0,
  )
  return [decisive, ...others.toSorted((a, b) => rank(a) - rank(b))]
}

/** The group behind the sentence and the advice: the account's reports, the first risk, the mail route or the server. */
function decisiveGroup(result: Deliverability, reports: readonly CheckRow[]) {
  const { checks, deliverability_score } = result
  const { primary_risk: risk } = deliverability_score
  const isForbidden = checks.status !== "invalid" && worst(reports) === "bad"
  if (isForbidden || isConfirmedByMail(result) || entryOf(result, "status")?.rule === "hard_bounce") return "account"
  if (risk === "disposable") return "address"
  if (risk?.startsWith("blocklisted:")) return "reputation"
  return checks.smtp_status === "skipped" && (checks.mx_records.length === 0 || !checks.mx_valid) ? "domain" : "server"
}

function accountSummary(reports: readonly CheckRow[]): string {
  return reports.map(([name]) => name.toLowerCase()).join(", ")
}

function addressSummary(checks: Checks): string {
  const facts = [checks.is_disposable && "disposable", checks.is_role_account && "role address"].filter(Boolean)
  return [checks.syntax_valid ? "well-formed" : "malformed", ...facts].join(", ")
}

function domainSummary({ mx_records: hosts, mx_kind, provider }: Checks): string {
  if (mx_kind === null) return "DNS did not answer"
  if (mx_kind === "null_mx") return "accepts no mail"
  return hosts.length === 0
    ? "no mail host"
    : [...(provider === "other" ? [] : [operatorName(provider)]), mailHosts(hosts.length)].join(", ")
}

const mailHosts = (amount: number): string => (amount === 1 ? "1 mail host" : `${amount} mail hosts`)

function serverSummary(checks: Checks): string {
  const { smtp_status: status, smtp_response_code: code, is_catch_all } = checks
  if (status === "skipped") return "not contacted"
  return [
    code ? `${replyWords(checks)} with ${code}` : status,
    ...(is_catch_all ? ["accepts every address"] : []),
  ].join(", ")
}
