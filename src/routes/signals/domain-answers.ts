import { z } from "@hono/zod-openapi"
import { getDomain } from "tldts"
import type { Spf } from "../../../schema/wire/spf.ts"
import type { Dmarc } from "../../domain/dns/mail-auth.ts"
import { topLevelExists } from "../../domain/reference/active-lists.ts"
import { mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import { DAY_MS, iso } from "../../domain/time.ts"
import { type DomainFacts, hasLiveMailHost, hasOnlyEmptyMx, mxKindOf } from "../../domain/verification/evidence.ts"
import { arrayOf, component, mxKind, mxValid, tldExists } from "../../http/fields.ts"

const NEW_DAYS = 90

export const Dns = component("DnsCheck", {
  domain: z.string(),
  exists: z.boolean().nullable().openapi({ description: "Null when DNS gave no answer" }),
  tld_exists: tldExists,
  mx_valid: mxValid,
  mx_kind: mxKind,
  mx_records: z.array(z.string()),
  mx: arrayOf({
    host: z.string(),
    preference: z.int(),
    addresses: z.array(z.string()).nullable(),
    is_alias: z.boolean().nullable().openapi({ description: "An alias, which RFC 2181 §10.3 forbids in MX" }),
  }),
  route: z.enum(["mx", "implicit_mx", "null_mx", "no_such_domain", "no_mail_host", "dns_failure"]),
  spf_valid: z.boolean().nullable(),
  spf: z
    .object({
      state: z.enum(["none", "valid", "permerror"]),
      all: z.string().nullable().openapi({ description: "The result for all other senders: -, ~, ? or +" }),
      lookups: z.int().nullable().openapi({ description: "DNS lookups that the record needs; the limit is ten" }),
      problem: z.string().nullable(),
    })
    .nullable(),
  dkim_present: z.boolean().nullable().openapi({
    description: "False: no key at any usual selector. Null: DNS gave no answer, or only an unknown selector exists",
  }),
  dmarc_present: z.boolean().nullable(),
  dmarc: z
    .object({
      policy: z.string().nullable(),
      found_at: z.string().nullable(),
      has_reports: z.boolean().nullable(),
      problem: z.string().nullable(),
    })
    .nullable(),
  mta_sts: z.string().nullable().openapi({ description: "The policy's mode, none, or invalid" }),
  bimi: z.string().nullable(),
  checked_at: z.iso.datetime(),
})

export function presentDns(facts: DomainFacts): z.infer<typeof Dns> {
  const { route, exchangers, spf, dkim, dmarc, mtaSts, bimi } = facts
  const hosts = route.kind === "mx" || route.kind === "implicit_mx" ? route.hosts : []
  return {
    domain: facts.domain,
    exists: route.kind === "dns_failure" && !hasOnlyEmptyMx(route) ? null : route.kind !== "no_such_domain",
    tld_exists: topLevelExists(facts.domain.slice(facts.domain.lastIndexOf(".") + 1)),
    mx_valid: hasLiveMailHost(facts),
    mx_kind: mxKindOf(route),
    mx_records: mailHostsOf(route),
    mx: hosts.map(({ host, preference }) => {
      const found = exchangers?.find((exchanger) => exchanger.host === host)
      return {
        host,
        preference,
        addresses: found?.addresses ? [...found.addresses] : null,
        is_alias: found?.isAlias ?? null,
      }
    }),
    route: route.kind,
    spf_valid: spf ? spf.kind === "valid" : null,
    spf: spf ? presentSpf(spf) : null,
    dkim_present: dkim ? dkim.present : null,
    dmarc_present: dmarc ? dmarc.kind === "record" : null,
    dmarc: dmarc ? presentDmarc(dmarc) : null,
    mta_sts: mtaSts ? (mtaSts.kind === "policy" ? mtaSts.mode : mtaSts.kind) : null,
    bimi: bimi?.kind ?? null,
    checked_at: iso(facts.checkedAt.route ?? 0),
  }
}

function presentSpf(spf: Spf) {
  const { all, lookups } = spf.kind === "valid" ? spf : { all: null, lookups: null }
  return { state: spf.kind, all, lookups, problem: spf.kind === "permerror" ? spf.problem : null }
}

function presentDmarc(dmarc: Dmarc) {
  const { policy, foundAt, hasReports } =
    dmarc.kind === "record" ? dmarc : { policy: null, foundAt: null, hasReports: null }
  const problem = dmarc.kind === "invalid" ? dmarc.problem : null
  return { policy, found_at: foundAt, has_reports: hasReports, problem }
}

export const Dkim = component("DkimCheck", {
  domain: z.string(),
  dkim_present: z.boolean().nullable().openapi({
    description:
      "False: no key found, or only revoked ones; one may exist, because DNS cannot list keys. Null: DNS gave no answer, or shown_by is name",
  }),
  selectors: z.array(z.string()).openapi({ description: "Known selectors with a key that is not revoked" }),
  shown_by: z.enum(["key", "name"]).nullable().openapi({
    description: "name: a name exists below _domainkey, at an unknown selector (RFC 8020); it may hold a key",
  }),
})

export function presentDkim({ domain, dkim }: Pick<DomainFacts, "domain" | "dkim">): z.infer<typeof Dkim> {
  return {
    domain,
    dkim_present: dkim?.present ?? null,
    selectors: [...(dkim?.selectors ?? [])],
    shown_by: dkim?.shownBy ?? null,
  }
}

export const Age = component("DomainAge", {
  domain: z.string(),
  registrable_domain: z.string().nullable(),
  registered_at: z.iso.datetime().nullable(),
  domain_age_days: z.int().nullable().openapi({ description: "Null when the registry gives no date" }),
  is_new: z
    .boolean()
    .nullable()
    .openapi({ description: `Younger than ${NEW_DAYS} days` }),
})

export function presentAge({ domain, registration }: DomainFacts, now: number): z.infer<typeof Age> {
  const at = registration?.kind === "registered" ? registration.at : null
  const days = at === null ? null : Math.max(0, Math.floor((now - at) / DAY_MS))
  return {
    domain,
    registrable_domain: getDomain(domain),
    registered_at: iso(at),
    domain_age_days: days,
    is_new: days === null ? null : days < NEW_DAYS,
  }
}
