import { counted } from "../counted.ts"
import { findOperator } from "../smtp-reply/operators.ts"
import { DAY_MS } from "../time.ts"
import { type DomainFacts, hasMailHost, hasOnlyEmptyMx } from "../verification/evidence.ts"

/** Why a signal is missing. `not_published`: by the domain or its registry. `not_configured`: in this service. */
export const MISSING_SIGNALS = ["no_answer", "not_published", "not_configured", "not_applicable"] as const
type Missing = (typeof MISSING_SIGNALS)[number]

/** A signal of the score, with a fix for the domain's owner. */
interface Reason {
  readonly code: string
  readonly points: number
  readonly message: string
  /** Null when no fix is needed or possible. */
  readonly fix: string | null
  /** Null when the signal is known. */
  readonly missing: Missing | null
}

export interface Deliverability {
  /** 0 to 100. Null when DNS gave no answer. */
  readonly score: number | null
  /** Every signal. Their points add up to the score, or to 0 without a score. */
  readonly reasons: readonly Reason[]
}

const YOUNG_DAYS = 90

/** Scores how well mail to and from a domain should arrive. @param now Unix milliseconds */
export function assessDomain(facts: DomainFacts, now: number): Deliverability {
  const mail = route(facts)
  if (!hasMailHost(facts.route)) {
    const isUnknown = facts.route.kind === "dns_failure" && !hasOnlyEmptyMx(facts.route)
    const why = isUnknown ? "the mail route is unknown" : "the domain has no mail host"
    const others = SIGNALS.map((name) => missing(name, "not_applicable", `not counted, because ${why}`))
    return { score: isUnknown ? null : 0, reasons: [mail, ...others] }
  }
  const reasons = [
    mail,
    spf(facts),
    dkim(facts),
    dmarc(facts),
    transport(facts),
    blocklists(facts),
    age(facts, now),
    site(facts),
  ]
  const sum = reasons.reduce((points, reason) => points + reason.points, 0)
  const score = Math.max(0, Math.min(100, sum))
  if (score !== sum) reasons.push(reason("limit", score - sum, "the score is limited to 0 to 100"))
  return { score, reasons }
}

const SIGNALS = ["spf", "dkim", "dmarc", "mta_sts", "rbl", "domain_age", "site"] as const

function route({ route, exchangers }: DomainFacts): Reason {
  switch (route.kind) {
    case "mx": {
      const dead = exchangers?.filter(({ addresses }) => addresses?.length === 0) ?? []
      if (exchangers && exchangers.length > 0 && dead.length === exchangers.length) {
        const fix = "publish address records for the mail hosts, or list other hosts in MX"
        return reason("mx_dead", 0, "no mail host has an address", fix)
      }
      const operator = findOperator(route.hosts[0]?.host)
      return reason("mx_valid", 35, `mail goes to ${operator?.name ?? "the domain's own server"}`)
    }
    case "implicit_mx": {
      const message = "the domain has no MX record; mail goes to its web address"
      return reason("mx_missing", 20, message, "publish an MX record")
    }
    case "null_mx":
      return reason("null_mx", 0, "the domain declares that it accepts no mail")
    case "no_such_domain":
      return reason("no_such_domain", 0, "the domain does not exist", "check the spelling, or register it")
    case "no_mail_host":
      return reason("no_mail_host", 0, "the domain has no mail host", "publish an MX record")
    case "dns_failure":
      if (hasOnlyEmptyMx(route))
        return reason("mx_unusable", 0, "no MX record names a host", "publish MX records with a host name each")
      return reason("dns_failure", 0, "DNS gave no answer", "check that the name servers answer")
  }
}

function spf({ spf }: DomainFacts): Reason {
  if (!spf) return unanswered("spf", "DNS")
  const toPublish = "publish v=spf1 with the servers that send your mail, ending in -all or ~all"
  if (spf.kind === "none") return unpublished("spf", "no SPF record", toPublish)
  if (spf.kind === "permerror") {
    const [words, fix] = SPF_PROBLEMS[spf.problem]
    return reason("spf_broken", 0, `the SPF record cannot be used: ${words} at ${spf.at}`, fix)
  }
  if (spf.all === "+" || spf.all === "?" || spf.all === null)
    return reason("spf_open", 8, "the SPF record permits any sender", "end it in -all or ~all")
  return reason("spf_valid", 15, "SPF names the permitted senders")
}

/** Each problem of an SPF record in words, with its fix. */
const SPF_PROBLEMS = {
  several_records: ["several SPF records", "join the SPF records into one"],
  syntax: ["a syntax error", "correct the syntax of the record"],
  too_many_lookups: [
    "more than ten DNS lookups",
    "use fewer include, a, mx and redirect terms: at most ten, counted through all includes",
  ],
  too_many_void_lookups: ["more than two names that do not exist", "remove terms whose names no longer exist"],
  include_without_record: ["an include without an SPF record", "remove the include whose domain has no SPF record"],
  loop: ["an endless loop", "remove the include that refers back to the domain"],
} as const

const DMARC_PROBLEMS = {
  several_records: "several DMARC records",
  syntax: "a syntax error",
  no_policy: "no policy",
} as const

function dkim({ dkim }: DomainFacts): Reason {
  if (!dkim) return unanswered("dkim", "DNS")
  if (dkim.present === null)
    return missing("dkim", "no_answer", "a name exists below _domainkey, but no key at any usual selector")
  if (dkim.present) return reason("dkim_present", 15, "DKIM keys are published")
  const fix = "sign your mail and publish the key from your mail provider"
  return { ...unpublished("dkim", "no DKIM key at any usual selector", fix), code: "dkim_not_found" }
}

function dmarc({ dmarc }: DomainFacts): Reason {
  if (!dmarc) return unanswered("dmarc", "DNS")
  const toPublish = "publish v=DMARC1; p=none with a rua address, then change it to quarantine and reject"
  if (dmarc.kind === "none") return unpublished("dmarc", "no DMARC record", toPublish)
  if (dmarc.kind === "invalid") {
    const message = `the DMARC record cannot be used: ${DMARC_PROBLEMS[dmarc.problem]}`
    return reason("dmarc_broken", 0, message, "correct the record")
  }
  if (dmarc.policy === "none")
    return reason("dmarc_none", 8, "DMARC only reports", "change it to p=quarantine, then p=reject")
  return reason("dmarc_enforced", 15, `DMARC policy for forged mail: ${dmarc.policy}`)
}

function transport({ mtaSts }: DomainFacts): Reason {
  if (!mtaSts) return unanswered("mta_sts", "DNS")
  if (mtaSts.kind === "none")
    return unpublished("mta_sts", "no MTA-STS policy", "publish an MTA-STS policy, so that mail to you is encrypted")
  if (mtaSts.kind === "invalid")
    return reason("mta_sts_broken", 0, "the MTA-STS policy cannot be used", "correct it, or remove the record")
  return reason("mta_sts", 3, `MTA-STS in mode ${mtaSts.mode}`)
}

function blocklists({ rbl }: DomainFacts): Reason {
  if (!rbl || (rbl.checked.length === 0 && rbl.notConsulted.length > 0)) return unanswered("rbl", "the blocklists")
  if (rbl.checked.length === 0) return missing("rbl", "not_configured", "the service queries no blocklist")
  if (rbl.matched.length === 0) return reason("rbl_clean", 10, "none of the queried blocklists contains the mail hosts")
  const fix = "find the cause on the blocklist's site, and request removal"
  return reason("rbl_listed", -15 * rbl.matched.length, `mail hosts are listed at ${rbl.matched.join(", ")}`, fix)
}

function age({ registration }: DomainFacts, now: number): Reason {
  if (!registration) return unanswered("domain_age", "the registry")
  if (registration.kind === "unknown") return unpublished("domain_age", "the registry publishes no date", null)
  const days = Math.floor((now - registration.at) / DAY_MS)
  if (days < YOUNG_DAYS)
    return reason("domain_young", -10, `registered ${counted(days, "day")} ago`, "send little mail at first")
  return reason("domain_aged", 5, `registered ${counted(days, "day")} ago`)
}

function site({ web }: DomainFacts): Reason {
  if (!web) return unanswered("site", "the website")
  if (web.parkedAt !== null)
    return reason("parked", -20, `the domain is parked at ${web.parkedAt}`, "publish a website")
  if (web.site === "none") return unpublished("site", "the domain has no website", null)
  return web.site === "live"
    ? reason("site_live", 5, "the domain has a website")
    : reason("site_error", 0, "the website answers with an error")
}

function reason(code: string, points: number, message: string, fix: string | null = null): Reason {
  return { code, points, message, fix, missing: null }
}

function unpublished(name: (typeof SIGNALS)[number], message: string, fix: string | null): Reason {
  return { code: `${name}_missing`, points: 0, message, fix, missing: "not_published" }
}

function unanswered(name: (typeof SIGNALS)[number], source: string): Reason {
  return missing(name, "no_answer", `${source} gave no answer: try again later`)
}

function missing(name: (typeof SIGNALS)[number], why: Missing, message: string): Reason {
  return { code: `${name}_unknown`, points: 0, message, fix: null, missing: why }
}
