import type { Checks } from "../../api/shapes.ts"
import { type CheckRow, CheckRows, type Rating } from "../../parts/check-rows.tsx"
import { Panel } from "../../parts/page.tsx"
import { count, milliseconds, percent, plain } from "../../words.ts"

export function CheckList({ checks }: { checks: Checks }) {
  return (
    <Panel title="All checks">
      {Object.entries(groupsOf(checks)).map(([title, rows]) => (
        <CheckRows key={title} title={title} rows={rows} />
      ))}
    </Panel>
  )
}

function groupsOf(checks: Checks): Record<string, CheckRow[]> {
  // Malformed syntax skips all other checks.
  if (!checks.syntax_valid) return { Address: addressRows(checks).slice(0, 1) }
  return {
    Address: addressRows(checks),
    Domain: domainRows(checks),
    "Mail server": serverRows(checks),
    Reputation: reputationRows(checks),
  }
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
    ["Role account", checks.is_role_account ? "yes" : "no", checks.is_role_account ? "warn" : "good"],
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
  const rating: Rating = status === "accepted" ? "good" : status === "rejected" ? "bad" : "plain"
  const isSettled = checks.status !== "unknown" && rating !== "plain"
  const acceptAll = checks.is_catch_all ? "yes" : isSettled ? "no" : "unknown"
  return [
    ["Reply", code ? `${plain(status)}, ${code}` : plain(status), rating],
    ["Accept-all", acceptAll, checks.is_catch_all ? "warn" : "plain"],
    ...(checks.smtp_total_ms > 0 ? [["Time", milliseconds(checks.smtp_total_ms), "plain"] as const] : []),
  ]
}

function reputationRows(checks: Checks): CheckRow[] {
  const { rbl_listed: listed, rbl_lists_matched: lists, rbl_lists_checked: checked } = checks
  const { breach_found: breached, breach_count: breaches, ml_score: chance, gravatar } = checks
  const blocklists = listed ? `on ${lists.join(", ")}` : checked > 0 ? `not listed, ${checked} checked` : "not checked"
  return [
    ["Blocklists", blocklists, listed ? "bad" : checked > 0 ? "good" : "plain"],
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
