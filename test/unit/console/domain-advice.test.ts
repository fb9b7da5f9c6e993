import { describe, expect, test } from "vitest"
import { adviceOn, type DomainState } from "../../../src/console/pages/signals/domain-advice.ts"

interface Found {
  readonly codes: readonly string[]
  readonly dns?: Partial<DomainState["intel"]["dns"]>
  readonly intel?: Partial<DomainState["intel"]>
  readonly hasDkim?: boolean | null
}

const RECORD = { policy: "reject", found_at: "example.test", has_reports: true, problem: null }
const SPF = { state: "valid", all: "-", lookups: 1, problem: null } as const
const HOST = { host: "mx.example.test", preference: 10, addresses: ["192.0.2.1"], is_alias: false }

/** A domain with every record, except for what is given. */
function state({ codes, dns = {}, intel = {}, hasDkim = true }: Found): DomainState {
  const domain = "example.test"
  return {
    rating: {
      domain,
      deliverability_score: 90,
      grade: "A",
      reasons: codes.map((code) => ({ code, points: 0, message: code, fix: null, missing: null })),
    },
    dkim: { domain, dkim_present: hasDkim, selectors: [], shown_by: null },
    intel: {
      domain,
      provider: "other",
      is_catch_all: null,
      catch_all_checked_on: null,
      catch_all_probes: 0,
      is_disposable: false,
      is_free_provider: false,
      is_corporate: true,
      is_government: false,
      is_education: false,
      web_presence: "live",
      parked_at: null,
      age: { domain, registrable_domain: domain, registered_at: null, domain_age_days: null, is_new: null },
      dns: {
        domain,
        exists: true,
        tld_exists: null,
        mx_valid: true,
        mx_kind: "mx",
        mx_records: [HOST.host],
        mx: [HOST],
        route: "mx",
        spf_valid: true,
        spf: SPF,
        dkim_present: true,
        dmarc_present: true,
        dmarc: RECORD,
        mta_sts: "enforce",
        bimi: "record",
        checked_at: "2026-11-23T00:00:00.000Z",
        ...dns,
      },
      format: null,
      verifications: {},
      ...intel,
    },
  }
}

const codesOf = (found: Found) => adviceOn(state(found)).map(({ code }) => code)
const recordsFor = (found: Found) => adviceOn(state(found)).flatMap(({ records }) => records)

const COMPLETE = ["mx_valid", "spf_valid", "dkim_present", "dmarc_enforced", "mta_sts", "rbl_clean"]

describe("the advice on a domain", () => {
  test.each<[string, Found, readonly string[]]>([
    ["a complete domain needs none", { codes: COMPLETE }, []],
    [
      "the most important comes first",
      {
        codes: ["mta_sts_missing", "dmarc_missing", "dkim_not_found", "spf_missing", "rbl_listed"],
        dns: { dmarc: null },
        hasDkim: false,
      },
      ["rbl_listed", "spf_missing", "dkim_not_found", "dmarc_missing", "mta_sts_missing"],
    ],
    [
      "a broken SPF record is named by its problem",
      { codes: ["spf_broken"], dns: { spf: { state: "permerror", all: null, lookups: null, problem: "loop" } } },
      ["spf_loop"],
    ],
    ["a key at an unusual selector is a key", { codes: ["dkim_not_found"], hasDkim: true }, []],
    ["an unknown key is no missing key", { codes: ["dkim_not_found"], hasDkim: null }, []],
    ["nine of ten SPF lookups", { codes: COMPLETE, dns: { spf: { ...SPF, lookups: 9 } } }, ["spf_near_limit"]],
    ["eight of ten SPF lookups", { codes: COMPLETE, dns: { spf: { ...SPF, lookups: 8 } } }, []],
    ["an alias in MX", { codes: COMPLETE, dns: { mx: [{ ...HOST, is_alias: true }] } }, ["mx_alias"]],
    [
      "one of two MX hosts without an address",
      { codes: COMPLETE, dns: { mx: [HOST, { ...HOST, addresses: [] }] } },
      ["mx_partly_dead"],
    ],
    [
      "DMARC without reports",
      { codes: COMPLETE, dns: { dmarc: { ...RECORD, has_reports: false } } },
      ["dmarc_without_reports"],
    ],
    ["MTA-STS in mode testing", { codes: COMPLETE, dns: { mta_sts: "testing" } }, ["mta_sts_testing"]],
    ["no BIMI beside an enforced DMARC policy", { codes: COMPLETE, dns: { bimi: "none" } }, ["bimi_missing"]],
    [
      "no BIMI while DMARC enforces nothing",
      { codes: ["mx_valid", "dmarc_none"], dns: { bimi: "none", dmarc: { ...RECORD, policy: "none" } } },
      ["dmarc_none"],
    ],
    [
      "a domain without mail declares that it sends none",
      {
        codes: ["null_mx", "spf_unknown"],
        dns: { route: "null_mx", mx: [], spf: { state: "none", all: null, lookups: null, problem: null } },
      },
      ["null_mx_without_spf"],
    ],
  ])("%s", (_, found, expected) => {
    expect(codesOf(found)).toEqual(expected)
  })
})

test("a code without a row shows the API's fix", () => {
  const found = state({ codes: [] })
  const reason = { code: "ptr_missing", points: 0, message: "no reverse name", missing: null }
  const rating = { ...found.rating, reasons: [{ ...reason, fix: "publish a reverse name" }] }
  expect(adviceOn({ ...found, rating })).toEqual([
    { code: "ptr_missing", level: "improve", sentence: "Publish a reverse name.", records: [] },
  ])
})

describe("the records to publish", () => {
  test.each([
    ["google", "v=spf1 include:_spf.google.com ~all"],
    ["microsoft365", "v=spf1 include:spf.protection.outlook.com ~all"],
    ["other", "v=spf1 mx ~all"],
  ])("SPF of a domain whose mail operator is %s", (provider, text) => {
    expect(recordsFor({ codes: ["spf_missing"], intel: { provider } })).toEqual([
      { place: "TXT record at example.test", text },
    ])
  })

  test("DMARC goes to the organizational domain", () => {
    const age = { domain: "a.example.test", registered_at: null, domain_age_days: null, is_new: null }
    const intel = { domain: "a.example.test", age: { ...age, registrable_domain: "example.test" } }
    expect(recordsFor({ codes: ["dmarc_missing"], intel })).toEqual([
      { place: "TXT record at _dmarc.example.test", text: "v=DMARC1; p=none; rua=mailto:dmarc@example.test" },
    ])
  })

  test("MTA-STS is a record and a policy with every MX host", () => {
    const mx_records = ["mx1.example.test", "mx2.example.test"]
    expect(recordsFor({ codes: ["mta_sts_missing"], dns: { mx_records } })).toEqual([
      { place: "TXT record at _mta-sts.example.test", text: "v=STSv1; id=1" },
      {
        place: "File at https://mta-sts.example.test/.well-known/mta-sts.txt",
        text: "version: STSv1\nmode: testing\nmx: mx1.example.test\nmx: mx2.example.test\nmax_age: 604800\n",
      },
    ])
  })
})
