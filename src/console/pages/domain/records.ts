import type { DomainIntel } from "../../api/shapes.ts"

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
export const RECORDS: Readonly<Record<string, (intel: DomainIntel) => Publication[]>> = {
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
