import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { type CompanySites, startCompanySites } from "../support/providers/company-site.ts"
import { newKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { untilStored } from "../support/stack/stored.ts"

interface Candidate {
  readonly email: string
  readonly confidence: number
  readonly verified: boolean
  readonly smtp_status: string
  readonly basis: { readonly expected_namesakes: number; readonly exists: boolean | null }
}

interface Found {
  readonly best_email: string | null
  readonly best_confidence: number
  readonly domain: string
  readonly domain_format: string | null
  readonly outcome: string
  readonly is_catch_all: boolean | null
  readonly candidates: Candidate[]
  readonly find_time_ms: number
  readonly credits_used: number
}

let sites: CompanySites

beforeAll(async () => {
  // Another suite may have read the pages.
  await openDatabase(inject("database")).run(sql`DELETE FROM site_scrapes WHERE domain = 'company.test'`)
  sites = await startCompanySites(Number(new URL(inject("outsideUrl")).port))
})
afterAll(() => sites.stop())

const find = (first_name: string, last_name: string, domain: string) =>
  call<Found>("POST", "/find-email", postJson({ first_name, last_name, domain }))

const findV2 = (query: Record<string, string>) =>
  call<Found>("POST", "/find-email/v2", { at: `/find-email/v2?${new URLSearchParams(query)}` })

const scrape = (domain: string) => call("POST", "/domain-formats/scrape", postJson({ domain }))

describe("a company's own pages show its format", () => {
  test("a site is read as its robots.txt allows, once a week", async () => {
    const { body } = await scrape("https://www.company.test/jobs?x=1")
    expect(body).toMatchObject({ domain: "company.test", outcome: "read", pages_read: 3, from_cache: false })
    const emails = (body.emails as { email: string; name: string | null }[]).map(({ email }) => email).toSorted()
    expect(emails).toEqual([
      "alice.johnson@company.test",
      "info@company.test",
      "laura.fernandez@company.test",
      "peter.kowalski@company.test",
    ])
    expect(body.formats).toMatchObject({ format: "{first}.{last}", is_learned: true, sample_count: 3 })
    expect(sites.calls).not.toContain("company.test/secret-team")
    expect((await scrape("company.test")).body).toMatchObject({ from_cache: true, pages_read: 3 })
  })

  test("learned formats are readable, for one domain or all", async () => {
    const one = await call("GET", "/domain-formats/{domain}", { at: "/domain-formats/company.test" })
    expect(one.body).toMatchObject({ domain: "company.test", format: "{first}.{last}", sources: { scraped: 3 } })
    const [top] = one.body.formats as { format: string; share: number; low: number; high: number }[]
    expect(top).toMatchObject({ format: "{first}.{last}", high: 1 })
    expect(top!.low).toBeLessThan(top!.share)
    const all = await call("GET", "/domain-formats", { at: "/domain-formats?limit=500" })
    expect(all.body.domains).toContainEqual(expect.objectContaining({ domain: "company.test", sample_count: 3 }))
  })

  test("an unknown company has priors, which are called priors", async () => {
    const { body } = await call("GET", "/domain-formats/{domain}", { at: "/domain-formats/one-alice.test" })
    expect(body).toMatchObject({ is_learned: false, sample_count: 0, last_learned_at: null })
    expect(body).toMatchObject({ source: "prior", reason: null, format: "{first}.{last}" })
    const formats = body.formats as { source: string; samples: number }[]
    expect(formats.length).toBeGreaterThan(0)
    expect(formats.every(({ source, samples }) => source === "prior" && samples === 0)).toBe(true)
  })
})

describe("people", () => {
  test.each([
    ["Hannah", "Weiß", "hannah.weiss@company.test"],
    ["Jürgen", "Müller", "juergen.mueller@company.test"],
    ["小明", "王", "xiaoming.wang@company.test"],
    ["Дмитрий", "Кузнецов", "dmitry.kuznetsov@company.test"],
    ["Văn An", "Nguyễn", "an.nguyen@company.test"],
    ["Pieter", "van der Berg", "pieter.vanderberg@company.test"],
  ])("%s %s", async (first, last, email) => {
    const { body } = await find(first, last, "www.company.test")
    expect(body).toMatchObject({ best_email: email, outcome: "verified", is_catch_all: false, credits_used: 5 })
    expect(body.best_confidence).toBeGreaterThan(0.75)
    expect(body.candidates.filter(({ verified }) => verified).map((one) => one.email)).toEqual([email])
    expect(body.find_time_ms).toBeGreaterThan(0)
  })

  test("a person verified before is found without a probe, with the same answer as from a probe", async () => {
    await call("POST", "/validate", postJson({ email: "elena.petrova@company.test" }))
    await untilStored("elena.petrova@company.test")
    const { body } = await find("Elena", "Petrova", "company.test")
    expect(body).toMatchObject({ outcome: "verified", is_catch_all: false })
  })

  test("candidates are probed in one session, in rank order, and the first accepted one ends it", async () => {
    const journal = new URL("/sandbox/log", inject("sandbox").dohUrl)
    await fetch(journal, { method: "DELETE" })
    const { body } = await find("Thomas", "Becker", "company.test")
    expect(body).toMatchObject({ best_email: "thomas.becker@company.test", outcome: "verified" })
    const log = (await (await fetch(journal)).json()) as { host?: string; line?: string }[]
    const text = JSON.stringify(log)
    expect(text).toContain("thomas.becker@company.test")
    expect(text).not.toContain("tbecker@company.test")
  })

  test("an unknown name gives no result and no charge", async () => {
    const key = await newKey("free")
    const init = withKey(key, postJson({ first_name: "Nobody", last_name: "Atall", domain: "company.test" }))
    const { body } = await call<Found>("POST", "/find-email", init)
    expect(body).toMatchObject({ best_email: null, best_confidence: 0, outcome: "not_found", credits_used: 0 })
    expect(body.candidates.every(({ verified }) => !verified)).toBe(true)
    const usage = await call("GET", "/keys", withKey(key))
    expect((usage.body.keys as { credits_this_month: number }[])[0]!.credits_this_month).toBe(0)
  })

  test("a result costs five credits, once", async () => {
    const key = await newKey("free")
    const init = withKey(key, postJson({ first_name: "Elena", last_name: "Petrova", domain: "company.test" }))
    expect((await call<Found>("POST", "/find-email", init)).body).toMatchObject({ credits_used: 5 })
    const usage = await call("GET", "/keys", withKey(key))
    expect((usage.body.keys as { credits_this_month: number }[])[0]!.credits_this_month).toBe(5)
  })

  test.each(["catch-all.test", "catch-all-unclear.test", "client-refused.test", "greylist.test"])(
    "no candidate is verified at %s",
    async (domain) => {
      // Greylisting stores the recipient, and another suite uses alice there.
      const name = domain === "greylist.test" ? "Carol" : "Alice"
      const { body } = await find(name, name, domain)
      expect(body.candidates.some(({ verified }) => verified)).toBe(false)
      expect(["guess", "likely", "not_found"]).toContain(body.outcome)
      if (domain === "catch-all.test") expect(body.is_catch_all).toBe(true)
    },
  )

  test("without SMTP only the format decides", async () => {
    const query = { first_name: "Hannah", last_name: "Weiss", domain: "company.test", do_smtp: "false" }
    const { body } = await findV2({ ...query, first_name: "Zoe", last_name: "Quist" })
    expect(body).toMatchObject({ best_email: "zoe.quist@company.test", outcome: "likely", credits_used: 5 })
    expect(body.candidates.every(({ smtp_status }) => smtp_status === "skipped")).toBe(true)
  })
})

test("a known missing address does not rule out unprobed candidates", async () => {
  const email = "nora.quist@company.test"
  const { body: known } = await call("GET", "/validate/checks", { at: `/validate/checks?email=${email}` })
  expect(known.checks).toMatchObject({ status: "invalid" })
  await untilStored(email)
  const query = { first_name: "Nora", last_name: "Quist", domain: "company.test", do_smtp: "false" }
  const { body } = await findV2(query)
  expect(body).toMatchObject({ outcome: "guess", credits_used: 0 })
  expect(body.best_email).toMatch(/@company\.test$/)
  expect(body.best_email).not.toBe(email)
  expect(body.candidates.find((one) => one.email === email)).toMatchObject({ confidence: 0, basis: { exists: false } })
})

describe("an invalid request is refused with the name of the field", () => {
  test.each([
    [{ first_name: "", last_name: "Smith", domain: "company.test" }, "first_name"],
    [{ first_name: "Alice", last_name: "  ", domain: "company.test" }, "last_name"],
    [{ first_name: "Alice", last_name: "123", domain: "company.test" }, "last_name"],
    [{ last_name: "Smith", domain: "company.test" }, "first_name"],
    [{ first_name: "Alice", last_name: "Smith" }, "domain"],
    [{ first_name: "Alice", last_name: "Smith", domain: "" }, "domain"],
  ])("%j", async (body, field) => {
    const answer = await call("POST", "/find-email", postJson(body))
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ detail: [{ loc: ["body", field] }] })
  })

  test.each(["not a domain", "-bad.test", "a..b.test", "localhost", "127.0.0.1", "http://[::1]/"])(
    "domain %s is 400",
    async (domain) => {
      for (const answer of [
        await find("Alice", "Smith", domain),
        await scrape(domain),
        await findV2({ first_name: "Alice", last_name: "Smith", domain }),
      ]) {
        expect(answer.status).toBe(400)
        expect((answer.body as unknown as { detail: string }).detail).toMatch(/^domain: /)
      }
    },
  )

  test("a request without domain and company is refused", async () => {
    const { status, body } = await findV2({ first_name: "Alice", last_name: "Smith", domain: "" })
    expect(status).toBe(422)
    expect(body).toMatchObject({ detail: [{ loc: ["query", "domain"] }] })
  })
})

describe("hostile sites are limited and safe", () => {
  test.each([
    ["redirect-site.test", "blocked"],
    ["private-site.test", "blocked"],
    ["foreign-site.test", "blocked"],
    ["closed-site.test", "disallowed"],
    ["no-such-site-anywhere.test", "no_site"],
  ])("%s: %s", async (domain, outcome) => {
    expect((await scrape(domain)).body).toMatchObject({ outcome, pages_read: 0, emails: [] })
  })

  test("endless links: at most ten pages are read", async () => {
    const before = sites.calls.length
    expect((await scrape("links-site.test")).body).toMatchObject({ outcome: "read", pages_read: 10 })
    expect(sites.calls.slice(before).filter((url) => url.startsWith("links-site.test/"))).toHaveLength(11)
  })

  test("an endless body is cut", async () => {
    const { body } = await scrape("large-site.test")
    expect(["read", "unreachable"]).toContain(body.outcome)
    expect(sites.sent()).toBeLessThan(200e6)
  })

  test("a dripping body is abandoned", async () => {
    expect((await scrape("drip-site.test")).body).toMatchObject({ emails: [] })
  })
})
