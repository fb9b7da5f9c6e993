import { describe, expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"

interface Listing {
  readonly keys: { key_id: string; is_active: number; credits_this_month: number; monthly_limit: number | null }[]
}

const validate = (key: TestKey, email: string, more = "") =>
  call("GET", "/validate", withKey(key, { at: `/validate?email=${encodeURIComponent(email)}${more}` }))
const list = async (key: TestKey) => (await call<Listing>("GET", "/keys", withKey(key))).body.keys

describe("the life of a key", () => {
  test("is created, listed without its secret, used, rotated and revoked", async () => {
    const key = await newKey("free")
    await validate(key, "user1@d0100.test")
    const [listed] = await list(key)
    expect(listed).toMatchObject({ key_id: key.keyId, is_active: 1, monthly_limit: 100, credits_this_month: 1 })
    expect(JSON.stringify(listed)).not.toContain(key.secret)

    const rotated = await call<{ key_id: string; api_key: string }>(
      "POST",
      "/keys/{key_id}/rotate",
      withKey(key, { at: `/keys/${key.keyId}/rotate` }),
    )
    expect(rotated.body).toMatchObject({ rotated_from: key.keyId, revoked: key.keyId })
    const next = { keyId: rotated.body.key_id, secret: rotated.body.api_key }
    expect((await call("GET", "/keys", withKey(key))).status).toBe(401)
    expect(await list(next)).toMatchObject([
      { key_id: next.keyId, is_active: 1, replaced_by: null },
      { key_id: key.keyId, is_active: 0, replaced_by: next.keyId },
    ])

    const at = `/keys/${next.keyId}`
    expect((await call("DELETE", "/keys/{key_id}", withKey(next, { at }))).status).toBe(200)
    expect((await call("GET", "/keys", withKey(next))).status).toBe(401)
  })

  test("another account's key answers exactly like an unknown one", async () => {
    const [mine, theirs] = [await newKey(), await newKey()]
    for (const [method, path] of [
      ["GET", "/keys/{key_id}/usage"],
      ["POST", "/keys/{key_id}/rotate"],
      ["DELETE", "/keys/{key_id}"],
    ] as const) {
      const answers = []
      for (const id of [theirs.keyId, "kid_000000000000000000000000"])
        answers.push(await call(method, path, withKey(mine, { at: path.replace("{key_id}", id) })))
      expect(answers[0]).toMatchObject({ status: 404, body: answers[1]!.body })
    }
    expect((await list(theirs))[0]).toMatchObject({ is_active: 1 })
  })

  test("a key created without a tier works next to one that has used more than a free month", async () => {
    const pro = await newKey("pro")
    const emails = (from: number) => Array.from({ length: 100 }, (_, i) => `user${from + i}@d0107.test`)
    for (const from of [0, 100]) await call("POST", "/validate/bulk", withKey(pro, postJson({ emails: emails(from) })))
    const made = await call<{ api_key: string; tier: string }>(
      "POST",
      "/keys",
      withKey(pro, postJson({ name: "second", owner_email: "someone-else@mailbox.test" })),
    )
    expect(made.body).toMatchObject({ tier: "free", monthly_limit: 100 })
    const beyond = postJson({ name: "third", owner_email: "someone-else@mailbox.test", tier: "enterprise" })
    expect(await call("POST", "/keys", withKey(pro, beyond))).toMatchObject({
      status: 402,
      body: { detail: expect.stringContaining("plan is pro") },
    })
    const second = { keyId: "", secret: made.body.api_key }
    const answer = await validate(second, "user200@d0107.test")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("ratelimit")).toContain('"month";r=99;')
    expect((await call("GET", "/usage", withKey(second))).body).toMatchObject({
      credits_used: 1,
      credits_limit: 100,
      credits_remaining: 99,
    })
    expect((await call("GET", "/usage", withKey(pro))).body).toMatchObject({ credits_used: 201, credits_limit: 10_000 })
  })

  test("two concurrent rotations give one new key", async () => {
    const key = await newKey()
    const spare = await call<{ api_key: string }>(
      "POST",
      "/keys",
      withKey(key, postJson({ name: "spare", owner_email: "someone-else@mailbox.test" })),
    )
    const rotate = () => call("POST", "/keys/{key_id}/rotate", withKey(key, { at: `/keys/${key.keyId}/rotate` }))
    const answers = await Promise.all(Array.from({ length: 8 }, rotate))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status } of answers) expect([200, 401, 404, 409]).toContain(status)
    const active = (await list({ keyId: "", secret: spare.body.api_key })).filter(({ is_active }) => is_active === 1)
    expect(active).toHaveLength(2)
  })

  test("a revoked key is refused at once, under load", async () => {
    const key = await newKey()
    const use = () => callUnchecked("/validate/fast?email=nobody@nowhere.test", withKey(key))
    const load = Array.from({ length: 40 }, use)
    await call("DELETE", "/keys/{key_id}", withKey(key, { at: `/keys/${key.keyId}` }))
    const after = await Promise.all(Array.from({ length: 40 }, use))
    expect(after.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 401))
    await Promise.all(load)
  })
})

describe("access", () => {
  const refused = { detail: "the API key is invalid or revoked", code: "key_refused" }

  test.each([
    ["a malformed key", "mv_live_nonsense"],
    ["a well-formed unknown key", "mv_live_0000000000000000000000000000000000000"],
    ["an empty key", ""],
  ])("a request with %s gets the same 401", async (_, secret) => {
    const answer = await call("GET", "/keys", { headers: { "x-api-key": secret } })
    expect(answer).toMatchObject({ status: 401, body: refused })
  })

  test("a request without a key gets the same text, and a code of its own", async () => {
    const answer = await call("GET", "/keys")
    expect(answer).toMatchObject({ status: 401, body: { ...refused, code: "key_missing" } })
  })

  test("an invalid key does not count as no key", async () => {
    const answer = await call("GET", "/validate", {
      at: "/validate?email=alice@mailbox.test&api_key=mv_live_bad",
    })
    expect(answer).toMatchObject({ status: 401, body: refused })
  })

  test("a higher tier requires a plan, and another account's key cannot join an account", async () => {
    const wanted = await call("POST", "/keys", postJson({ name: "x", owner_email: "a@mailbox.test", tier: "pro" }))
    expect(wanted).toMatchObject({ status: 402, body: { code: "plan_required" } })
    const malformed = await call("POST", "/keys", postJson({ name: "x", owner_email: "not an address" }))
    expect(malformed.status).toBe(400)
    const [one, two] = [await newKey(), await newKey()]
    expect((await list(one)).map(({ key_id }) => key_id)).not.toContain(two.keyId)
  })

  test("a wrong admin secret is 403, and guesses are rate limited", async () => {
    const guess = () =>
      call("POST", "/keys", {
        ...postJson({ name: "x", owner_email: "a@mailbox.test" }),
        headers: { "content-type": "application/json", "x-admin-secret": "wrong".repeat(8) },
      })
    const statuses = (await Promise.all(Array.from({ length: 14 }, guess))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
    expect((await newKey()).secret).toMatch(/^mv_live_[0-9A-Za-z]{38}$/)
  })
})

describe("limits are exact", () => {
  test("12 concurrent calls at 10 a minute: exactly 10 are served, the others get the time to wait", async () => {
    const key = await newKey("free")
    const calls = Array.from({ length: 12 }, (_, i) => validate(key, `user${i}@d0101.test`))
    const answers = await Promise.all(calls)
    const served = answers.filter(({ status }) => status === 200)
    expect(served).toHaveLength(10)
    for (const { status, headers, body } of answers.filter(({ status }) => status !== 200)) {
      expect(status).toBe(429)
      expect(headers.get("ratelimit-policy")).toMatch(/^"rpm";q=10;w=60/)
      const seconds = Number(headers.get("retry-after"))
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(body).toMatchObject({ detail: expect.stringContaining(`${seconds} seconds`), code: "minute_exceeded" })
    }
    expect((await list(key))[0]).toMatchObject({ credits_this_month: 10 })
  })

  test("a request beyond the month's rest is refused with the used and the requested credits", async () => {
    const key = await newKey("free")
    await validate(key, "user1@d0106.test")
    const emails = Array.from({ length: 100 }, (_, i) => `user${i}@d0106.test`)
    const { headers, ...posted } = postJson({ emails, deduplicate: false })
    const withSecret = { ...posted, headers: { ...headers, "x-api-key": key.secret } }
    const { status, body, ...answer } = await call("POST", "/validate/bulk", withSecret)
    const seconds = Number(answer.headers.get("retry-after"))
    const day = new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 7)
    const detail = `the month's limit of 100 leaves too little: 1 used, 100 asked for; the next month begins on ${day}-01, in ${seconds.toLocaleString("en")} seconds. A larger plan or bought credits work at once`
    expect({ status, body }).toEqual({ status: 429, body: { detail, code: "month_exceeded" } })
  })

  test("a request beyond the whole month's limit is 402, because waiting does not help", async () => {
    const key = await newKey("free")
    const emails = Array.from({ length: 101 }, (_, i) => `user${i}@d0167.test`)
    const answer = await call("POST", "/validate/bulk/turbo", withKey(key, postJson({ emails })))
    const detail =
      "101 credits are needed, more than the whole month's limit of 100: split the work, or choose a larger plan"
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 402,
      body: { detail, code: "month_too_small" },
    })
    expect(answer.headers.get("retry-after")).toBeNull()
    expect((await list(key))[0]).toMatchObject({ credits_this_month: 0 })
  })

  test("cached and unknown results cost nothing; headers report the remaining credits", async () => {
    const key = await newKey("starter")
    const first = await validate(key, "user1@d0102.test")
    expect(first.headers.get("ratelimit-policy")).toBe('"rpm";q=30;w=60, "month";q=1000;w=2592000')
    expect(first.headers.get("ratelimit")).toMatch(/^"rpm";r=29;t=\d+, "month";r=999;t=\d+$/)
    await validate(key, "user1@d0102.test")
    await validate(key, "alice@refused.test")
    const uncounted = await validate(key, "not an address")
    expect(uncounted.headers.get("ratelimit-policy")).toBeNull()
    expect((await list(key))[0]).toMatchObject({ credits_this_month: 1 })
    expect(first.headers.get("cache-control")).toBe("no-store")
  })

  test("credits that the key's limiter has leased for later calls are not used", async () => {
    const key = await newKey("pro")
    const left = []
    for (let n = 0; n < 4; n++) {
      const { headers } = await validate(key, `user${n}@d0166.test`)
      left.push(headers.get("ratelimit")?.split("month")[1]?.split(";")[1])
    }
    expect(left).toEqual(["r=9999", "r=9998", "r=9997", "r=9996"])
    const usage = await call("GET", "/usage", withKey(key))
    expect(usage.body).toMatchObject({ credits_used: 4, credits_remaining: 9_996 })
    expect((await list(key))[0]).toMatchObject({ credits_this_month: 4 })
  })

  test("a free request reports the remaining requests of the minute", async () => {
    const key = await newKey("starter")
    const at = "/validate/quick?email=never-verified@d0102.test"
    const quick = await call("GET", "/validate/quick", withKey(key, { at }))
    const dedup = await call("POST", "/utils/dedup", withKey(key, postJson(["user1@d0102.test"])))
    for (const { headers } of [quick, dedup]) expect(headers.get("ratelimit-policy")).toMatch(/^"rpm";q=30;w=60/)
    expect(quick.headers.get("ratelimit")).toMatch(/^"rpm";r=29;t=\d+$/)
    expect(dedup.headers.get("ratelimit")).toMatch(/^"rpm";r=28;t=\d+$/)
  })
})

describe("/validate/fast", () => {
  test("is 404 before the verification, has the same checks after it, and honors max_age_hours", async () => {
    const key = await newKey()
    const fast = (more = "") =>
      call("GET", "/validate/fast", withKey(key, { at: `/validate/fast?email=user5@d0103.test${more}` }))
    expect((await fast()).status).toBe(404)
    const full = (await validate(key, "user5@d0103.test")).body.checks as object
    expect((await fast()).body.checks).toEqual({ ...full, cached: true })
    expect((await fast("&max_age_hours=1")).status).toBe(200)
    expect((await fast("&max_age_hours=0")).status).toBe(422)
    expect((await call("GET", "/validate/fast", { at: "/validate/fast?email=nonsense" })).status).toBe(404)
  })
})

test("an account creates at most a hundred secrets an hour, of any kind", async () => {
  const key = await newKey("free")
  const make = () => call("POST", "/keys", withKey(key, postJson({ name: "more", owner_email: "owner@mailbox.test" })))
  const token = () => call("POST", "/fleet/tokens", withKey(key))
  const made = await Promise.all([...Array.from({ length: 99 }, make), token()])
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 200))
  const rotate = call("POST", "/keys/{key_id}/rotate", withKey(key, { at: `/keys/${key.keyId}/rotate` }))
  const further = await Promise.all([make(), token(), rotate])
  expect(further.map(({ status }) => status)).toEqual([429, 429, 429])
  expect((await make()).headers.get("retry-after")).not.toBeNull()
})

test("the admin secret is not in the published document", async () => {
  expect((await callUnchecked("/openapi.json")).text).not.toContain(inject("adminSecret"))
})
