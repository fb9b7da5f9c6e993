import { describe, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

interface Usage {
  readonly verifications_this_month: number
  readonly daily: { date: string; verifications: number }[]
}

const usageOf = async ({ keyId }: TestKey, asker: TestKey, query = "") => {
  const at = `/keys/${keyId}/usage${query}`
  return (await call<Usage>("GET", "/keys/{key_id}/usage", withKey(asker, { at }))).body
}
const validate = (key: TestKey, email: string) =>
  call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
const today = () => new Date().toISOString().slice(0, 10)

describe("the counters of a key", () => {
  test("count its verifications by day, with new and stored results, beside its credits", async () => {
    const key = await newKey("pro")
    const init = postJson({ name: "second", owner_email: "owner@mailbox.test" })
    const made = await call<{ key_id: string; api_key: string }>("POST", "/keys", withKey(key, init))
    const second = { keyId: made.body.key_id, secret: made.body.api_key }
    // A new and a stored result, and a malformed address: three verifications for one credit.
    for (const email of ["user1@d0920.test", "user1@d0920.test", "no-address"]) await validate(key, email)
    await validate(second, "user2@d0920.test")
    await call(
      "POST",
      "/find-email",
      withKey(second, postJson({ first_name: "Elena", last_name: "Petrova", domain: "company.test" })),
    )
    const counters = async () => [await usageOf(key, key), await usageOf(second, key)]
    await expect.poll(counters).toMatchObject([
      { verifications_this_month: 3, verifications_total: 3, credits_this_month: 1, credits_total: 1 },
      { verifications_this_month: 1, verifications_total: 1, credits_this_month: 6, credits_total: 6 },
    ])
    const { daily } = await usageOf(key, key)
    expect(daily).toHaveLength(30)
    expect(daily.at(-1)).toEqual({ date: today(), verifications: 3 })
    expect(daily.slice(0, -1).every(({ verifications }) => verifications === 0)).toBe(true)
    expect((await usageOf(key, key, "?days=1")).daily).toEqual([{ date: today(), verifications: 3 }])
    for (const days of ["0", "366", "all"])
      expect(
        (await call("GET", "/keys/{key_id}/usage", withKey(key, { at: `/keys/${key.keyId}/usage?days=${days}` })))
          .status,
      ).toBe(422)
  })

  test("and those of sessions add up to the account's", async () => {
    interface Used {
      readonly verifications_this_month: number
      readonly credits_this_month: number
    }
    const headers = { authorization: `Bearer ${await sessionOf("counters@mailbox.test")}` }
    const made = await call<{ api_key: string }>("POST", "/keys", {
      ...postJson({ name: "shop", owner_email: "counters@mailbox.test" }),
      headers: { ...headers, "content-type": "application/json" },
    })
    for (const email of ["user1@d0922.test", "user2@d0922.test"])
      await call("GET", "/validate", { at: `/validate?email=${email}`, headers })
    const by = { "x-api-key": made.body.api_key }
    await call("GET", "/validate", { at: "/validate?email=user3@d0922.test", headers: by })
    const parts = async () => {
      const { keys, sessions } = (await call<{ keys: Used[]; sessions: Used }>("GET", "/keys", { headers })).body
      return [sessions, ...keys]
    }
    await expect.poll(parts).toMatchObject([
      { verifications_this_month: 2, credits_this_month: 2 },
      { verifications_this_month: 1, credits_this_month: 1 },
    ])
    expect((await call("GET", "/usage", { headers })).body).toMatchObject({ credits_used: 3 })
    expect((await call("GET", "/me/usage", { headers })).body).toMatchObject({ this_month: { verifications: 3 } })
  })

  test("include lists, jobs and background verifications", async () => {
    const key = await newKey()
    const emails = ["user1@d0921.test", "no-2@d0921.test"]
    await call("POST", "/validate/bulk", withKey(key, postJson({ emails })))
    await call("POST", "/validate/bulk/turbo", withKey(key, postJson({ emails })))
    const job = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson({ emails })))
    await waitForJobEnd(job.body.job_id, { "x-api-key": key.secret })
    await call("GET", "/verify/quick", withKey(key, { at: "/verify/quick?email=user3@d0921.test" }))
    await expect.poll(() => usageOf(key, key)).toMatchObject({ verifications_this_month: 7, credits_this_month: 3 })
    const stats = await call("GET", "/me/stats", withKey(key))
    expect(stats.body).toMatchObject({ total: 7, by_status: { valid: 4, invalid: 3 }, sendable: 4 })
    expect(stats.body.sendable_share).toBe(0.5714)
  })
})

test("/me/stats has the average score and the share that can be sent to; null without verifications", async () => {
  const key = await newKey()
  expect((await call("GET", "/me/stats", withKey(key))).body).toMatchObject({
    ...{ total: 0, average_score: null, sendable: 0, sendable_share: null },
  })
  const scores: number[] = []
  for (const email of ["user1@d0922.test", "no-1@d0922.test", "user1@d0922.test", "no-address"]) {
    const at = `/validate/checks?email=${email}`
    scores.push(
      (await call<{ checks: { score: number } }>("GET", "/validate/checks", withKey(key, { at }))).body.checks.score,
    )
  }
  const average = Math.round((scores.reduce((sum, score) => sum + score, 0) / scores.length) * 10) / 10
  await expect
    .poll(async () => (await call("GET", "/me/stats", withKey(key))).body)
    .toMatchObject({ total: 4, average_score: average, sendable: 2, sendable_share: 0.5 })
})

test("/me/recent-verifications has a total, and pages by cursor and by offset", async () => {
  const key = await newKey()
  interface Recent {
    readonly verifications: { id: number; email: string }[]
    readonly total: number
    readonly next_cursor: number | null
  }
  const read = async (query: string) =>
    (await call<Recent>("GET", "/me/recent-verifications", withKey(key, { at: `/me/recent-verifications?${query}` })))
      .body
  expect(await read("")).toMatchObject({ verifications: [], total: 0, next_cursor: null })
  const emails = ["user1@d0923.test", "user2@d0923.test", "user3@d0923.test"]
  for (const email of emails) await validate(key, email)
  await expect.poll(async () => (await read("")).total).toBe(3)
  const first = await read("limit=2")
  expect(first.verifications.map(({ email }) => email)).toEqual([emails[2], emails[1]])
  expect(first.next_cursor).toBe(first.verifications[1]!.id)
  for (const query of [`limit=2&cursor=${first.next_cursor}`, "limit=2&offset=2"]) {
    const last = await read(query)
    expect(last).toMatchObject({ verifications: [{ email: emails[0] }], total: 3, next_cursor: null })
  }
})

test.each([
  ["user1@d0924.test", 2],
  ["USER1@D0924.test", 2],
  ["no-address", 1],
  ["user9@d0924.test", 0],
])("/me/recent-verifications?email=%s has the %i verifications of that address", async (email, total) => {
  const key = await newKey()
  for (const given of ["user1@d0924.test", "user1@d0924.test", "user2@d0924.test", "no-address"])
    await validate(key, given)
  const read = async (query: string) => {
    const at = `/me/recent-verifications${query}`
    return (await call<{ total: number }>("GET", "/me/recent-verifications", withKey(key, { at }))).body
  }
  await expect.poll(async () => (await read("")).total).toBe(4)
  const found = await read(`?email=${encodeURIComponent(email)}`)
  expect(found).toMatchObject({ total, verifications: Array.from({ length: total }, () => ({})) })
})
