import { describe, expect, test } from "vitest"
import { call, postJson } from "../support/stack/api.ts"

const get = (path: string, query: Record<string, string>) =>
  call("GET", path, { at: `${path}?${new URLSearchParams(query)}` })

const at = (template: string, value: string) =>
  call("GET", template, { at: template.replace("{domain}", encodeURIComponent(value)) })

describe("checks of a domain", () => {
  test("/check/dns shows the published records", async () => {
    const { body } = await get("/check/dns", { domain: "https://www.facts.test/x" })
    expect(body).toMatchObject({
      domain: "facts.test",
      exists: true,
      mx_valid: true,
      mx_records: ["mx.facts.test"],
      route: "mx",
      spf_valid: true,
      spf: { state: "valid", all: "-" },
      dmarc: { policy: "quarantine", has_reports: true },
    })
  })

  test.each([
    ["null-mx.test", { route: "null_mx", exists: true, mx_valid: false }],
    ["surely-not-there.test", { route: "no_such_domain", exists: false, mx_records: [] }],
    ["servfail.test", { route: "dns_failure", exists: null }],
    ["two-spf.test", { spf_valid: false, spf: { state: "permerror", problem: "several_records" } }],
  ])("/check/dns of %s", async (domain, expected) => {
    expect((await get("/check/dns", { domain })).body).toMatchObject(expected)
  })

  test("/check/dkim", async () => {
    for (const [domain, selector] of [
      ["facts.test", "default"],
      ["mailbox.test", "s1"],
    ])
      expect((await get("/check/dkim", { domain: domain! })).body).toEqual({
        ...{ domain, dkim_present: true, selectors: [selector], shown_by: "key" },
      })
  })

  test("/check/rbl", async () => {
    const listed = await get("/check/rbl", { mx_host: "mx.listed.test" })
    expect(listed.body).toMatchObject({ mx_host: "mx.listed.test", addresses: [expect.any(String)] })
    expect((await get("/check/rbl", { mx_host: "no-host.sandbox.test" })).body).toMatchObject({ rbl_listed: null })
    const [ip] = listed.body.addresses as string[]
    expect((await get("/check/rbl", { mx_host: ip! })).body).toEqual({ ...listed.body, mx_host: ip, addresses: [ip] })
    expect(await get("/check/rbl", { mx_host: "2001:db8::1" })).toMatchObject({
      status: 400,
      body: { detail: "mx_host: blocklists are asked about IPv4 addresses only" },
    })
    // The given host is checked unchanged: "www." stays, and a URL or an address is refused.
    expect((await get("/check/rbl", { mx_host: "www.listed.test" })).body).toMatchObject({ mx_host: "www.listed.test" })
    for (const mx_host of ["https://listed.test/", "alice@listed.test"])
      expect(await get("/check/rbl", { mx_host })).toMatchObject({ status: 400 })
  })

  test("/check/mx-intel", async () => {
    const { body } = await get("/check/mx-intel", { domain: "mailbox.test" })
    expect(body).toMatchObject({
      domain: "mailbox.test",
      mx_records: ["mx.mailbox.test"],
      operator: "other",
      banner: expect.stringContaining("mx.mailbox.test"),
      tls: { offered: false },
      regions: [{ region: "local", mx_host: "mx.mailbox.test", rtt_ms: expect.any(Number), problem: null }],
    })
    expect((await get("/check/mx-intel", { domain: "mailbox.test", smtp: "false" })).body).toMatchObject({ tls: null })
    expect((await get("/check/mx-intel", { domain: "refused.test" })).body).toMatchObject({ banner: null })
    expect((await get("/check/mx-intel", { domain: "null-mx.test" })).body).toMatchObject({ operator: "none" })
    expect((await get("/check/mx-intel", { domain: "servfail.test" })).body).toMatchObject({ operator: null })
  })

  test("/check/domain-age", async () => {
    const { body } = await get("/check/domain-age", { domain: "facts.test" })
    expect(body).toMatchObject({ registered_at: "2019-05-01T12:00:00.000Z", is_new: false })
    expect((await get("/check/domain-age", { domain: "mailbox.test" })).body).toMatchObject({ domain_age_days: null })
    // This endpoint waits for a slow registry, because it has nothing else to answer.
    expect((await get("/check/domain-age", { domain: "slower-facts.test" })).body).toMatchObject({ is_new: false })
  })

  test("/deliverability/domain recommends actions to the owner", async () => {
    const good = await at("/deliverability/domain/{domain}", "facts.test")
    const bad = await at("/deliverability/domain/{domain}", "two-spf.test")
    expect(good.body.deliverability_score as number).toBeGreaterThan(bad.body.deliverability_score as number)
    expect(bad.body.reasons).toContainEqual(expect.objectContaining({ code: "spf_broken", fix: expect.any(String) }))
    expect((await at("/deliverability/domain/{domain}", "null-mx.test")).body).toMatchObject({
      deliverability_score: 0,
    })
    // Name servers without an answer leave the published records unknown.
    expect((await at("/deliverability/domain/{domain}", "servfail.test")).body).toMatchObject({
      deliverability_score: null,
      grade: null,
    })
    // The same bands as the score of a verification: 0-39 is F, 60-74 is C.
    const bands = { "mx-private.test": [35, "F"], "alias.test": [60, "C"] } as const
    for (const [domain, [deliverability_score, grade]] of Object.entries(bands))
      expect((await at("/deliverability/domain/{domain}", domain)).body).toMatchObject({ deliverability_score, grade })
  })

  test("/cohort and /cohort/{domain}", async () => {
    const { body } = await get("/cohort", { limit: "200" })
    expect(body.domains_compared as number).toBeGreaterThan(0)
    const compared = await at("/cohort/{domain}", "facts.test")
    expect(compared.body).toMatchObject({ domain: "facts.test", cohort: { operator: "other" } })
    expect(compared.body.comparison).toContainEqual(expect.objectContaining({ trait: "spf", domain_has: true }))
  })
})

describe("checks of an address", () => {
  test("/check/pattern", async () => {
    expect((await get("/check/pattern", { email: "jane.doe@never-seen.test" })).body).toMatchObject({
      pattern_match: "{first}.{last}",
      formats: [{ format: "{first}.{last}" }, expect.anything()],
      domain_format: null,
      matches_domain_format: null,
    })
  })

  test("a confirmed mailbox teaches its domain's format", async () => {
    await get("/score", { email: "alice.johnson@company.test" })
    await expect
      .poll(async () => (await get("/check/pattern", { email: "bob.miller@company.test" })).body)
      .toMatchObject({ domain_format: "{first}.{last}", matches_domain_format: true })
    for (const email of ["bob@company.test", "miller.bob@company.test", "bmiller@company.test"])
      expect((await get("/check/pattern", { email })).body, email).toMatchObject({ matches_domain_format: false })
  })

  test("/score equals the score of /validate", async () => {
    const { body } = await get("/score", { email: "grace@mailbox.test" })
    expect(body).toMatchObject({ email: "grace@mailbox.test", status: "valid", can_send: true })
    const parts = Object.values(body.score_breakdown as Record<string, number>)
    expect(
      Math.min(
        100,
        parts.reduce((sum, part) => sum + part, 0),
      ),
    ).toBe(body.score)
  })

  test("/check/ms-credential is disabled, and names the setting that enables it", async () => {
    const { status, body } = await get("/check/ms-credential", { email: "alice@mailbox.test" })
    expect(status).toBe(503)
    expect(body.detail).toMatch(/MS_CREDENTIAL_CHECK=1.*MS_CREDENTIAL_URL/)
  })

  test("/check/cross-reference", async () => {
    const person = { first_name: "Alice", last_name: "Johnson", company_name: "Company Ltd" }
    const fits = await call(
      "POST",
      "/check/cross-reference",
      postJson({ email: "alice.johnson@company.test", ...person }),
    )
    expect(fits.body).toMatchObject({ conclusion: "consistent" })
    const stranger = { email: "zoltan.kovacs@null-mx.test", ...person }
    const not = await call("POST", "/check/cross-reference", postJson(stranger))
    expect(not.body).toMatchObject({ conclusion: "contradictory" })
    expect(not.body.signals).toContainEqual(expect.objectContaining({ signal: "name_local_part", agrees: false }))
    for (const [email, agrees] of [
      ["alice.johnson@company.test", true],
      ["johnson.alice@company.test", true],
      ["zoltan.johnson@company.test", false],
    ]) {
      const initial = await call("POST", "/check/cross-reference", postJson({ email, ...person, first_name: "A." }))
      expect(initial.body.signals).toContainEqual(expect.objectContaining({ signal: "name_local_part", agrees }))
    }
    for (const alone of ["a@servfail.test", "alice@null-mx.test", "zoltan.kovacs@null-mx.test", "alice@mailbox.test"]) {
      const { body } = await call("POST", "/check/cross-reference", postJson({ email: alone }))
      expect(body, alone).toMatchObject({ conclusion: "insufficient", agreement: null })
    }
  })
})

describe("checks of names and pages", () => {
  test("/check/format-probability", async () => {
    const { body } = await get("/check/format-probability", {
      first_name: "Jürgen",
      last_name: "Müller",
      domain: "x.de",
    })
    const [first] = body.candidates as { email: string; format_type: string }[]
    expect(first).toMatchObject({ email: "juergen.mueller@x.de", format_type: "{first}.{last}" })
  })

  test.each([
    ["Alice Smith", true, false],
    ["Юлия Щербакова", true, false],
    ["xkcdqz bcdfgh", false, true],
    ["asdfgh", false, true],
  ])("/check/name-realism of %s", async (name, is_realistic, is_gibberish) => {
    expect((await get("/check/name-realism", { name })).body).toMatchObject({ is_realistic, is_gibberish })
  })

  test("/check/linkedin-name", async () => {
    const url = "https://www.linkedin.com/in/alice-smith-4b2a91/?x=1"
    expect((await get("/check/linkedin-name", { url })).body).toMatchObject({
      first_name: "Alice",
      last_name: "Smith",
      suffix: "4b2a91",
    })
    expect((await get("/check/linkedin-name", { url: "https://example.com/in/alice" })).status).toBe(400)
  })

  test("/check/mine-emails", async () => {
    const text = "alice (at) mailbox dot test, info@mailbox.test, someone@gmail.com"
    const { body } = await call("POST", "/check/mine-emails", postJson({ text, domain: "mailbox.test" }))
    expect(body).toMatchObject({ total: 3 })
    expect(body.emails).toContainEqual(expect.objectContaining({ email: "alice@mailbox.test", writing: "obfuscated" }))
    expect(body.emails).toContainEqual(expect.objectContaining({ email: "info@mailbox.test", is_role_account: true }))
  })

  test("/check/scrape-domain reports a missing site", async () => {
    expect((await get("/check/scrape-domain", { domain: "null-mx.test" })).body).toMatchObject({ outcome: "no_site" })
  })
})

describe("an invalid input is refused with the name of the field", () => {
  const domainChecks = ["/check/dns", "/check/dkim", "/check/mx-intel", "/check/domain-age", "/check/scrape-domain"]
  test.each(domainChecks)("%s with an invalid domain", async (path) => {
    for (const domain of ["a..b", "no spaces.test", "localhost", "[::1]"]) {
      const { status, body } = await get(path, { domain })
      expect([status, body]).toMatchObject([400, { detail: expect.stringMatching(/^domain: /) }])
    }
    expect((await get(path, {})).body).toMatchObject({ detail: [{ loc: ["query", "domain"] }] })
    expect((await get(path, { domain: "  " })).body).toMatchObject({ detail: [{ loc: ["query", "domain"] }] })
  })

  test.each([
    "/domain-intel/{domain}",
    "/cohort/{domain}",
    "/deliverability/domain/{domain}",
    "/domain-formats/{domain}",
  ])("%s with an invalid domain", async (template) => {
    const { status, body } = await at(template, "a..b")
    expect([status, body]).toMatchObject([400, { detail: expect.stringMatching(/^domain: /) }])
  })

  test.each(["/check/pattern", "/check/activity", "/activity", "/score", "/check/ms-credential"])(
    "%s with an invalid address",
    async (path) => {
      expect(await get(path, { email: "not-an-address" })).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/^email: /) },
      })
      expect((await get(path, {})).status).toBe(422)
    },
  )

  test("names, hosts and texts", async () => {
    const query = { first_name: " ", last_name: "Smith", domain: "x.test" }
    expect((await get("/check/format-probability", query)).body).toMatchObject({
      detail: [{ loc: ["query", "first_name"] }],
    })
    expect((await get("/check/name-realism", { name: "" })).body).toMatchObject({
      detail: [{ loc: ["query", "name"] }],
    })
    expect((await get("/check/rbl", { mx_host: "a..b" })).body).toMatchObject({
      detail: expect.stringMatching(/^mx_host: /),
    })
    const half = await call("POST", "/check/cross-reference", postJson({ email: "a@x.test", first_name: "Alice" }))
    expect(half.body).toMatchObject({ detail: [{ loc: ["body", "last_name"] }] })
    const sign = { first_name: "ʻ", last_name: "Smith", domain: "x.test" }
    expect((await get("/check/format-probability", sign)).body).toMatchObject({
      detail: [{ loc: ["query", "first_name"] }],
    })
    const empty = await call("POST", "/check/mine-emails", postJson({ text: "" }))
    expect(empty.body).toMatchObject({ detail: [{ loc: ["body", "text"] }] })
  })
})
