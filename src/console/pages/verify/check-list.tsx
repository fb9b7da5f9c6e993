import type { Checks } from "../../api/shapes.ts"
import { type CheckRow, Mark, RatedRows, type Rating, WORST_FIRST, worst } from "../../parts/check-rows.tsx"
import { Panel } from "../../parts/page.tsx"
import { count, milliseconds, percent, plain } from "../../words.ts"

interface Group {
  readonly title: string
  /** The group in one line. */
  readonly summary: string
  readonly rows: readonly CheckRow[]
}

/** The checks by importance: first the group that decided, then those that speak against the address. */
export function CheckList({ checks }: { checks: Checks }) {
  return (
    <Panel title="Checks" note="Most important first">
      {groupsOf(checks).map((group, i) => (
        <details key={group.title} class="check-group" open={i === 0}>
          <summary>
            <Mark rating={worst(group.rows)} />
            <h3>{group.title}</h3>
            <span class="soft small break">{group.summary}</span>
          </summary>
          <RatedRows rows={group.rows} />
        </details>
      ))}
    </Panel>
  )
}

function groupsOf(checks: Checks): Group[] {
  const address: Group = { title: "Address", summary: addressSummary(checks), rows: addressRows(checks) }
  // Malformed syntax skips all other checks.
  if (!checks.syntax_valid) return [{ ...address, rows: address.rows.slice(0, 1) }]
  const domain: Group = { title: "Domain", summary: domainSummary(checks), rows: domainRows(checks) }
  const server: Group = { title: "Mail server", summary: serverSummary(checks), rows: serverRows(checks) }
  const reputation: Group = { title: "Reputation", summary: blocklistWords(checks), rows: reputationRows(checks) }
  const isDecidedByDomain = checks.smtp_status === "skipped" && (checks.mx_records.length === 0 || !checks.mx_valid)
  const [decisive, other] = isDecidedByDomain ? [domain, server] : [server, domain]
  const rank = (rows: readonly CheckRow[]) => Math.min(2, WORST_FIRST.indexOf(worst(rows)))
  return [decisive, ...[other, address, reputation].toSorted((a, b) => rank(a.rows) - rank(b.rows))]
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
    : `${provider}, ${hosts.length === 1 ? "1 mail host" : `${hosts.length} mail hosts`}`
}

function serverSummary({ smtp_status: status, smtp_response_code: code, is_catch_all }: Checks): string {
  if (status === "skipped") return "not contacted"
  return [code ? `${status} with ${code}` : status, ...(is_catch_all ? ["accepts every address"] : [])].join(", ")
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
    ["Operator", checks.provider, "plain"],
    ["SPF", checks.spf_valid ? "valid" : "not found", checks.spf_valid ? "good" : "plain"],
    ["DKIM", checks.dkim_present ? "present" : "not found", checks.dkim_present ? "good" : "plain"],
    ["Website", checks.web_presence === null ? missing("web_presence", checks) : plain(checks.web_presence), "plain"],
    [
      "Age",
      age === null ? missing("domain_age_days", checks) : `${count(age)} days`,
      age !== null && age < 30 ? "warn" : "plain",
    ],
  ]
}

/** Why a check has no result, in words. */
function missing(field: keyof Checks, { null_reasons }: Checks): string {
  const reason = null_reasons[field]
  return reason === undefined || reason === "not_requested" ? "not checked" : plain(reason).toLowerCase()
}

function serverRows(checks: Checks): CheckRow[] {
  const { smtp_status: status, smtp_response_code: code } = checks
  const rating: Rating =
    status === "accepted" ? "good" : status === "rejected" ? (checks.status === "invalid" ? "bad" : "warn") : "plain"
  const isSettled = checks.status !== "unknown" && rating !== "plain"
  const acceptAll = checks.is_catch_all ? "yes" : isSettled ? "no" : "unknown"
  return [
    ["Reply", code ? `${plain(status)}, ${code}` : plain(status), rating],
    ["Accept-all", acceptAll, checks.is_catch_all ? "warn" : "plain"],
    ...(checks.smtp_total_ms > 0 ? [["Time", milliseconds(checks.smtp_total_ms), "plain"] as const] : []),
  ]
}

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
  if (rbl_listed) return `on ${rbl_lists_matched.join(", ")}`
  return checked > 0 ? `not listed, ${checked} checked` : "not checked"
}
