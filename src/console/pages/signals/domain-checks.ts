import type { CheckRow, Rating } from "../../parts/check-rows.tsx"
import { count, operatorName, plain } from "../../words.ts"
import type { DomainState } from "./domain-advice.ts"

export function checksOf(state: DomainState): Readonly<Record<string, readonly CheckRow[]>> {
  if (state.intel.dns.route === "no_such_domain") return { "Receiving mail": [mx(state)] }
  return {
    "Receiving mail": [mx(state), mtaSts(state), catchAll(state)],
    "Sending mail": [spf(state), dkim(state), dmarc(state), bimi(state)],
    Reputation: [blocklists(state), age(state), site(state), kind(state)],
  }
}

const UNANSWERED = "no answer, try again later"

function mx({ intel: { dns, provider } }: DomainState): CheckRow {
  const hosts = dns.mx_records
  const shown = hosts.slice(0, 3).join(", ") + (hosts.length > 3 ? ` and ${hosts.length - 3} more` : "")
  const operator = provider === "other" || provider === "none" ? "" : ` (${operatorName(provider)})`
  switch (dns.route) {
    case "mx":
      return ["MX", shown + operator, dns.mx_valid ? "good" : "bad"]
    case "implicit_mx":
      return ["MX", "no record; mail goes to the domain's own address", "warn"]
    case "null_mx":
      return ["MX", "null MX: accepts no mail", "plain"]
    case "no_such_domain":
      return ["MX", "the domain does not exist", "bad"]
    case "no_mail_host":
      return ["MX", "no mail host", "bad"]
    case "dns_failure":
      return dns.exists === null ? ["MX", UNANSWERED, "plain"] : ["MX", "no record names a host", "bad"]
  }
}

const MTA_STS: Readonly<Record<string, readonly [string, Rating]>> = {
  none: ["not published", "plain"],
  invalid: ["cannot be used", "bad"],
  enforce: ["enforced: senders need TLS", "good"],
  testing: ["testing: failures are only reported", "warn"],
}

function mtaSts({ intel: { dns } }: DomainState): CheckRow {
  if (dns.mta_sts === null) return ["MTA-STS", UNANSWERED, "plain"]
  const [words, rating] = MTA_STS[dns.mta_sts] ?? [dns.mta_sts, "plain"]
  return ["MTA-STS", words, rating]
}

function catchAll({ intel: { is_catch_all: isCatchAll } }: DomainState): CheckRow {
  if (isCatchAll === null) return ["Accept-all", "not known yet", "plain"]
  return isCatchAll
    ? ["Accept-all", "accepts every address, so that mailboxes cannot be confirmed", "warn"]
    : ["Accept-all", "no, it rejects unknown mailboxes", "good"]
}

/** A domain that accepts no mail often sends none. */
const missing = ({ route }: DomainState["intel"]["dns"]): Rating => (route === "null_mx" ? "warn" : "bad")

/** What SPF says about all servers that it does not name. */
const OTHERS: Readonly<Record<string, string>> = {
  "-": "rejects other servers (-all)",
  "~": "marks other servers (~all)",
  "?": "says nothing about other servers (?all)",
  "+": "permits every server (+all)",
}

function spf({ intel: { dns } }: DomainState): CheckRow {
  if (!dns.spf) return ["SPF", UNANSWERED, "plain"]
  const { state, all, lookups, problem } = dns.spf
  if (state === "none") return ["SPF", "not published", missing(dns)]
  if (state === "permerror") return ["SPF", `cannot be used: ${plain(problem ?? "error").toLowerCase()}`, "bad"]
  const others = OTHERS[all ?? ""] ?? "does not say what applies to other servers"
  const limit = lookups === null ? "" : `, ${lookups} of 10 DNS lookups`
  return ["SPF", `valid, ${others}${limit}`, all === "-" || all === "~" ? "good" : "warn"]
}

function dkim({ dkim, intel: { dns } }: DomainState): CheckRow {
  const { dkim_present: isPresent, selectors, shown_by: shownBy } = dkim
  if (selectors.length > 0)
    return ["DKIM", `${selectors.length === 1 ? "selector" : "selectors"} ${selectors.join(", ")}`, "good"]
  if (isPresent) return ["DKIM", "present", "good"]
  if (shownBy === "name") return ["DKIM", "may exist at an unknown selector", "plain"]
  return isPresent === null
    ? ["DKIM", UNANSWERED, "plain"]
    : ["DKIM", "no key at any selector that mail services use", dns.route === "null_mx" ? "plain" : "bad"]
}

function dmarc({ intel: { dns, domain } }: DomainState): CheckRow {
  if (!dns.dmarc) return ["DMARC", UNANSWERED, "plain"]
  const { policy, found_at: place, has_reports: hasReports, problem } = dns.dmarc
  if (problem !== null) return ["DMARC", "cannot be read", "bad"]
  if (policy === null) return ["DMARC", "not published", missing(dns)]
  const reports = hasReports ? ", with reports" : ", without reports"
  const inherited = place !== null && place !== domain ? `, from ${place}` : ""
  return ["DMARC", `p=${policy}${reports}${inherited}`, policy === "none" ? "warn" : "good"]
}

const BIMI: Readonly<Record<string, readonly [string, Rating]>> = {
  none: ["not published", "plain"],
  declined: ["declined by the domain", "plain"],
  invalid: ["cannot be used", "bad"],
  record: ["logo published", "good"],
}

function bimi({ intel: { dns } }: DomainState): CheckRow {
  const [words, rating] = BIMI[dns.bimi ?? ""] ?? [UNANSWERED, "plain"]
  return ["BIMI", words, rating]
}

function blocklists({ rating: { reasons } }: DomainState): CheckRow {
  const reason = reasons.find(({ code }) => code.startsWith("rbl_"))
  if (reason?.code === "rbl_clean") return ["Blocklists", "mail hosts are not listed", "good"]
  if (reason?.code === "rbl_listed") return ["Blocklists", reason.message, "bad"]
  const isUnanswered = reason?.missing === "no_answer"
  return ["Blocklists", isUnanswered ? UNANSWERED : "not checked", "plain"]
}

function age({ intel, rating: { reasons } }: DomainState): CheckRow {
  const { domain_age_days: days, is_new: isNew } = intel.age
  const unknown = reasons.find(({ code }) => code === "domain_age_unknown")
  if (days === null && unknown) return ["Age", unknown.missing === "no_answer" ? UNANSWERED : "not checked", "plain"]
  if (days === null) return ["Age", "the registry publishes no date", "plain"]
  return ["Age", days === 1 ? "1 day" : `${count(days)} days`, isNew ? "warn" : "good"]
}

function site({ intel: { parked_at: parkedAt, web_presence: web } }: DomainState): CheckRow {
  if (parkedAt !== null) return ["Website", `parked at ${parkedAt}`, "warn"]
  if (web === null) return ["Website", UNANSWERED, "plain"]
  return web === "live"
    ? ["Website", "live", "good"]
    : ["Website", web === "none" ? "none" : "returns an error", "plain"]
}

function kind({ intel }: DomainState): CheckRow {
  const kinds: readonly (readonly [boolean, string])[] = [
    [intel.is_disposable, "disposable"],
    [intel.is_free_provider, "free provider"],
    [intel.is_government, "government"],
    [intel.is_education, "education"],
    [intel.is_corporate, "company"],
  ]
  const words = kinds.filter(([is]) => is).map(([, name]) => name)
  return ["Kind", words.join(", ") || "no special kind", intel.is_disposable ? "bad" : "plain"]
}
