import { sql } from "drizzle-orm"
import { describe, expect, inject, test } from "vitest"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { asAdmin, newKey, usedCredits, withKey } from "../support/stack/account.ts"
import { type CallInit, call, postJson } from "../support/stack/api.ts"
import { getByEmail } from "../support/stack/get-by-email.ts"
import { verifyAndStore } from "../support/stack/stored.ts"

/** The number of a provider's calls about a subject, because suites share the stack. */
async function callsTo(provider: "hibp" | "google" | "microsoft", about: string): Promise<number> {
  const calls = (await (await fetch(`${inject("providerUrls")[provider]}/calls`)).json()) as string[]
  return calls.filter((call) => call.includes(about)).length
}

describe("did_you_mean", () => {
  test.each([
    ["alice@gmial.com", "alice@gmail.com"],
    ["alice.gmail.com", "alice@gmail.com"],
    ["alice@mailbox.test", null],
    ["alice@gmail.com", null],
  ])("/validate/syntax: %s", async (email, expected) => {
    expect((await getByEmail("/validate/syntax", email)).body.did_you_mean).toBe(expected)
  })

  test("/validate: only when the domain cannot receive mail", async () => {
    const { body } = await getByEmail("/validate", "alice.gmail.com")
    expect(body).toMatchObject({ status: "invalid", did_you_mean: "alice@gmail.com" })
    expect((await getByEmail("/validate", "alice@mailbox.test")).body.did_you_mean).toBeNull()
  })
})

describe("/verify/typo", () => {
  test("a correct domain gets no suggestion and no lookup", async () => {
    const { body } = await getByEmail("/verify/typo", "alice@mailbox.test")
    expect(body).toMatchObject({ has_typo: false, did_you_mean: null, suspicion: null, typed_domain: null })
  })

  test("a typo is returned with the DNS state of both domains", async () => {
    const { body } = await getByEmail("/verify/typo", "alice@gmial.com")
    expect(body).toMatchObject({
      syntax_valid: true,
      suspicion: { suggestion: "alice@gmail.com", kind: "domain", from: "gmial.com", to: "gmail.com" },
      typed_domain: { domain: "gmial.com" },
      suggested_domain: { domain: "gmail.com" },
    })
  })

  test("a malformed address gets an answer", async () => {
    const { body, status } = await getByEmail("/verify/typo", "alice.gmail.com")
    expect(status).toBe(200)
    expect(body).toMatchObject({
      syntax_valid: false,
      has_typo: true,
      did_you_mean: "alice@gmail.com",
      typed_domain: null,
    })
  })
})

describe("breaches", () => {
  test("are queried only on request, and charged once", async () => {
    const key = await newKey()
    const without = await getByEmail<{ checks: object }>("/validate", "pwned@mailbox.test", withKey(key))
    expect(without.body.checks).toMatchObject({ breach_found: null, breach_count: null })
    expect(await callsTo("hibp", "pwned@mailbox.test")).toBe(0)
    const first = await getByEmail<{ checks: object }>("/validate", "pwned@mailbox.test", {
      ...withKey(key),
      more: "&breach=true",
    })
    expect(first.body.checks).toMatchObject({ breach_found: true, breach_count: 2 })
    const used = await usedCredits(key)
    const second = await getByEmail<{ checks: object }>("/validate", "pwned@mailbox.test", {
      ...withKey(key),
      more: "&breach=true",
    })
    expect(second.body.checks).toMatchObject({ breach_found: true, breach_count: 2, cached: true })
    expect(await callsTo("hibp", "pwned@mailbox.test")).toBe(1)
    expect(await usedCredits(key)).toBe(used)
  })

  test("an answer without breaches counts, and other callers do not see it", async () => {
    const { body } = await getByEmail<{ checks: object }>("/validate", "sam@mailbox.test", { more: "&breach=true" })
    expect(body.checks).toMatchObject({ breach_found: false, breach_count: 0 })
    const fast = await getByEmail<{ checks: object }>("/validate/fast", "sam@mailbox.test")
    expect(fast.body.checks).toMatchObject({ breach_found: null, breach_count: null })
  })

  test("with a verification count as one request of the minute", async () => {
    const key = withKey(await newKey("free"), {})
    const { headers } = await getByEmail("/validate", "user1@d0907.test", { ...key, more: "&breach=true" })
    expect(headers.get("ratelimit")).toMatch(/^"rpm";r=9;/)
  })

  test("with a verification cost nothing when the credits cover only one of them", async () => {
    const key = await newKey("free")
    const emails = Array.from({ length: 99 }, (_, n) => `user${n}@d0908.test`)
    await call("POST", "/validate/bulk", withKey(key, postJson({ emails })))
    const verifyOnce = (more: string) =>
      getByEmail<{ checks: object }>("/validate", "user1@d0909.test", { ...withKey(key), more })
    expect((await verifyOnce("&breach=true")).status).toBe(429)
    expect((await verifyOnce("")).body.checks).toMatchObject({ cached: false, status: "valid" })
    expect(await usedCredits(key)).toBe(100)
  })

  test("/verify/breach-intel names its sources, with dates", async () => {
    const { body } = await getByEmail("/verify/breach-intel", "alice@mailbox.test")
    expect(body).toMatchObject({
      breach_found: true,
      breach_count: 1,
      sources: [
        {
          source: "Have I Been Pwned",
          answered: true,
          count: 1,
          breaches: [{ name: "Forum", breached_on: "2020-01-31", exposed: ["Email addresses"] }],
        },
      ],
    })
    expect((await getByEmail("/verify/breach-intel", "nonsense")).status).toBe(400)
  })
})

describe("directories", () => {
  const google = (email: string, init = asAdmin()) => getByEmail("/verify/google-workspace", email, init)
  const microsoft = (email: string, init = asAdmin()) => getByEmail("/verify/microsoft-graph", email, init)

  test.each([
    [
      "anna@workspace.test",
      { status: "valid", sub_status: "google_workspace_confirmed", kind: "user", is_alias: false },
    ],
    ["anna.alias@workspace.test", { status: "valid", is_alias: true }],
    ["team@workspace.test", { status: "valid", sub_status: "google_workspace_confirmed", kind: "group" }],
    ["gone@workspace.test", { status: "invalid", sub_status: "mailbox_not_found", suspended: true, exists: true }],
    ["nobody@workspace.test", { status: "invalid", sub_status: "mailbox_not_found", kind: "nobody", exists: false }],
    ["anna@elsewhere.test", { status: "unknown", sub_status: null, kind: "foreign", exists: null }],
    ["no-scope@workspace.test", { status: "unknown", kind: "failure", exists: null }],
  ])("Google: %s", async (email, expected) => {
    expect((await google(email)).body).toMatchObject(expected)
  })

  test.each([
    ["bob@m365.test", { status: "valid", sub_status: "m365_confirmed", kind: "user", is_alias: false }],
    ["robert@m365.test", { status: "valid", is_alias: true }],
    ["o'brien@m365.test", { status: "valid", kind: "user" }],
    ["all@m365.test", { status: "valid", kind: "group" }],
    ["paul@m365.test", { status: "valid", kind: "contact", exists: true }],
    ["sign-in-only@m365.test", { status: "unknown", kind: "user", exists: null }],
    ["nobody@m365.test", { status: "invalid", sub_status: "mailbox_not_found", exists: false }],
    ["bob@elsewhere.test", { status: "unknown", kind: "foreign" }],
  ])("Microsoft: %s", async (email, expected) => {
    expect((await microsoft(email)).body).toMatchObject(expected)
  })

  test("answer no caller without a key, and no account unless the operator shares them", async () => {
    const key = await newKey()
    for (const [ask, email] of [
      [google, "gone+stranger@workspace.test"],
      [microsoft, "robert+stranger@m365.test"],
    ] as const) {
      expect((await ask(email, {})).status).toBe(401)
      const { status, body } = await ask(email, withKey(key))
      expect({ status, body }).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining("DIRECTORY_SHARE") },
      })
    }
    expect(await callsTo("google", "stranger")).toBe(0)
    expect(await usedCredits(key)).toBe(0)
  })

  test("are no evidence of /resolve-catchall for a caller that may not see them", async () => {
    const email = "team@workspace.test"
    const key = await newKey()
    const resolve = async (init: CallInit) => {
      const headers = { ...init.headers, "content-type": "application/json" }
      const { body } = await call<{ evidence: { signal: string; observation: string }[] }>(
        "POST",
        "/resolve-catchall",
        {
          ...postJson({ email }),
          headers,
        },
      )
      return body.evidence.filter(({ signal }) => signal === "directory").map(({ observation }) => observation)
    }
    expect(await resolve({})).toEqual([])
    expect(await resolve(withKey(key))).toEqual([])
    expect(await resolve(asAdmin())).toEqual(["the domain's directory contains a group with this address"])
    // A stored answer of the operator's call does not reach an account.
    expect(await resolve(withKey(key))).toEqual([])
  })

  test("a malformed address is 400, without a query", async () => {
    expect((await google("nonsense")).status).toBe(400)
    expect(await callsTo("google", "nonsense")).toBe(0)
  })
})

describe("accept-all domains", () => {
  const resolve = (email: string, init: CallInit = {}) =>
    call("POST", "/resolve-catchall", {
      ...init,
      ...postJson({ email }),
      headers: { ...init.headers, "content-type": "application/json" },
    })

  test("a malformed address is 400, and not in the account's history", async () => {
    const key = await newKey()
    expect((await resolve("nonsense", withKey(key))).status).toBe(400)
    await resolve("anyone@catch-all.test", withKey(key))
    const history = () => call<{ verifications: { email: string }[] }>("GET", "/me/recent-verifications", withKey(key))
    const emails = async () => (await history()).body.verifications.map(({ email }) => email)
    await expect.poll(emails).toEqual(["anyone@catch-all.test"])
  })

  test("a name and a random string have different probabilities, with evidence and an interval", async () => {
    const { body: name } = await resolve("maria.schmidt@catch-all.test")
    const { body: random } = await resolve("x7k2p9q4w1z8@catch-all.test")
    expect(name).toMatchObject({ is_catch_all: true, status: "accept_all", method: "prior weights", prior: 0.65 })
    expect(Number(name.probability)).toBeGreaterThan(Number(random.probability) + 0.2)
    const { low, high } = name.interval as { low: number; high: number }
    expect(low).toBeLessThan(Number(name.probability))
    expect(high).toBeGreaterThan(Number(name.probability))
    expect(name.evidence).toContainEqual(expect.objectContaining({ signal: "smtp", weight: 0 }))
    expect(name.evidence).toContainEqual(expect.objectContaining({ signal: "name_realism" }))
  })

  test("a mailbox that the server confirms or denies is not resolved", async () => {
    const { body } = await call("POST", "/verify/catchall-resolve", postJson({ email: "alice@mailbox.test" }))
    expect(body).toMatchObject({ is_catch_all: false, verdict: "likely_deliverable" })
    const { body: missing } = await resolve("nobody@mailbox.test")
    expect(missing).toMatchObject({ verdict: "likely_undeliverable" })
    expect((await resolve("nonsense")).status).toBe(400)
  })
})

describe("explain=true", () => {
  interface Explained {
    readonly explanation?: {
      ledger: { fact: string; points: number; rule: string | null }[]
      transcript: { text: string }[]
    }
    readonly checks: { score: number; status: string }
  }

  test("returns every fact with its points, and the transcript without the random recipient", async () => {
    expect((await getByEmail<Explained>("/validate", "alice+tina@mailbox.test")).body.explanation).toBeUndefined()
    const { body } = await getByEmail<Explained>("/validate", "alice+tina@mailbox.test", { more: "&explain=true" })
    const { ledger, transcript } = body.explanation!
    expect(ledger.reduce((sum, { points }) => sum + points, 0)).toBe(body.checks.score)
    expect(ledger).toContainEqual(expect.objectContaining({ fact: "rcpt", rule: "reply.accepted", points: 31 }))
    const text = transcript.map(({ text }) => text)
    expect(text).toContain("RCPT TO:<alice+tina@mailbox.test>")
    expect(text).toContain("RCPT TO:<***@mailbox.test>")
    expect(text.join("\n")).not.toMatch(/\bq[a-z0-9]{15}\b/)
  })

  test("works in the body form, for /validate/checks and for a malformed address", async () => {
    const posted = await call<Explained>(
      "POST",
      "/validate/checks",
      postJson({ email: "nobody@mailbox.test", explain: true }),
    )
    expect(posted.body.explanation!.ledger).toContainEqual(
      expect.objectContaining({ fact: "status", value: "invalid", rule: "mailbox_missing" }),
    )
    const malformed = await getByEmail<Explained>("/validate", "a..b@mailbox.test", { more: "&explain=true" })
    expect(malformed.body.explanation!.transcript).toEqual([])
    expect(malformed.body.explanation!.ledger.reduce((sum, { points }) => sum + points, 0)).toBe(0)
  })
})

test("fresh=true probes again and costs a credit, unless the stored result is of the last minute", async () => {
  const key = await newKey()
  const email = "user7@d0925.test"
  const read = async (query = "") => {
    const init = withKey(key, { at: `/validate?email=${email}${query}` })
    return (await call<{ checks: { cached: boolean } }>("GET", "/validate", init)).body.checks.cached
  }
  await verifyAndStore(key, email)
  expect([await read(), await read("&fresh=true")]).toEqual([true, true])
  const age = sql`UPDATE results SET verified_at = verified_at - 61000 WHERE address = ${email}`
  await openDatabase(inject("database")).run(age)
  expect(await read()).toBe(true)
  expect(await read("&fresh=true")).toBe(false)
  await expect.poll(() => usedCredits(key)).toBe(2)
})
