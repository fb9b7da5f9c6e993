import { describe, expect, test } from "vitest"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"

const validate = (key: TestKey, email: string) =>
  call("GET", "/validate", withKey(key, { at: `/validate?email=${encodeURIComponent(email)}` }))

describe("operator resources that a customer cannot see", () => {
  const NOTHING = {
    "/ips": { ips: [] },
    "/ip-pool/status": { pools: [], total: 0 },
    "/infra/blacklist-status": { listed: 0, clean: 0, unknown: 0, ips: [] },
    "/senders": { senders: [] },
    "/regions/health": { regions: [] },
    "/sender-domains": { domains: [] },
  }

  test.each(Object.entries(NOTHING))("%s", async (path, nothing) => {
    const at = "/sender-domains/register?domain=mailverdict.test"
    await call("POST", "/sender-domains/register", asAdmin({ at }))
    expect((await call("GET", path, withKey(await newKey()))).body).toEqual(nothing)
    expect((await call("GET", path, asAdmin())).body).not.toEqual(nothing)
  })

  test("/regions/route names the shared nodes without their addresses", async () => {
    interface Route {
      readonly candidates: { node_id: string; source_ips: string[]; held_source_ips: object[] }[]
    }
    const at = "/regions/route?domain=mailbox.test"
    const [mine, all] = [withKey(await newKey(), { at }), asAdmin({ at })]
    const candidates = async (init: typeof mine) => (await call<Route>("GET", "/regions/route", init)).body.candidates
    expect(await candidates(mine)).toMatchObject([{ node_id: "local-1", source_ips: [], held_source_ips: [] }])
    expect(await candidates(all)).toMatchObject([{ node_id: "local-1", source_ips: ["127.0.0.1", "127.0.0.2"] }])
  })
})

describe("a customer gets its own numbers", () => {
  interface Store {
    readonly scope: string
    readonly results: { total: number; by_status: Record<string, number> }
    readonly rows: Record<string, number>
  }
  const store = async (init: ReturnType<typeof asAdmin>) => (await call<Store>("GET", "/stats/store", init)).body

  test("/stats/store", async () => {
    const [mine, other] = [await newKey(), await newKey()]
    for (const email of ["user1@d0940.test", "user1@d0940.test", "no-1@d0940.test"]) await validate(mine, email)
    await validate(other, "user2@d0940.test")
    await call("POST", "/suppression/add", withKey(mine, postJson({ email: "stop@d0940.test", reason: "manual" })))
    await expect
      .poll(() => store(withKey(mine)))
      .toEqual({
        scope: "account",
        results: {
          total: 3,
          by_status: { valid: 2, invalid: 1, accept_all: 0, unknown: 0, invalid_syntax: 0 },
        },
        rows: { verified_addresses: 2, verifications: 3, jobs: 0, suppressions: 1, feedback: 0 },
      })
    expect(await store(withKey(await newKey()))).toMatchObject({ scope: "account", results: { total: 0 } })
    const all = await store(asAdmin())
    expect(all).toMatchObject({ scope: "service", rows: { domains: expect.any(Number) } })
    expect(all.results.total).toBeGreaterThanOrEqual(3)
  })

  test("/cache/stats", async () => {
    interface Cache {
      readonly scope: string
      readonly today: Record<"edge" | "store", { hits: number; misses: number; hit_rate: number | null } | null>
    }
    const cache = async (init: ReturnType<typeof asAdmin>) => (await call<Cache>("GET", "/cache/stats", init)).body
    const [mine, other] = [await newKey(), await newKey()]
    await validate(other, "user3@d0940.test")
    for (const email of ["user3@d0940.test", "user4@d0940.test", "user4@d0940.test", "malformed@@"])
      await validate(mine, email)
    await expect
      .poll(() => cache(withKey(mine)))
      .toMatchObject({ scope: "account", today: { edge: null, store: { hits: 2, misses: 1, hit_rate: 0.6667 } } })
    expect((await cache(withKey(await newKey()))).today.store).toEqual({ hits: 0, misses: 0, hit_rate: null })
    const all = await cache(asAdmin())
    expect(all).toMatchObject({ scope: "service", today: { edge: { hits: expect.any(Number) } } })
  })

  test("/greylist", async () => {
    const [mine, other] = [await newKey(), await newKey()]
    await validate(mine, `own-${crypto.randomUUID()}@tempfail.test`)
    const waiting = async (init: ReturnType<typeof asAdmin>) =>
      (await call<{ waiting: number }>("GET", "/greylist", init)).body.waiting
    await expect.poll(() => waiting(withKey(mine))).toBe(1)
    expect(await waiting(withKey(other))).toBe(0)
    expect(await waiting(asAdmin())).toBeGreaterThanOrEqual(1)
  })
})
