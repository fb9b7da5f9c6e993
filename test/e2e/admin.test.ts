import { describe, expect, inject, test } from "vitest"
import { asAdmin, newKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { untilStored } from "../support/stack/stored.ts"

async function validate(email: string): Promise<void> {
  await call("GET", "/validate", { at: `/validate?email=${encodeURIComponent(email)}` })
  await untilStored(email)
}

describe("endpoints for the operator", () => {
  const operatorEndpoints = [
    ["GET", "/admin/users"],
    ["GET", "/admin/disposable-stats"],
    ["GET", "/admin/domain-intel/stats"],
    ["GET", "/admin/domain-learning/stats"],
    ["GET", "/db/search"],
    ["GET", "/db/stats"],
    ["GET", "/compliance/audit-trail"],
    ["GET", "/compliance/summary"],
  ] as const

  test.each(operatorEndpoints)("%s %s requires the admin secret", async (method, path) => {
    const key = await newKey()
    expect((await call(method, path)).status).toBe(403)
    expect((await call(method, path, withKey(key))).status).toBe(403)
    expect((await call(method, path, asAdmin())).status).toBe(200)
  })
})

describe("stored results", () => {
  test("are found by address, by domain and page by page, and counted", async () => {
    const emails = ["user1@d0960.test", "user2@d0960.test", "user3@d0960.test", "no-1@d0960.test"]
    for (const email of emails) await validate(email)
    const found = await call("GET", "/db/lookup", asAdmin({ at: "/db/lookup?email=User1@d0960.test" }))
    expect(found.body).toMatchObject({ email: "user1@d0960.test", status: "valid", is_fresh: true })
    expect((await call("GET", "/db/lookup", asAdmin({ at: "/db/lookup?email=nobody@d0960.test" }))).status).toBe(404)

    const seen: string[] = []
    for (let cursor = ""; ; ) {
      const at = `/db/search?domain=d0960.test&limit=2&cursor=${cursor}`
      const { body } = await call<{ results: { email: string }[]; total: number; next_cursor: string | null }>(
        "GET",
        "/db/search",
        asAdmin({ at }),
      )
      expect(body.total).toBe(4)
      seen.push(...body.results.map(({ email }) => email))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    expect(seen).toEqual(emails.toSorted())
    const second = await call("GET", "/db/search", asAdmin({ at: "/db/search?domain=d0960.test&limit=2&offset=2" }))
    expect(second.body).toMatchObject({ results: seen.slice(2).map((email) => ({ email })), next_cursor: null })
    const invalid = await call("GET", "/db/search", asAdmin({ at: "/db/search?domain=d0960.test&status=invalid" }))
    expect(invalid.body).toMatchObject({ total: 1, results: [{ email: "no-1@d0960.test" }] })

    const domain = await call("GET", "/db/domain/{domain}", asAdmin({ at: "/db/domain/d0960.test" }))
    expect(domain.body).toMatchObject({
      total: 4,
      by_status: { valid: 3, invalid: 1 },
      facts: { route: { is_fresh: true } },
    })
    const stats = await call<{ total: number }>("GET", "/db/stats", asAdmin())
    expect(stats.body.total).toBeGreaterThanOrEqual(4)
    expect((await call("GET", "/db/search", asAdmin({ at: "/db/search?cursor=%C3%A4" }))).status).toBe(400)
  })

  test("are visible to the accounts that requested them, and to no other account", async () => {
    const [mine, other] = [await newKey(), await newKey()]
    await call("GET", "/validate", withKey(mine, { at: "/validate?email=user1@d0961.test" }))
    const at = "/db/lookup?email=user1@d0961.test"
    await expect.poll(async () => (await call("GET", "/db/lookup", withKey(mine, { at }))).status).toBe(200)
    expect((await call("GET", "/db/lookup", withKey(other, { at }))).status).toBe(404)
    expect((await call("GET", "/db/lookup", { at })).status).toBe(401)
  })
})

describe("statistics", () => {
  test("an account gets its own numbers, the operator those of all accounts", async () => {
    const key = await newKey()
    for (const email of ["user1@d0902.test", "user1@d0902.test", "no-1@d0902.test"])
      await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
    await expect
      .poll(async () => (await call("GET", "/stats", withKey(key))).body)
      .toMatchObject({ scope: "account", verifications: 3, by_status: { valid: 2, invalid: 1 } })
    expect((await call("GET", "/stats/domains", withKey(key))).body).toMatchObject({
      domains: [{ domain: "d0902.test", count: 3 }],
    })
    const all = await call<{ verifications: number }>("GET", "/stats", asAdmin())
    expect(all.body).toMatchObject({ scope: "service" })
    expect(all.body.verifications).toBeGreaterThanOrEqual(2)
    expect((await call("GET", "/stats/domains", asAdmin())).body).toMatchObject({ scope: "service" })
    expect((await call("GET", "/stats/store", withKey(key))).status).toBe(200)
    expect((await call("GET", "/stats")).status).toBe(401)
  })

  test("cache hits and misses are counted", async () => {
    interface Places {
      readonly today: Record<"edge" | "store", { hits: number; misses: number }>
    }
    const before = (await call<Places>("GET", "/cache/stats", asAdmin())).body.today
    await validate("user1@d0903.test")
    for (let i = 0; i < 3; i++) await call("GET", "/validate/fast", { at: "/validate/fast?email=user1@d0903.test" })
    const miss = await call("GET", "/validate/fast", { at: "/validate/fast?email=nobody@d0903.test" })
    expect(miss).toMatchObject({ status: 404, body: { code: "not_cached" } })
    await expect
      .poll(async () => (await call<Places>("GET", "/cache/stats", asAdmin())).body.today)
      .toSatisfy(
        ({ edge, store }: Places["today"]) =>
          edge.hits >= before.edge.hits + 3 && edge.misses > before.edge.misses && store.misses > before.store.misses,
      )
  })

  test("report how many domains are known", async () => {
    await validate("user1@d0904.test")
    const { body } = await call<{ domains: number; looked_at_today: number }>(
      "GET",
      "/admin/domain-intel/stats",
      asAdmin(),
    )
    expect(body.domains).toBeGreaterThan(0)
    expect(body.looked_at_today).toBeGreaterThan(0)
    expect((await call("GET", "/admin/domain-learning/stats", asAdmin())).body).toMatchObject({
      feedback_total: expect.any(Number),
    })
  })
})

describe("users", () => {
  interface Users {
    readonly users: { account_id: string; email: string | null; tier: string }[]
    readonly next_cursor: string | null
  }

  test("are listed page by page, each exactly once", async () => {
    await Promise.all([newKey(), newKey(), newKey()])
    const ids: string[] = []
    for (let cursor = "", pages = 0; pages < 200; pages++) {
      const at = `/admin/users?limit=40&cursor=${cursor}`
      const { body } = await call<Users>("GET", "/admin/users", asAdmin({ at }))
      ids.push(...body.users.map(({ account_id }) => account_id))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(3)
  })

  test("an upgrade applies from the next request, to the session and the keys", async () => {
    const email = `owner-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    const session = await signIn(email)
    const made = await call<{ api_key: string; key_id: string }>("POST", "/keys", {
      ...postJson({ name: "x", owner_email: email }),
      headers: { "content-type": "application/json", authorization: `Bearer ${session}` },
    })
    const key = { keyId: made.body.key_id, secret: made.body.api_key }
    expect((await call("GET", "/usage", withKey(key))).body).toMatchObject({ tier: "free", credits_limit: 100 })

    const at = `/admin/users/${encodeURIComponent(email.toUpperCase().replace("INBOX.TEST", "inbox.test"))}/upgrade`
    const init = { ...asAdmin(postJson({ tier: "pro" })), at }
    const upgraded = await call("POST", "/admin/users/{email}/upgrade", init)
    expect(upgraded.body).toMatchObject({ email, tier: "pro", previous_tier: "free", keys_updated: 1 })
    expect((await call("GET", "/usage", withKey(key))).body).toMatchObject({ tier: "pro", credits_limit: 10_000 })
    const me = await call("GET", "/auth/me", { headers: { authorization: `Bearer ${session}` } })
    expect(me.body).toMatchObject({ tier: "pro" })

    // A key with a lower tier, for example for a partner, keeps it, and never exceeds the plan.
    const lesser = await call("POST", "/keys", withKey(key, postJson({ name: "partner", owner_email: email })))
    expect(lesser.body).toMatchObject({ tier: "free" })
    const tiersAt = async (tier: string) => {
      await call("POST", "/admin/users/{email}/upgrade", { ...asAdmin(postJson({ tier })), at })
      const { body } = await call<{ keys: { tier: string }[] }>("GET", "/keys", withKey(key))
      return body.keys.map((one) => one.tier)
    }
    expect(await tiersAt("enterprise")).toEqual(["free", "enterprise"])
    expect(await tiersAt("starter")).toEqual(["free", "starter"])
    expect(await tiersAt("free")).toEqual(["free", "free"])
  })

  const upgrade = (account: string, tier = "pro") =>
    call<{ account_id: string }>("POST", "/admin/users/{email}/upgrade", {
      ...asAdmin(postJson({ tier })),
      at: `/admin/users/${encodeURIComponent(account)}/upgrade`,
    })

  test("an unknown account is 404, text in no form of an account is 400", async () => {
    for (const unknown of ["stranger@inbox.test", "acc_000000000000000000000000", "kid_000000000000000000000000"])
      expect((await upgrade(unknown)).status).toBe(404)
    expect((await upgrade("nonsense")).status).toBe(400)
  })

  test("an account without a mailbox is upgraded by its id, and by the id of a key", async () => {
    const key = await newKey("free")
    const byKey = await upgrade(key.keyId)
    expect(byKey.body).toMatchObject({ email: "", tier: "pro", previous_tier: "free", keys_updated: 1 })
    expect((await call("GET", "/usage", withKey(key))).body).toMatchObject({ tier: "pro" })
    expect((await upgrade(byKey.body.account_id, "unlimited")).body).toMatchObject({ previous_tier: "pro" })
    const unlimited = { tier: "unlimited", credits_limit: null, credits_available: null }
    expect((await call("GET", "/usage", withKey(key))).body).toMatchObject(unlimited)
  })
})

async function signIn(email: string): Promise<string> {
  const from = { "content-type": "application/json", "x-real-ip": `10.99.${Math.floor(Math.random() * 250)}.1` }
  await call("POST", "/auth/request", { ...postJson({ email }), headers: from })
  const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
  const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
  const token = /#\/sign-in\/([\w-]+)/.exec(messages.at(-1)?.raw ?? "")?.[1] ?? ""
  return (await call<{ session_token: string }>("POST", "/auth/verify", postJson({ token }))).body.session_token
}

describe("a reverification", () => {
  test("skips fresh results, and checks its parameters", async () => {
    const at = "/admin/reverify?status=accept_all&limit=1"
    const answer = await call("POST", "/admin/reverify", asAdmin({ at }))
    expect(answer.body).toMatchObject({ status: "nothing_to_do", job_id: null, queued: 0 })
    for (const query of ["limit=0", "limit=1001", "status=nonsense", "webhook_url=nonsense"])
      expect((await call("POST", "/admin/reverify", asAdmin({ at: `/admin/reverify?${query}` }))).status).toBe(422)
  })
})
