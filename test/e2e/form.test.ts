import { beforeAll, describe, expect, inject, test } from "vitest"
import { FREE_WORK } from "../../src/domain/accounts/free-work.ts"
import { LIMIT_TABLES } from "../../src/domain/accounts/tiers.ts"
import { newKey, newPublishableKey, SHOP, type TestKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, callUnchecked, postJson } from "../support/stack/api.ts"

interface FormAnswer {
  readonly action: string
  readonly reason: string
  readonly message: string | null
  readonly suggestion: string | null
  readonly suggestion_label: string | null
  readonly lang: string
}

let networks = 0
/** A visitor in a network of its own. */
const newVisitor = () => `10.90.${networks >> 8}.${networks++ & 255}`

let owner: TestKey
let key: TestKey
beforeAll(async () => {
  owner = await newKey()
  key = await newPublishableKey(owner, { daily_budget: 10_000 })
})

interface Asked {
  readonly by?: TestKey
  readonly ip?: string
  readonly headers?: Record<string, string>
  readonly lang?: string
}

function init(email: string, { ip = newVisitor(), headers = {}, lang }: Asked = {}): CallInit {
  const { headers: json, ...rest } = postJson({ email, ...(lang ? { lang } : {}) })
  return { ...rest, headers: { ...json, origin: SHOP, "x-real-ip": ip, ...headers } }
}
const check = (email: string, { by = key, ...asked }: Asked = {}) =>
  call<FormAnswer>("POST", "/form/verify", withKey(by, init(email, asked)))
/** The answer about an address. On a busy machine a lookup may take longer than a form waits, so it is asked again. */
async function answerAbout(email: string, asked: Asked = {}): Promise<FormAnswer> {
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await check(email, asked)
    expect({ status, body }).toMatchObject({ status: 200 })
    if (body.reason !== "no_answer" || attempt === 10) return body
  }
}
const listed = async (keyId: string) => {
  const { body } = await call<{ keys: Record<string, unknown>[] }>("GET", "/keys", withKey(owner))
  return body.keys.find((one) => one.key_id === keyId)
}

describe("POST /form/verify", () => {
  test.each([
    ["user1@d1963.test", "ok", "unverified", null],
    ["anyone@catch-all.test", "ok", "unverified", null],
    ["alice", "fix", "invalid_syntax", null],
    ["alice@gmial.com", "fix", "typo", "alice@gmail.com"],
    ["support@mailbox.test", "warn", "role", null],
    ["alice@mailinator.com", "block", "disposable", null],
    ["alice@null-mx.test", "block", "no_mail_server", null],
    ["alice@no-such-domain.test", "block", "no_mail_server", null],
    ["alice@servfail.test", "ok", "no_answer", null],
    ["alice@dns-timeout.test", "ok", "no_answer", null],
    ["", "fix", "invalid_syntax", null],
  ])("%s: %s, because %s", async (email, action, reason, suggestion) => {
    const body = await answerAbout(email)
    expect(body).toMatchObject({ action, reason, suggestion, lang: "en" })
    expect(body.message === null).toBe(action === "ok")
    expect(body.suggestion_label).toBe(suggestion === null ? null : `Did you mean ${suggestion}?`)
  })

  test("says the same before and after a verdict about a domain whose mail host has no address is stored", async () => {
    const email = "someone+form@mx-unresolvable.test"
    expect(await answerAbout(email)).toMatchObject({ action: "ok" })
    await call("GET", "/validate", withKey(owner, { at: `/validate?email=${email}` }))
    expect(await answerAbout(email)).toMatchObject({ action: "ok" })
  })

  test("uses a fresh stored verdict, without a credit", async () => {
    await call("GET", "/validate", withKey(owner, { at: "/validate?email=nobody%2Bform@mailbox.test" }))
    expect(await answerAbout("nobody+form@mailbox.test")).toMatchObject({ action: "block", reason: "no_mailbox" })
    expect(await listed(key.keyId)).toMatchObject({ credits_total: 0 })
  })

  test("answers in the language of the call, else of the browser, else in English", async () => {
    const accepts = { "accept-language": "fi, fr-CH;q=0.9, en;q=0.5" }
    const langs = [{ lang: "de-AT", headers: accepts }, { headers: accepts }, { lang: "xx" }, {}].map(
      async (asked) => (await answerAbout("alice@gmial.com", asked)).suggestion_label,
    )
    const [german, french, ...english] = await Promise.all(langs)
    expect(german).toBe("Meinten Sie alice@gmail.com?")
    expect(french).toContain("Vouliez-vous dire alice@gmail.com")
    expect(english).toEqual(Array(2).fill("Did you mean alice@gmail.com?"))
  })

  test("probes the mail server only with the key's live_timeout_ms, at a credit of the account", async () => {
    const live = await newPublishableKey(owner, { live_timeout_ms: 3_000 })
    expect(await answerAbout("nobody+live@mailbox.test", { by: live })).toMatchObject({ reason: "no_mailbox" })
    expect(await answerAbout("alice+live@mailbox.test", { by: live })).toMatchObject({ reason: "accepted" })
    await expect.poll(() => listed(live.keyId)).toMatchObject({ credits_total: 2 })
  })

  test("answers without the mail server when the account has no request of the minute left", async () => {
    const poor = await newKey("free")
    const live = await newPublishableKey(poor, { live_timeout_ms: 3_000 })
    const reasons: string[] = []
    for (let n = 0; n < 12; n++) reasons.push((await answerAbout(`alice+poor${n}@mailbox.test`, { by: live })).reason)
    expect(reasons).toEqual([...Array(10).fill("accepted"), ...Array(2).fill("unverified")])
  })
})

describe("who may read an answer", () => {
  const shared = (answer: { headers: Headers }) => answer.headers.get("access-control-allow-origin")

  test("a page of the key's origins, by a simple request with the key in the query", async () => {
    const { headers, ...rest } = init("alice@gmial.com", { headers: { "content-type": "text/plain;charset=UTF-8" } })
    const at = `/form/verify?api_key=${key.secret}`
    const answer = await call<FormAnswer>("POST", "/form/verify", { ...rest, headers: headers!, at })
    expect(answer).toMatchObject({ status: 200, body: { lang: "en" } })
    expect(shared(answer)).toBe(SHOP)
    expect(answer.headers.get("vary")).toContain("Origin")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect([answer.headers.get("ratelimit"), answer.headers.get("ratelimit-policy")]).toEqual([null, null])
  })

  test.each(["https://evil.example", "http://shop.example", "https://shop.example.evil.test", "null", ""])(
    "not a page of %j, which is refused and uses nothing",
    async (origin) => {
      const before = (await listed(key.keyId))!.used_today
      const answer = await check("alice@mailbox.test", { headers: { origin } })
      expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining("web origins") } })
      expect(shared(answer)).toBeNull()
      expect((await listed(key.keyId))!.used_today).toBe(before)
    },
  )

  test("not a request without an Origin", async () => {
    const { headers, ...rest } = init("alice@mailbox.test")
    const { origin: _, ...others } = headers as Record<string, string>
    expect((await callUnchecked("/form/verify", withKey(key, { ...rest, headers: others }))).status).toBe(403)
  })

  test("also of a refusal, for its origins", async () => {
    const answer = await callUnchecked("/form/verify", withKey(key, { ...init("x"), body: "{" }))
    expect({ status: answer.status, shared: shared(answer) }).toEqual({ status: 422, shared: SHOP })
  })

  test("an endpoint of the account never answers the key, not even by a page of its origins", async () => {
    for (const path of ["/usage", "/auth/me", "/keys", "/me/usage", "/validate?email=alice@mailbox.test", "/plans"]) {
      const answer = await callUnchecked(path, withKey(key, { headers: { origin: SHOP } }))
      expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining("only call POST /form") } })
    }
  })
})

describe("the limits", () => {
  test("the daily budget is exact under parallel calls, whatever the network and a forged Origin", async () => {
    const small = await newPublishableKey(owner, { daily_budget: 25 })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => check(`alice+${n}@mailbox.test`, { by: small })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(25)
    const refused = answers.find(({ status }) => status !== 200)!
    expect(refused).toMatchObject({
      status: 429,
      body: { detail: expect.stringContaining("daily budget"), code: "budget_exceeded" },
    })
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(refused.headers.get("access-control-allow-origin")).toBe(SHOP)
    expect(await listed(small.keyId)).toMatchObject({ daily_budget: 25, used_today: 25 })
  })

  test.each([
    ["an IPv4 address", ["192.0.2.10", "192.0.2.10"], "192.0.2.11"],
    ["the /64 of an IPv6 address", ["2001:db8:7:1::1", "2001:db8:7:1:ffff::2"], "2001:db8:7:2::1"],
  ])("a visitor is %s, and a refused one uses nothing of the budget", async (_, [one, same], other) => {
    const slow = await newPublishableKey(owner, { visitor_per_minute: 3 })
    const by = (ip: string) => check("alice@mailbox.test", { by: slow, ip })
    const statuses: number[] = []
    for (const ip of [one!, same!, one!, same!, one!, other]) statuses.push((await by(ip)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429, 200])
    const refused = await by(one!)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(await listed(slow.keyId)).toMatchObject({ visitor_per_minute: 3, used_today: 4 })
  })

  test("all forms of an account share the minute of its plan, whatever their budgets", async () => {
    const free = await newKey("free")
    const keys = [await newPublishableKey(free), await newPublishableKey(free)]
    const calls = await Promise.all(Array.from({ length: 300 }, (_, n) => check("alice", { by: keys[n % 2]! })))
    const admitted = calls.filter(({ status }) => status === 200).length
    const limit = FREE_WORK.formAnswers.limit.perRequest * LIMIT_TABLES.tiers.free.perMinute
    // The calls may fall into two minutes.
    expect(admitted).toBeGreaterThanOrEqual(limit)
    expect(admitted).toBeLessThanOrEqual(2 * limit)
    expect(calls.find(({ status }) => status === 429)!.headers.get("access-control-allow-origin")).toBe(SHOP)
    expect((await check("alice")).status).toBe(200)
  })
})

describe("a publishable key", () => {
  test("is listed with its kind, origins, budget and use, and never by its text", async () => {
    const made = await newPublishableKey(owner)
    expect(made.secret).toMatch(/^mv_pk_[0-9A-Za-z]{38}$/)
    await check("alice@mailbox.test", { by: made })
    expect(await listed(made.keyId)).toMatchObject({
      ...{ kind: "publishable", allowed_origins: [SHOP], scopes: [], last4: made.secret.slice(-4) },
      ...{ daily_budget: 1_000, visitor_per_minute: 20, live_timeout_ms: null, used_today: 1 },
    })
    const secret = { kind: "secret", daily_budget: null, visitor_per_minute: null, used_today: null }
    expect(await listed(owner.keyId)).toMatchObject(secret)
  })

  test("is changed from the next call on, keeps the rest, and stays publishable", async () => {
    const made = await newPublishableKey(owner, { live_timeout_ms: 2_000 })
    const change = (changes: object) => {
      const at = `/keys/${made.keyId}`
      return call("PATCH", "/keys/{key_id}", withKey(owner, { ...postJson(changes), method: "PATCH", at }))
    }
    expect((await change({ daily_budget: 1 })).body).toMatchObject({ daily_budget: 1, live_timeout_ms: 2_000 })
    expect((await change({ live_timeout_ms: null })).body).toMatchObject({ daily_budget: 1, live_timeout_ms: null })
    expect((await change({ allowed_origins: ["https://new.example"] })).body).toMatchObject({ kind: "publishable" })
    expect((await check("alice@mailbox.test", { by: made })).status).toBe(403)
    for (const changes of [{ allowed_origins: null }, { scopes: ["verify"] }])
      expect((await change(changes)).status).toBe(422)
    expect((await change({ scopes: null })).body).toMatchObject({ kind: "publishable", scopes: [] })
  })

  test("keeps its kind and policy when it is rotated, and is refused when it is revoked", async () => {
    const old = await newPublishableKey(owner, { daily_budget: 7 })
    const rotating = withKey(owner, { method: "POST", at: `/keys/${old.keyId}/rotate` })
    const { body } = await call<{ key_id: string; api_key: string }>("POST", "/keys/{key_id}/rotate", rotating)
    const fresh = { keyId: body.key_id, secret: body.api_key }
    expect(fresh.secret).toMatch(/^mv_pk_/)
    expect((await check("alice@mailbox.test", { by: old })).status).toBe(401)
    expect((await check("alice@mailbox.test", { by: fresh })).status).toBe(200)
    expect(await listed(fresh.keyId)).toMatchObject({ daily_budget: 7, used_today: 1 })
    await call("DELETE", "/keys/{key_id}", withKey(owner, { method: "DELETE", at: `/keys/${fresh.keyId}` }))
    expect((await check("alice@mailbox.test", { by: fresh })).status).toBe(401)
    expect(await listed(fresh.keyId)).toMatchObject({ is_active: 0, used_today: null })
  })

  test.each([
    [{ kind: "publishable" }, "allowed_origins"],
    [{ kind: "publishable", allowed_origins: [] }, "allowed_origins"],
    [{ kind: "publishable", allowed_origins: [SHOP], scopes: ["verify"] }, "scopes"],
    [{ kind: "publishable", allowed_origins: [SHOP], daily_budget: 0 }, "daily_budget"],
    [{ kind: "publishable", allowed_origins: [SHOP], live_timeout_ms: 60_000 }, "live_timeout_ms"],
    [{ daily_budget: 10 }, "kind"],
    [{ kind: "other" }, "kind"],
  ])("%j is refused by its field", async (given, field) => {
    const made = postJson({ name: "form", owner_email: "owner@mailbox.test", ...given })
    const { status, body } = await call("POST", "/keys", withKey(owner, made))
    expect({ status, body }).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", field] }] } })
  })

  test("is created by an account without restrictions only", async () => {
    const wanted = { name: "form", owner_email: "o@mailbox.test", kind: "publishable", allowed_origins: [SHOP] }
    const made = postJson(wanted)
    expect(
      (await call("POST", "/keys", { ...made, headers: { ...made.headers, "x-real-ip": "10.92.0.1" } })).status,
    ).toBe(401)
    const restricted = await call<{ api_key: string }>(
      "POST",
      "/keys",
      withKey(owner, postJson({ name: "x", owner_email: "o@mailbox.test", scopes: ["account"] })),
    )
    const by = withKey({ keyId: "", secret: restricted.body.api_key }, made)
    expect((await call("POST", "/keys", by)).status).toBe(403)
    expect((await call("POST", "/keys", withKey(key, { ...made, at: "/keys" }))).status).toBe(403)
  })

  test("its page script is small, cacheable and served to every site", async () => {
    const response = await fetch(`${inject("stackUrl")}/form.js`)
    expect(response.headers.get("content-type")).toContain("javascript")
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("cache-control")).toContain("max-age")
  })
})
