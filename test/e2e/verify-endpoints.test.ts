import { describe, expect, inject, test } from "vitest"
import { newKey, withKey } from "../support/account.ts"
import { type CallInit, call, postJson } from "../support/api.ts"
import type { Received } from "../support/hook-receiver.ts"
import { firstOf } from "../support/order.ts"

const query = (email: string, more = "") => `email=${encodeURIComponent(email)}${more}`
const get = <T = Record<string, unknown>>(
  path: string,
  email: string,
  { more = "", ...init }: CallInit & { more?: string } = {},
) => call<T>("GET", path, { ...init, at: `${path}?${query(email, more)}` })

/** How often a provider was asked about something; suites share the stack, so calls are counted by what they are about. */
async function callsTo(provider: "hibp" | "google" | "microsoft", about: string): Promise<number> {
  const calls = (await (await fetch(`${inject("providerUrls")[provider]}/calls`)).json()) as string[]
  return calls.filter((call) => call.includes(about)).length
}

async function usedCredits(key: Parameters<typeof withKey>[0]): Promise<number> {
  const { body } = await call<{ keys: { key_id: string; verifications_this_month: number }[] }>(
    "GET",
    "/keys",
    withKey(key),
  )
  return body.keys.find(({ key_id }) => key_id === key.keyId)!.verifications_this_month
}

describe("did_you_mean", () => {
  test.each([
    ["alice@gmial.com", "alice@gmail.com"],
    ["alice.gmail.com", "alice@gmail.com"],
    ["alice@mailbox.test", null],
    ["alice@gmail.com", null],
  ])("/validate/syntax: %s", async (email, expected) => {
    expect((await get("/validate/syntax", email)).body.did_you_mean).toBe(expected)
  })

  test("/validate: only where mail has nowhere to go", async () => {
    const { body } = await get("/validate", "alice.gmail.com")
    expect(body).toMatchObject({ status: "invalid", did_you_mean: "alice@gmail.com" })
    expect((await get("/validate", "alice@mailbox.test")).body.did_you_mean).toBeNull()
  })
})

describe("/verify/typo", () => {
  test("nothing suspicious: no suggestion and no look-up", async () => {
    const { body } = await get("/verify/typo", "alice@mailbox.test")
    expect(body).toMatchObject({ has_typo: false, did_you_mean: null, suspicion: null, typed_domain: null })
  })

  test("a slip comes with what DNS says about both domains", async () => {
    const { body } = await get("/verify/typo", "alice@gmial.com")
    expect(body).toMatchObject({
      syntax_valid: true,
      suspicion: { suggestion: "alice@gmail.com", kind: "domain", from: "gmial.com", to: "gmail.com" },
      typed_domain: { domain: "gmial.com" },
      suggested_domain: { domain: "gmail.com" },
    })
  })

  test("a malformed address is answered, not refused", async () => {
    const { body, status } = await get("/verify/typo", "alice.gmail.com")
    expect(status).toBe(200)
    expect(body).toMatchObject({
      syntax_valid: false,
      has_typo: true,
      did_you_mean: "alice@gmail.com",
      typed_domain: null,
    })
  })
})

interface Pending {
  readonly verification_id: string
  readonly state: string
  readonly status: string | null
  readonly result: { status: string; checks: Record<string, unknown> } | null
}

const statusOf = (id: string, init: CallInit = {}) =>
  call<Pending>("GET", "/verify/status/{verification_id}", { ...init, at: `/verify/status/${id}` })

async function untilFinal(id: string, init: CallInit = {}): Promise<Pending> {
  for (let i = 0; i < 100; i++) {
    const { body } = await statusOf(id, init)
    if (body.state === "complete" || body.state === "failed") return body
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("it does not end")
}

describe("/verify/quick and /verify/status", () => {
  test("answers at once, finishes in the background, and is cached afterwards", async () => {
    const first = await get("/verify/quick", "alice+quentin@mailbox.test")
    expect(first.body).toMatchObject({
      state: "queued",
      status: "unknown",
      cached: false,
      checks: null,
      syntax_valid: true,
    })
    const done = await untilFinal(String(first.body.verification_id))
    expect(done).toMatchObject({ state: "complete", status: "valid", result: { status: "valid" } })
    const second = await get("/verify/quick", "alice+quentin@mailbox.test")
    expect(second.body).toMatchObject({ state: "complete", status: "valid", cached: true, checks: { cached: true } })
    expect(await untilFinal(String(second.body.verification_id))).toMatchObject({ status: "valid" })
    const third = await get("/verify/quick", "alice+quentin@mailbox.test")
    expect(third.body.verification_id).toBe(second.body.verification_id)
  })

  test("a slow mail server does not slow the answer", async () => {
    const whole = get("/validate", `whole-${crypto.randomUUID()}@slow-greeting.test`)
    const quick = get("/verify/quick", `quick-${crypto.randomUUID()}@slow-greeting.test`)
    expect(await firstOf({ whole, quick })).toBe("quick")
    expect((await quick).body.state).toBe("queued")
  })

  test("a malformed address is final at once", async () => {
    const { body } = await get("/verify/quick", "a..b@mailbox.test")
    expect(body).toMatchObject({ state: "complete", status: "invalid_syntax", syntax_valid: false })
    const done = await statusOf(String(body.verification_id))
    expect(done.body).toMatchObject({ status: "invalid_syntax", result: { status: "invalid" } })
  })

  test("belongs to the account that asked, and costs it one credit once", async () => {
    const [owner, stranger] = [await newKey(), await newKey()]
    const { body } = await get("/verify/quick", "alice+rita@mailbox.test", withKey(owner))
    const id = String(body.verification_id)
    expect((await statusOf(id)).status).toBe(404)
    expect((await statusOf(id, withKey(stranger))).status).toBe(404)
    expect(await untilFinal(id, withKey(owner))).toMatchObject({ status: "valid" })
    await get("/verify/quick", "alice+rita@mailbox.test", withKey(owner))
    await expect.poll(() => usedCredits(owner)).toBe(1)
  })

  test("an unknown result gives the credit back", async () => {
    const key = await newKey()
    const { body } = await get("/verify/quick", "rita@refused.test", withKey(key))
    expect(await untilFinal(String(body.verification_id), withKey(key))).toMatchObject({ status: "unknown" })
    await expect.poll(() => usedCredits(key)).toBe(0)
  })

  test("tells the webhook once, in the form of Standard Webhooks", async () => {
    const key = await newKey()
    const hook = `${inject("providerUrls").hooks}/quick-${key.keyId}`
    const more = `&webhook_url=${encodeURIComponent(hook)}`
    const { body } = await get("/verify/quick", "alice+hook@mailbox.test", { ...withKey(key), more })
    const received = async () => (await (await fetch(hook)).json()) as Received[]
    await expect.poll(received, { timeout: 5_000 }).toHaveLength(1)
    const [event] = await received()
    expect(event!.headers["webhook-id"]).toMatch(/^evt_/)
    expect(event!.headers["webhook-signature"]).toMatch(/^v1,/)
    expect(JSON.parse(event!.body)).toMatchObject({
      type: "verification.completed",
      data: {
        verification_id: body.verification_id,
        state: "complete",
        status: "valid",
        email: "alice+hook@mailbox.test",
      },
    })
    // A second call finds the result cached: that is another question, and told at once.
    await get("/verify/quick", "alice+hook@mailbox.test", { ...withKey(key), more })
    await expect.poll(received, { timeout: 5_000 }).toHaveLength(2)
    await get("/verify/quick", "alice+hook@mailbox.test", { ...withKey(key), more })
    expect((await received()).length).toBe(2)
  })

  test("an unknown id is 404", async () => {
    expect((await statusOf("ver_none")).status).toBe(404)
  })

  test.each(["http://example.org/hook", "https://127.1/hook", "https://localhost/", "https://a.internal/", "nonsense"])(
    "webhook_url %s is refused by name",
    async (url) => {
      const answer = await get("/verify/quick", "alice@mailbox.test", {
        more: `&webhook_url=${encodeURIComponent(url)}`,
      })
      expect(answer.status).toBe(422)
      expect(answer.body.detail).toMatchObject([{ loc: ["query", "webhook_url"] }])
    },
  )
})

describe("breaches", () => {
  test("are asked for on demand only, and paid for once", async () => {
    const key = await newKey()
    const without = await get<{ checks: object }>("/validate", "pwned@mailbox.test", withKey(key))
    expect(without.body.checks).toMatchObject({ breach_found: null, breach_count: null })
    expect(await callsTo("hibp", "pwned@mailbox.test")).toBe(0)
    const first = await get<{ checks: object }>("/validate", "pwned@mailbox.test", {
      ...withKey(key),
      more: "&breach=true",
    })
    expect(first.body.checks).toMatchObject({ breach_found: true, breach_count: 2 })
    const used = await usedCredits(key)
    const second = await get<{ checks: object }>("/validate", "pwned@mailbox.test", {
      ...withKey(key),
      more: "&breach=true",
    })
    expect(second.body.checks).toMatchObject({ breach_found: true, breach_count: 2, cached: true })
    expect(await callsTo("hibp", "pwned@mailbox.test")).toBe(1)
    expect(await usedCredits(key)).toBe(used)
  })

  test("none is an answer, and nobody else sees it", async () => {
    const { body } = await get<{ checks: object }>("/validate", "sam@mailbox.test", { more: "&breach=true" })
    expect(body.checks).toMatchObject({ breach_found: false, breach_count: 0 })
    const fast = await get<{ checks: object }>("/validate/fast", "sam@mailbox.test")
    expect(fast.body.checks).toMatchObject({ breach_found: null, breach_count: null })
  })

  test("/verify/breach-intel names its sources, with dates", async () => {
    const { body } = await get("/verify/breach-intel", "alice@mailbox.test")
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
    expect((await get("/verify/breach-intel", "nonsense")).status).toBe(400)
  })
})

describe("directories", () => {
  const google = (email: string) => get("/verify/google-workspace", email)
  const microsoft = (email: string) => get("/verify/microsoft-graph", email)

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
    ["sign-in-only@m365.test", { status: "unknown", kind: "user", exists: null }],
    ["nobody@m365.test", { status: "invalid", sub_status: "mailbox_not_found", exists: false }],
    ["bob@elsewhere.test", { status: "unknown", kind: "foreign" }],
  ])("Microsoft: %s", async (email, expected) => {
    expect((await microsoft(email)).body).toMatchObject(expected)
  })

  test("a malformed address is 400, and nobody is asked", async () => {
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

  test("a name and a random string are told apart, with evidence and an interval", async () => {
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

  test("a mailbox the server tells apart needs no resolving", async () => {
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

  test("gives every fact with its points, and the conversation without the random recipient", async () => {
    expect((await get<Explained>("/validate", "alice+tina@mailbox.test")).body.explanation).toBeUndefined()
    const { body } = await get<Explained>("/validate", "alice+tina@mailbox.test", { more: "&explain=true" })
    const { ledger, transcript } = body.explanation!
    expect(ledger.reduce((sum, { points }) => sum + points, 0)).toBe(body.checks.score)
    expect(ledger).toContainEqual(expect.objectContaining({ fact: "rcpt", rule: "reply.accepted", points: 30 }))
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
    const malformed = await get<Explained>("/validate", "a..b@mailbox.test", { more: "&explain=true" })
    expect(malformed.body.explanation!.transcript).toEqual([])
    expect(malformed.body.explanation!.ledger.reduce((sum, { points }) => sum + points, 0)).toBe(0)
  })
})
