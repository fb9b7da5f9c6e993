import { describe, expect, test } from "vitest"
import { call, postJson } from "../support/stack/api.ts"

interface Candidate {
  readonly email: string
  readonly confidence: number
  readonly format_type: string
  readonly basis: unknown
}

interface Found {
  readonly best_email: string | null
  readonly best_confidence: number
  readonly candidates: Candidate[]
  readonly credits_used: number
}

const find = (first_name: string, last_name: string, domain: string) =>
  call<Found>("POST", "/find-email", postJson({ first_name, last_name, domain }))

const findV2 = (query: Record<string, string>) =>
  call<Found>("POST", "/find-email/v2", { at: `/find-email/v2?${new URLSearchParams(query)}` })

const domainFormats = (domain: string) => call("GET", "/domain-formats/{domain}", { at: `/domain-formats/${domain}` })

const formatProbability = (query: Record<string, string>) =>
  call("GET", "/check/format-probability", { at: `/check/format-probability?${new URLSearchParams(query)}` })

const pattern = (email: string) => call("GET", "/check/pattern", { at: `/check/pattern?email=${email}` })

const NO_FORMATS = { format: null, confidence: 0, source: null, formats: [], sample_count: 0, company_size: null }

describe("the confidence is how likely the mailbox is the person's", () => {
  test.each([
    // Only alice@ exists at one-alice.test.
    ["Smith", "one-alice.test", "alice@one-alice.test", 0.3, 0.75],
    ["Müller", "one-alice.test", "alice@one-alice.test", 0.3, 0.75],
    ["Zuckerbaum", "one-alice.test", "alice@one-alice.test", 0.3, 0.75],
    // alice@, alice.smith@ and alice.zuckerbaum@ exist at namesakes.test.
    ["Smith", "namesakes.test", "alice.smith@namesakes.test", 0.85, 0.98],
    ["Müller", "namesakes.test", "alice@namesakes.test", 0, 0.75],
    ["Zuckerbaum", "namesakes.test", "alice.zuckerbaum@namesakes.test", 0.95, 0.98],
  ])("Alice %s at %s: %s", async (last, domain, email, low, high) => {
    const { body } = await find("Alice", last, domain)
    expect(body.best_email).toBe(email)
    expect(body.best_confidence).toBeGreaterThanOrEqual(low)
    expect(body.best_confidence).toBeLessThanOrEqual(high)
    expect(body.candidates[0]).toMatchObject({
      email,
      confidence: body.best_confidence,
      verified: true,
      basis: {
        format_share: expect.any(Number),
        name_commonness: expect.any(Number),
        company_size: expect.any(Number),
        expected_namesakes: expect.any(Number),
        exists: true,
        has_gravatar: null,
      },
    })
    expect(body.credits_used).toBe(body.best_confidence >= 0.5 ? 5 : 0)
    const { body: other } = await findV2({ first_name: "Alice", last_name: last, domain })
    expect(other.best_email).toBe(email)
    // A clear find is a sample of the domain's format, so that it raises the next answer.
    if (body.best_confidence < 0.8) expect(other.candidates).toEqual(body.candidates)
    else expect(other.best_confidence).toBeGreaterThanOrEqual(body.best_confidence)
  })

  test("three people of one first name have different confidences", async () => {
    const lasts = ["Smith", "Müller", "Zuckerbaum"]
    const found = await Promise.all(lasts.map((last) => find("Alice", last, "one-alice.test")))
    expect(new Set(found.map(({ body }) => body.best_confidence)).size).toBe(3)
  })

  test.each(["Smith", "Müller", "Zuckerbaum"])(
    "Alice %s at mailbox.test, where first names are known",
    async (last) => {
      const { body } = await find("Alice", last, "mailbox.test")
      expect(body.best_email).toBe("alice@mailbox.test")
      expect(body.best_confidence).toBeGreaterThan(0.3)
      expect(body.best_confidence).toBeLessThan(0.9)
    },
  )

  test("without a probe, /check/format-probability gives the same numbers", async () => {
    const person = { first_name: "Zoe", last_name: "Quist", domain: "one-alice.test" }
    const { body } = await findV2({ ...person, do_smtp: "false" })
    const { body: other } = await formatProbability(person)
    expect(other.candidates).toEqual(
      body.candidates.map(({ email, confidence, format_type, basis }) => ({
        ...{ email, format_type, basis },
        probability: confidence,
      })),
    )
    expect(other).toMatchObject({ source: "prior", sample_count: 0, reason: null })
  })
})

describe("a domain that accepts no mail has no formats and no candidates", () => {
  test.each([
    ["no-such-domain.test", "no_such_domain"],
    ["dangling.test", "no_such_domain"],
    ["null-mx.test", "null_mx"],
    ["no-mail-host.test", "no_mail_host"],
  ])("%s: %s", async (domain, reason) => {
    const nothing = { domain_format: null, domain_format_confidence: 0, domain_format_source: null, samples: 0 }
    const free = { outcome: "no_mail", best_email: null, best_confidence: 0, candidates: [], credits_used: 0 }
    const person = { first_name: "Alice", last_name: "Smith", domain }
    expect((await find("Alice", "Smith", domain)).body).toMatchObject({ ...nothing, ...free, reason })
    expect((await findV2(person)).body).toMatchObject({ ...nothing, ...free, reason })
    expect((await domainFormats(domain)).body).toMatchObject({ ...NO_FORMATS, reason })
    expect((await formatProbability(person)).body).toMatchObject({ candidates: [], source: null, reason })
    expect((await pattern(`alice@${domain}`)).body).toMatchObject({ domain_format: null, samples: 0, reason })
  })
})

describe("a mailbox provider has no formats and no candidates", () => {
  test.each([
    ["gmail.com", "free_provider"],
    ["mailinator.com", "disposable"],
    ["privaterelay.appleid.com", "relay"],
  ])("%s: %s", async (domain, reason) => {
    const person = { first_name: "Alice", last_name: "Smith", domain }
    expect((await find("Alice", "Smith", domain)).status).toBe(400)
    expect((await findV2(person)).status).toBe(400)
    expect((await domainFormats(domain)).body).toMatchObject({ ...NO_FORMATS, reason })
    expect((await formatProbability(person)).body).toMatchObject({ candidates: [], source: null, reason })
    expect((await pattern(`alice.smith@${domain}`)).body).toMatchObject({
      pattern_match: "{first}.{last}",
      domain_format: null,
      matches_domain_format: null,
      samples: 0,
      reason,
    })
  })
})
