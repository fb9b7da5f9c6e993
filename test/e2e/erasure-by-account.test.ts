import { describe, expect, test } from "vitest"
import { asAdmin, newKey, type TestKey, usedCredits, withKey } from "../support/stack/account.ts"
import { type CallInit, call, postJson } from "../support/stack/api.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"
import { untilStored } from "../support/stack/stored.ts"

/** What an account gets for an address on one path. */
interface Seen {
  /** The answer is the stored result. */
  readonly isStored: boolean
}
type Read = (key: TestKey, email: string) => Promise<Seen>

const get = <T>(template: string, key: TestKey, at: string) => call<T>("GET", template, withKey(key, { at }))
const fast = (email: string, init: CallInit = {}) =>
  call("GET", "/validate/fast", { ...init, at: `/validate/fast?email=${email}` })
const validate = (key: TestKey, email: string) =>
  get<{ checks: { cached: boolean; status: string } }>("/validate", key, `/validate?email=${email}`)
const erase = (init: CallInit) => call<{ complete: boolean; tables: { table: string }[] }>("POST", "/gdpr/erase", init)
const hasSharedResult = async (email: string) =>
  (await call("GET", "/db/lookup", asAdmin({ at: `/db/lookup?email=${email}` }))).status === 200

/** Paths on which an account may get a stored result. */
const PATHS: Readonly<Record<string, Read>> = {
  "/validate/fast": async (key, email) => ({ isStored: (await fast(email, withKey(key))).status === 200 }),
  "/validate": async (key, email) => ({ isStored: (await validate(key, email)).body.checks.cached }),
  "/validate/checks": async (key, email) => {
    const { body } = await get<{ checks: { cached: boolean } }>(
      "/validate/checks",
      key,
      `/validate/checks?email=${email}`,
    )
    return { isStored: body.checks.cached }
  },
  "/validate/with-score": async (key, email) => {
    await get("/validate/with-score", key, `/validate/with-score?email=${email}`)
    return { isStored: (await usedCredits(key)) === 0 }
  },
  "/validate/bulk/turbo": async (key, email) => {
    const init = withKey(key, postJson({ emails: [email] }))
    const { body } = await call<{ stats: { cache_hits: number } }>("POST", "/validate/bulk/turbo", init)
    return { isStored: body.stats.cache_hits === 1 }
  },
  "/validate/bulk/async": async (key, email) => {
    const init = withKey(key, postJson({ emails: [email] }))
    const { body } = await call<{ job_id: string }>("POST", "/validate/bulk/async", init)
    return { isStored: (await waitForJobEnd(body.job_id, { "x-api-key": key.secret })).cached === 1 }
  },
  "/validate/quick": async (key, email) => {
    const { body } = await get<{ cached: boolean }>("/validate/quick", key, `/validate/quick?email=${email}`)
    return { isStored: body.cached }
  },
  "/verify/quick": async (key, email) => {
    const { body } = await get<{ state: string }>("/verify/quick", key, `/verify/quick?email=${email}`)
    return { isStored: body.state === "complete" }
  },
  "/find-email/v2": async (key, email) => {
    const lastName = email.slice("user.".length, email.indexOf("@"))
    const at = `/find-email/v2?first_name=User&last_name=${lastName}&domain=d0930.test&do_smtp=false`
    const init = withKey(key, { at, method: "POST" })
    const { body } = await call<{ candidates: { email: string; verified: boolean }[] }>("POST", "/find-email/v2", init)
    return { isStored: body.candidates.some((candidate) => candidate.email === email && candidate.verified) }
  },
  "/check/activity": async (key, email) => {
    const { body } = await get<{ signals: { signal: string; missing: string | null }[] }>(
      "/check/activity",
      key,
      `/check/activity?email=${email}`,
    )
    return { isStored: body.signals.some(({ signal, missing }) => signal.startsWith("verif") && missing === null) }
  },
  "/check/cross-reference": async (key, email) => {
    const init = withKey(key, postJson({ email }))
    const { body } = await call<{ signals: { signal: string; agrees: boolean | null }[] }>(
      "POST",
      "/check/cross-reference",
      init,
    )
    return { isStored: body.signals.find(({ signal }) => signal === "verification")?.agrees === true }
  },
}

/** "user.<family name>", so that the finder has a candidate for it. */
const freshEmail = () => `user.${crypto.randomUUID().replace(/[^a-f]/g, "")}x@d0930.test`

/** Two accounts that both verified an address, and one of them then erases it. */
async function erasedByOne() {
  const email = freshEmail()
  const [other, eraser] = [await newKey(), await newKey()]
  expect((await validate(other, email)).body.checks).toMatchObject({ cached: false, status: "valid" })
  expect((await validate(eraser, email)).body.checks.cached).toBe(true)
  // The history is written after the answer.
  for (const key of [other, eraser])
    await expect.poll(async () => (await call("GET", "/me/recent-verifications", withKey(key))).text).toContain(email)
  expect((await erase(withKey(eraser, postJson({ email })))).body.complete).toBe(true)
  return { email, other, eraser }
}

describe("an erasure by one account", () => {
  test("preserves the shared result that another account paid for", async () => {
    const { email, other } = await erasedByOne()
    expect((await fast(email, withKey(other))).status).toBe(200)
    expect((await validate(other, email)).body.checks.cached).toBe(true)
    expect(await usedCredits(other)).toBe(1)
  })

  test.each(Object.entries(PATHS))("hides the stored result from that account at %s", async (_, read) => {
    const { email, eraser } = await erasedByOne()
    expect(await read(await newKey(), email)).toEqual({ isStored: true })
    expect(await read(eraser, email)).toEqual({ isStored: false })
  })

  test("hides the stored result also after another account verified the address again", async () => {
    const { email, other, eraser } = await erasedByOne()
    const init = withKey(other, postJson({ emails: [email] }))
    expect((await call("POST", "/validate/bulk", init)).status).toBe(200)
    expect((await fast(email, withKey(other))).status).toBe(200)
    expect((await fast(email, withKey(eraser))).status).toBe(404)
  })

  test("leaves nothing of the address in that account's export, lookup and history", async () => {
    const { email, eraser } = await erasedByOne()
    const exported = await get<{ data: object; edge_cache: unknown }>(
      "/gdpr/export",
      eraser,
      `/gdpr/export?email=${email}`,
    )
    expect(Object.keys(exported.body.data)).toEqual(["account_erasures"])
    expect(JSON.stringify(exported.body.data)).not.toContain(email)
    expect(exported.body.edge_cache).toBeNull()
    expect((await get("/db/lookup", eraser, `/db/lookup?email=${email}`)).status).toBe(404)
    const history = await get("/me/recent-verifications", eraser, "/me/recent-verifications")
    expect(history.text).not.toContain(email)
  })

  test("ends when that account verifies the address again and pays for it", async () => {
    const { email, eraser } = await erasedByOne()
    expect((await validate(eraser, email)).body.checks.cached).toBe(false)
    expect(await usedCredits(eraser)).toBe(1)
    expect((await validate(eraser, email)).body.checks.cached).toBe(true)
    expect((await fast(email, withKey(eraser))).status).toBe(200)
    expect(await usedCredits(eraser)).toBe(1)
  })

  test("removes the shared result if no other account verified the address", async () => {
    const email = freshEmail()
    const [one, stranger] = [await newKey(), await newKey()]
    await validate(one, email)
    await untilStored(email)
    expect((await erase(withKey(stranger, postJson({ email })))).body.tables).toEqual([])
    expect(await hasSharedResult(email)).toBe(true)
    expect((await erase(withKey(one, postJson({ email })))).body.tables.map(({ table }) => table)).toContain("results")
    expect(await hasSharedResult(email)).toBe(false)
    expect((await fast(email)).status).toBe(404)
  })

  test("removes the shared result when the last of two accounts erases the address", async () => {
    const { email, other } = await erasedByOne()
    expect(await hasSharedResult(email)).toBe(true)
    expect((await erase(withKey(other, postJson({ email })))).body.complete).toBe(true)
    expect(await hasSharedResult(email)).toBe(false)
  })

  test("considers accounts whose turbo call or quick verification left no history", async () => {
    for (const path of ["/validate/bulk/turbo", "/verify/quick"] as const) {
      const email = freshEmail()
      const [paying, eraser] = [await newKey(), await newKey()]
      await PATHS[path]!(paying, email)
      await expect.poll(() => hasSharedResult(email)).toBe(true)
      await validate(eraser, email)
      await erase(withKey(eraser, postJson({ email })))
      expect([path, await hasSharedResult(email)]).toEqual([path, true])
    }
  })

  test("deletes the stored answers for retries: a retry verifies again and is charged", async () => {
    const email = freshEmail()
    const [other, eraser] = [await newKey(), await newKey()]
    await validate(other, email)
    await untilStored(email)
    const retried = withKey(eraser, postJson({ emails: [email] }))
    const headers = { ...retried.headers, "idempotency-key": "retried" }
    const retry = () => call("POST", "/validate/bulk", { ...retried, headers })
    await retry()
    expect((await retry()).headers.get("idempotency-replayed")).toBe("true")
    await erase(withKey(eraser, postJson({ email })))
    expect((await retry()).headers.has("idempotency-replayed")).toBe(false)
    expect(await usedCredits(eraser)).toBe(2)
    expect((await retry()).headers.get("idempotency-replayed")).toBe("true")
  })
})

test("an erasure of a domain by one account hides its results from that account only", async () => {
  const domain = "d0931.test"
  const [mine, shared] = [`user-mine@${domain}`, `user-shared@${domain}`]
  const [other, eraser] = [await newKey(), await newKey()]
  await validate(other, shared)
  for (const email of [mine, shared]) await validate(eraser, email)
  const init = withKey(eraser, postJson({ domain }))
  expect((await call<{ complete: boolean }>("POST", "/gdpr/domain", init)).body.complete).toBe(true)
  expect([await hasSharedResult(mine), await hasSharedResult(shared)]).toEqual([false, true])
  expect((await fast(shared, withKey(eraser))).status).toBe(404)
  expect((await fast(shared, withKey(other))).status).toBe(200)
  expect((await validate(eraser, shared)).body.checks.cached).toBe(false)
  expect((await fast(shared, withKey(eraser))).status).toBe(200)
})

test("the operator's erasure removes the result and the markers that hid it", async () => {
  const { email, other, eraser } = await erasedByOne()
  expect((await erase(asAdmin(postJson({ email })))).body.tables.map(({ table }) => table)).toEqual(
    expect.arrayContaining(["results", "verified_addresses", "account_erasures"]),
  )
  const exported = await call<{ data: object }>("GET", "/gdpr/export", asAdmin({ at: `/gdpr/export?email=${email}` }))
  expect(exported.body.data).toEqual({})
  for (const key of [other, eraser]) expect((await fast(email, withKey(key))).status).toBe(404)
})
