import type { Checks, Deliverability } from "../../api/shapes.ts"
import { type CheckRow, type Rating, WORST_FIRST, worst } from "../../parts/check-rows.tsx"
import { count, milliseconds, operatorName, percent, plain, providerWords, replyWords } from "../../words.ts"
import { entryOf, isConfirmedByMail } from "./sentence.ts"

interface Group {
  readonly title: string
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

const accountSummary = (reports: readonly CheckRow[]): string => reports.map(([name]) => name.toLowerCase()).join(", ")

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

/** What the account itself knows about the address. It outweighs the mail server's reply. */
function accountRows(result: Deliverability): CheckRow[] {
  const reports: readonly (readonly [fact: string, ...CheckRow])[] = [
    ["bounce_reported", "Hard bounce", "reported", "bad"],
    ["complaint_reported", "Spam complaint", "reported", "bad"],
    ["suppressed", "Suppression list", "contains the address or its domain", "bad"],
    ["received", "Received mail", "reported", "good"],
  ]
  return reports.flatMap(([fact, ...row]) => (entryOf(result, fact) ? [row] : []))
}

function addressRows(checks: Checks): CheckRow[] {
  const isKind: readonly (readonly [boolean, string])[] = [
    [checks.is_free_provider, "free provider"],
    [checks.is_corporate, "company"],
    [checks.is_government, "government"],
    [checks.is_education, "education"],
    [checks.is_relay, "forwarding alias"],
    [checks.is_subaddress, "subaddress"],
  ]
  const kinds = isKind.filter(([is]) => is).map(([, words]) => words)
  return [
    ["Syntax", checks.syntax_valid ? "well-formed" : "malformed", checks.syntax_valid ? "good" : "bad"],
    ["Kind", kinds.join(", ") || "no special kind", "plain"],
    ["Role address", checks.is_role_account ? "yes" : "no", checks.is_role_account ? "warn" : "good"],
    ["Disposable", checks.is_disposable ? "yes" : "no", checks.is_disposable ? "bad" : "good"],
  ]
}

function domainRows(checks: Checks): CheckRow[] {
  const hosts = checks.mx_records
  const shown = hosts.slice(0, 3).join(", ") + (hosts.length > 3 ? ` and ${hosts.length - 3} more` : "")
  const age = checks.domain_age_days
  return [
    [
      "Mail hosts",
      checks.mx_kind === "implicit_mx" ? `${shown} (no MX record)` : shown || "none",
      checks.mx_valid ? "good" : hosts.length > 0 ? "warn" : "bad",
    ],
    ["Mail provider", providerWords(checks.provider), "plain"],
    ["SPF", checks.spf_valid ? "valid" : "not found", checks.spf_valid ? "good" : "plain"],
    ["DKIM", checks.dkim_present ? "present" : "not found", checks.dkim_present ? "good" : "plain"],
    ["Website", checks.web_presence === null ? missing("web_presence", checks) : checks.web_presence, "plain"],
    [
      "Age",
      age === null ? missing("domain_age_days", checks) : `${count(age)} days`,
      age !== null && age < 30 ? "warn" : "plain",
    ],
  ]
}

function missing(field: keyof Checks, { null_reasons }: Checks): string {
  const reason = null_reasons[field]
  return reason === undefined || reason === "not_requested" ? "not checked" : plain(reason).toLowerCase()
}

function serverRows(result: Deliverability): CheckRow[] {
  const { checks } = result
  const { smtp_status: status, smtp_response_code: code } = checks
  const isMissing = status === "rejected" && checks.status === "invalid"
  const rating: Rating = status === "accepted" ? "good" : isMissing ? "bad" : code > 0 ? "warn" : "plain"
  return [
    ["Reply", code ? `${plain(replyWords(checks))}, ${code}` : plain(status), rating],
    ["Accept-all", acceptAllWords(result), checks.is_catch_all ? "warn" : "plain"],
    ...(checks.smtp_total_ms > 0 ? [["Time", milliseconds(checks.smtp_total_ms), "plain"] as const] : []),
  ]
}

/** "no" needs a refusal: of this mailbox, or of the random recipient. */
function acceptAllWords(result: Deliverability): string {
  const { is_catch_all: isCatchAll, smtp_status: smtp, status } = result.checks
  if (isCatchAll) return "yes"
  if (smtp === "rejected" && status === "invalid") return "no"
  if (smtp !== "accepted") return "unknown"
  const isRandomRefused = REFUSED_MAILBOX.has(entryOf(result, "random_recipient")?.value ?? "")
  return isRandomRefused || entryOf(result, "status")?.rule === null ? "no" : "unclear"
}
const REFUSED_MAILBOX: ReadonlySet<string> = new Set(["mailbox_missing", "mailbox_disabled"])

function reputationRows(checks: Checks): CheckRow[] {
  const { rbl_listed: listed, rbl_lists_checked: checked } = checks
  const { breach_found: breached, breach_count: breaches, ml_score: chance, gravatar } = checks
  return [
    ["Blocklists", blocklistWords(checks), listed ? "bad" : checked > 0 ? "good" : "plain"],
    [
      "Breaches",
      breached === null ? missing("breach_found", checks) : breached ? `in ${breaches ?? 1}` : "none known",
      "plain",
    ],
    [
      "Gravatar",
      gravatar === null ? missing("gravatar", checks) : gravatar ? "yes" : "none",
      gravatar ? "good" : "plain",
    ],
    ...(chance === null ? [] : [["Delivery probability (model)", percent(chance), "plain"] as const]),
  ]
}

function blocklistWords({ rbl_listed, rbl_lists_matched, rbl_lists_checked: checked }: Checks): string {
  if (rbl_listed) return `the domain's mail hosts are on ${rbl_lists_matched.join(", ")}`
  return checked > 0 ? `the domain's mail hosts are not listed, ${checked} checked` : "not checked"
}
