import type { DkimKeys, DomainIntel, DomainRating } from "../../api/shapes.ts"
import { plain } from "../../words.ts"

export interface DomainState {
  readonly rating: DomainRating
  readonly intel: DomainIntel
  readonly dkim: DkimKeys
}

/** fix: mail is lost or rejected. improve: mail arrives, but is less protected. */
export type Level = "fix" | "improve" | "optional"

export interface Advice {
  /** The check that failed, as the API names it, or one of this page's own. */
  readonly code: string
  readonly level: Level
  readonly sentence: string
  readonly records: readonly Publication[]
}

/** Each failing or weak check with its fix, the most important first. */
const TABLE: readonly (readonly [code: string, level: Level, sentence: string])[] = [
  ["no_such_domain", "fix", "Register the domain, or check its spelling: it does not exist."],
  ["dns_failure", "fix", "Check that the domain's name servers answer, then check the domain again."],
  ["mx_unusable", "fix", "Put the name of a mail host into each MX record: none of them has one."],
  ["mx_dead", "fix", "Publish address records for the mail hosts, or name other hosts in MX: none has an address."],
  ["no_mail_host", "fix", "Publish an MX record with the name of your mail server. Without one, mail is returned."],
  ["rbl_listed", "fix", "Find the cause on the blocklist's website, stop it, and then request removal."],
  ["spf_several_records", "fix", "Join the SPF records into one. With several, receivers ignore all of them."],
  ["spf_syntax", "fix", "Correct the syntax of the SPF record. Receivers ignore a malformed one."],
  ["spf_too_many_lookups", "fix", "Remove include, a and mx terms from SPF until at most 10 DNS lookups remain."],
  ["spf_too_many_void_lookups", "fix", "Remove the SPF terms whose names no longer exist."],
  ["spf_include_without_record", "fix", "Remove the SPF include whose domain has no SPF record."],
  ["spf_loop", "fix", "Remove the SPF include that leads back to this domain."],
  ["spf_missing", "fix", "Publish an SPF record with the servers that send your mail. Add your other senders to it."],
  ["dkim_not_found", "fix", "Turn on DKIM at your mail provider, and publish the key that it shows you."],
  ["dmarc_broken", "fix", "Replace the DMARC record: receivers cannot read it."],
  ["dmarc_missing", "fix", "Publish a DMARC record. Begin with reports only, sent to a mailbox of yours."],
  ["null_mx_without_spf", "improve", "Declare that the domain sends no mail, so that others cannot send in its name."],
  ["mx_missing", "improve", "Publish an MX record. Mail goes to the web address now, which some senders refuse."],
  ["mx_partly_dead", "improve", "Remove the MX hosts without an address, or publish address records for them."],
  [
    "mx_alias",
    "improve",
    "Name the real host in MX: an alias (CNAME) is not allowed there, and some senders refuse it.",
  ],
  ["spf_open", "improve", "End the SPF record in ~all or -all. As it is, any server may send in your name."],
  ["dmarc_none", "improve", "Change DMARC to p=quarantine, and later to p=reject: now forged mail is still delivered."],
  ["parked", "improve", "Replace the parking page by a website: receivers distrust parked domains."],
  ["domain_young", "improve", "Send few messages at first, and more each week: receivers distrust new domains."],
  ["mta_sts_broken", "improve", "Correct the MTA-STS policy, or remove its record: senders cannot use it."],
  [
    "dmarc_without_reports",
    "improve",
    "Add a rua address to the DMARC record, so that receivers report forged mail to you.",
  ],
  [
    "spf_near_limit",
    "improve",
    "Remove SPF terms that you no longer need: the record is close to the 10 DNS lookups allowed.",
  ],
  ["mta_sts_testing", "optional", "Change the MTA-STS policy to mode: enforce once its reports show no failures."],
  [
    "mta_sts_missing",
    "optional",
    "Publish an MTA-STS policy in testing mode: senders then report TLS failures to you, and still deliver. Mode enforce makes them deliver only over TLS.",
  ],
  ["bimi_invalid", "optional", "Correct the BIMI record: its logo must be an SVG file at an https:// address."],
  ["bimi_missing", "optional", "Publish a BIMI record to show your logo beside your mail."],
]

const LISTED: ReadonlySet<string> = new Set(TABLE.map(([code]) => code))

/** SPF lookups from which a further include soon exceeds the limit of 10 (RFC 7208 §4.6.4). */
const NEAR_LIMIT = 9

/** Returns what the owner of a domain should fix, the most important first. */
export function adviceOn(state: DomainState): Advice[] {
  const codes = codesOf(state)
  const known = TABLE.filter(([code]) => codes.has(code)).map(([code, level, sentence]) => ({
    code,
    level,
    sentence,
    records: RECORDS[code]?.(state.intel) ?? [],
  }))
  return [...known, ...unlisted(state, codes)]
}

/** The API's own fixes for codes without a row. */
const unlisted = ({ rating }: DomainState, codes: ReadonlySet<string>): Advice[] =>
  rating.reasons.flatMap(({ code, fix }) =>
    fix === null || !codes.has(code) || LISTED.has(code)
      ? []
      : [{ code, level: "improve", sentence: `${plain(fix)}.`, records: [] }],
  )

/** The codes of the API, and those of weaknesses that its score does not count. */
function codesOf({ rating, intel: { dns }, dkim }: DomainState): ReadonlySet<string> {
  const codes = new Set(rating.reasons.map(({ code }) => code))
  // The search for all selectors finds more keys than the score knows.
  if (dkim.dkim_present !== false) codes.delete("dkim_not_found")
  const { spf, dmarc } = dns
  const spfProblem = `spf_${spf?.problem}`
  if (LISTED.has(spfProblem) && codes.delete("spf_broken")) codes.add(spfProblem)
  const dead = dns.mx.filter(({ addresses }) => addresses?.length === 0).length
  const isProtected = dmarc?.policy === "quarantine" || dmarc?.policy === "reject"
  const found: readonly (readonly [string, boolean])[] = [
    ["spf_near_limit", (spf?.lookups ?? 0) >= NEAR_LIMIT],
    ["null_mx_without_spf", dns.route === "null_mx" && spf?.state === "none"],
    ["mx_partly_dead", dead > 0 && dead < dns.mx.length],
    ["mx_alias", dns.mx.some(({ is_alias }) => is_alias === true)],
    ["dmarc_without_reports", dmarc?.has_reports === false],
    ["mta_sts_testing", dns.mta_sts === "testing"],
    ["bimi_invalid", dns.bimi === "invalid"],
    ["bimi_missing", dns.bimi === "none" && isProtected && codes.has("mx_valid")],
  ]
  for (const [code, applies] of found) if (applies) codes.add(code)
  return codes
}

/** A DNS record or a file to publish. */
export interface Publication {
  /** "TXT record at _dmarc.example.com". */
  readonly place: string
  readonly text: string
}

/** The SPF term of a mail operator, by the API's name for it. */
const SPF_TERMS: Readonly<Record<string, string>> = {
  google: "include:_spf.google.com",
  microsoft365: "include:spf.protection.outlook.com",
  fastmail: "include:spf.messagingengine.com",
  proton: "include:_spf.protonmail.ch",
}

const txt = (name: string, text: string): Publication => ({ place: `TXT record at ${name}`, text })

/** A policy of a subdomain belongs to its organizational domain, where it covers all names (RFC 7489 §6.6.3). */
const organizationOf = ({ domain, age }: DomainIntel): string => age.registrable_domain ?? domain

function dmarcRecord(intel: DomainIntel): Publication[] {
  const organization = organizationOf(intel)
  return [txt(`_dmarc.${organization}`, `v=DMARC1; p=none; rua=mailto:dmarc@${organization}`)]
}

function mtaStsRecords({ domain, dns }: DomainIntel): Publication[] {
  const hosts = dns.mx_records.map((host) => `mx: ${host}\n`).join("")
  return [
    txt(`_mta-sts.${domain}`, "v=STSv1; id=1"),
    {
      place: `File at https://mta-sts.${domain}/.well-known/mta-sts.txt`,
      text: `version: STSv1\nmode: testing\n${hosts}max_age: 604800\n`,
    },
  ]
}

/** What to publish for a code of the advice. A code without an entry has nothing to copy. */
const RECORDS: Readonly<Record<string, (intel: DomainIntel) => Publication[]>> = {
  spf_missing: ({ domain, provider }) => [txt(domain, `v=spf1 ${SPF_TERMS[provider] ?? "mx"} ~all`)],
  dmarc_broken: dmarcRecord,
  dmarc_missing: dmarcRecord,
  null_mx_without_spf: (intel) => [
    txt(intel.domain, "v=spf1 -all"),
    ...(intel.dns.dmarc?.policy == null ? [txt(`_dmarc.${organizationOf(intel)}`, "v=DMARC1; p=reject")] : []),
  ],
  mx_missing: ({ domain }) => [{ place: `MX record at ${domain}`, text: `10 ${domain}.` }],
  mta_sts_missing: mtaStsRecords,
  bimi_missing: ({ domain }) => [txt(`default._bimi.${domain}`, `v=BIMI1; l=https://${domain}/logo.svg`)],
}
