import { beforeAll, describe, expect, test } from "vitest"
import { SANDBOX_ADDRESSES } from "../../scripts/sandbox/addresses.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { type Account, newAccount } from "../support/stack/jobs.ts"

interface BulkAnswer {
  readonly total: number
  readonly summary: Readonly<Record<string, number>>
  readonly results: readonly {
    readonly email: string
    readonly status: string
    readonly sub_status?: string
    readonly is_suppressed?: boolean
  }[]
}
interface TurboAnswer {
  readonly results: readonly {
    readonly rows: readonly number[]
    readonly checks: { readonly email: string; readonly status: string; readonly cached: boolean }
  }[]
  readonly stats: {
    readonly total: number
    readonly deduplicated: number
    readonly cache_hits: number
    readonly fresh_verified: number
  }
}

const bulk = (body: object, headers = {}) => call<BulkAnswer>("POST", "/validate/bulk", request(body, headers))
const turbo = (body: object, headers = {}) => call<TurboAnswer>("POST", "/validate/bulk/turbo", request(body, headers))
const request = (body: object, headers: Record<string, string>): RequestInit => {
  const init = postJson(body)
  return { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } }
}

describe("POST /validate/bulk", () => {
  test("gives each address the same verdict as alone, in the given order", async () => {
    // Not the greylisted address either: another suite verifies it, and expects to be the first.
    const quick = SANDBOX_ADDRESSES.filter(
      ({ about, later }) => !later && !/never|hang|slow|does not answer/.test(about),
    )
    const { body } = await bulk({ emails: quick.map(({ address }) => address) })
    expect(body.total).toBe(quick.length)
    const given = body.results.map(({ status, sub_status = null }, n) => ({
      address: quick[n]!.address,
      status,
      sub_status,
    }))
    const first = ({ address, expect: { status, sub_status } }: (typeof quick)[number]) => ({
      address,
      status,
      sub_status,
    })
    expect(given).toEqual(quick.map(first))
    expect(Object.values(body.summary).reduce((sum, n) => sum + n, 0)).toBe(quick.length)
  })

  test("caches and deduplicates only on request, and honors max_concurrent", async () => {
    const emails = ["alice@mailbox.test", "alice@mailbox.test", "ALICE@mailbox.test", "broken", "broken"]
    expect((await bulk({ emails })).body.total).toBe(5)
    const { body } = await bulk({ emails, deduplicate: true, max_concurrent: 1 })
    expect(body.results.map(({ email }) => email)).toEqual(["alice@mailbox.test", "broken"])
  })

  test("without SMTP no mail server is probed", async () => {
    const { body } = await bulk({ emails: ["user5@d0901.test", "a@no-such-domain.test"], smtp: false })
    expect(body.results.map(({ status }) => status)).toEqual(["unknown", "invalid"])
  })

  test("check_suppression reports for each address whether it is suppressed", async () => {
    const { headers } = await newAccount()
    const [email, other] = ["user6@d0901.test", "user7@d0901.test"]
    await call("POST", "/suppression/add", request({ email, reason: "manual" }, headers))
    const suppressionFlags = async (more: object) => {
      const { body } = await bulk({ emails: [email, other, "zz"], ...more }, headers)
      return body.results.map(({ is_suppressed }) => is_suppressed)
    }
    expect(await suppressionFlags({ check_suppression: true })).toEqual([true, false, false])
    expect(await suppressionFlags({})).toEqual([undefined, undefined, undefined])
  })
})

describe("POST /validate/bulk/turbo", () => {
  test("probes once, then answers from the cache", async () => {
    const emails = Array.from(
      { length: 400 },
      (_, n) => `${n % 4 ? "user" : "no-"}${n}@d${String(1000 + (n % 150))}.test`,
    )
    const first = await turbo({ emails: [...emails, "zz", emails[0]] })
    const none = { cache_hits: 0, fresh_verified: 0, unknown: 0, malformed: 0 }
    expect(first.body.stats).toMatchObject({ ...none, total: 401, deduplicated: 1, fresh_verified: 400, malformed: 1 })
    expect(first.body.results.map(({ rows }) => rows)).toEqual([[0, 401], ...emails.map((_, n) => [n + 1])])
    expect(first.body.results.map(({ checks }) => checks.status)).toEqual([
      ...emails.map((email) => (email.startsWith("no-") ? "invalid" : "valid")),
      "invalid_syntax",
    ])
    const second = await turbo({ emails })
    expect(second.body.stats).toMatchObject({ ...none, total: 400, cache_hits: 400 })
    const uncached = first.body.results.slice(0, 400).map(({ checks }) => ({ ...checks, cached: true }))
    expect(second.body.results.map(({ checks }) => checks)).toEqual(uncached)
  })

  test("preserves duplicates on request", async () => {
    const emails = ["user8@d0901.test", "user8@d0901.test", "User8@d0901.test"]
    const { body } = await turbo({ emails, deduplicate: false })
    expect(body.stats).toMatchObject({ total: 3, deduplicated: 0, cache_hits: 0, fresh_verified: 3 })
    expect(body.results.map(({ rows }) => rows)).toEqual([[0], [1], [2]])
  })

  test("a deferred address is unknown, and its verification is completed in the background", async () => {
    const email = "alice+later@greylist.test"
    expect((await turbo({ emails: [email] })).body.results[0]!.checks).toMatchObject({ status: "unknown" })
    const stored = async () => (await callUnchecked(`/validate/fast?email=${encodeURIComponent(email)}`)).body
    await expect.poll(stored).toMatchObject({ checks: { status: "valid" } })
  })
})

describe("an invalid list is refused, and costs nothing", () => {
  let key: Account
  beforeAll(async () => {
    key = await newAccount("pro")
  })
  const used = async () => {
    const { body } = await call<{ keys: { credits_this_month: number }[] }>("GET", "/keys", {
      headers: key.headers,
    })
    return body.keys.reduce((sum, one) => sum + one.credits_this_month, 0)
  }
  const fresh = (n: number) => Array.from({ length: n }, (_, index) => `user-fresh${index}@d0777.test`)
  const many = (n: number) => Array.from({ length: n }, (_, index) => `user${index}@d1831.test`)

  test.each([
    ["no addresses", "/validate/bulk", { emails: [] }],
    ["101 addresses", "/validate/bulk", { emails: many(101) }],
    ["null", "/validate/bulk", { emails: null }],
    ["no field emails", "/validate/bulk", {}],
    ["numbers", "/validate/bulk", { emails: [1, 2] }],
    ["nested lists", "/validate/bulk", { emails: [["a@mailbox.test"]] }],
    ["an invalid switch", "/validate/bulk", { emails: ["a@mailbox.test"], smtp: "yes" }],
    ["no addresses", "/validate/bulk/turbo", { emails: [] }],
    ["5,001 addresses", "/validate/bulk/turbo", { emails: many(5_001) }],
    ["an object", "/validate/bulk/turbo", { emails: { 0: "a@mailbox.test" } }],
  ])("%s at %s", async (_, path, body) => {
    const answer = await call(`POST`, path, request(body, key.headers))
    expect(answer.status).toBe(422)
    const { detail } = answer.body as unknown as { detail: { loc: unknown[] }[] }
    for (const { loc } of detail) expect(loc.slice(0, 1)).toEqual(["body"])
    expect(await used()).toBe(0)
  })

  test("a list beyond the remaining credits is refused as a whole, before any probe", async () => {
    const free = await newAccount("free")
    const answer = await call("POST", "/validate/bulk/turbo", request({ emails: fresh(101) }, free.headers))
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([402, null])
    const small = await call<BulkAnswer>("POST", "/validate/bulk", request({ emails: many(3) }, free.headers))
    expect(small.body.summary).toEqual({ valid: 3 })
  })

  test("only verified addresses are charged", async () => {
    const free = await newAccount("free")
    const emails = ["user7@d0002.test", "no-7@d0002.test", "alice@tempfail.test", "broken"]
    await bulk({ emails }, free.headers)
    const { body } = await call<{ keys: { credits_this_month: number }[] }>("GET", "/keys", {
      headers: free.headers,
    })
    expect(body.keys[0]!.credits_this_month).toBe(2)
  })
})
