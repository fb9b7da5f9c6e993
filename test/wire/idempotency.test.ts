import { sql } from "drizzle-orm"
import { describe, expect, test } from "vitest"
import { tidyAccounts } from "../../src/services/accounts/charge.ts"
import {
  answerTo,
  EMAIL,
  erase,
  hashOf,
  LIMIT,
  post,
  request,
  storedChars,
  useChargingEndpoint,
  used,
  world,
} from "../support/stack/charging-endpoint.ts"
import { eventually } from "../support/time/until.ts"

const DAY_MS = 86_400_000

useChargingEndpoint()

test("a key used once gives no free requests after its 24 hours", async () => {
  expect(await post(1, { key: "k" })).toBe(200)
  world.now += DAY_MS + 60_000
  await tidyAccounts((await request()).ctx)
  expect(await post(LIMIT, { key: "k" })).toBe(429)
  expect(await post(5, { key: "k" })).toBe(200)
  expect(await used()).toBe(6)
})

test("a key whose answer could not be stored is free again once the database is back, and is charged once", async () => {
  world.lostWrites = 4
  const before = world.now
  expect(await post(3, { key: "k" })).toBe(503)
  await Promise.all(world.backgroundWork)
  expect(world.now - before).toBeLessThan(10_000)
  expect(await post(3, { key: "k" })).toBe(200)
  expect(await used()).toBe(3)
})

test("the first answer is replayed for 24 hours", async () => {
  for (const passMs of [0, 1, 121_000, DAY_MS - 121_002]) {
    world.now += passMs
    await tidyAccounts((await request()).ctx)
    expect(await post(1, { key: "k" })).toBe(200)
  }
  expect(world.endpointCalls).toBe(1)
})

test("a retry after a failure is charged when it succeeds", async () => {
  expect(await post(50, { key: "k", ending: "failing" })).toBe(503)
  expect(await used()).toBe(0)
  expect(await post(50, { key: "k" })).toBe(200)
  expect(await used()).toBe(50)
})

test("a charge made before a failure is not repeated", async () => {
  expect(await post(40, { key: "k", ending: "failing after its charge" })).toBe(503)
  world.now += 1
  expect(await post(40, { key: "k" })).toBe(200)
  expect(await used()).toBe(40)
})

test("after a failure the key is bound to its request, after a refusal it is free again", async () => {
  expect(await post(1, { key: "k", ending: "failing" })).toBe(503)
  expect(await post(2, { key: "k" })).toBe(422)
  expect(await post(LIMIT + 1, { key: "other" })).toBe(402)
  expect(await post(2, { key: "other" })).toBe(200)
  expect(await post(3, { key: "third", ending: "in conflict" })).toBe(409)
  expect(await post(4, { key: "third" })).toBe(200)
  expect(await used()).toBe(2 + 4)
})

test("an answer too large to store is computed again for the same charge, and for the same request only", async () => {
  expect(await post(60, { key: "k", ending: "huge" })).toBe(200)
  world.now += 1
  expect(await post(60, { key: "k", ending: "huge" })).toBe(200)
  expect(await used()).toBe(60)
  expect(await post(61, { key: "k" })).toBe(422)
})

test("a free answer is not stored, because computing it again is free too", async () => {
  for (const ending of ["free", "refused"] as const) {
    expect(await post(0, { key: ending, ending })).toBe(ending === "free" ? 200 : 422)
    expect(await post(1, { key: ending })).toBe(200)
  }
  expect(await storedChars()).toBeLessThan(2_000)
})

test("a refusal after a charge is replayed, with the Link of its code", async () => {
  for (const replayed of [null, "true"]) {
    const answer = await answerTo(99, { key: "k", ending: "refused after its charge" })
    expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([404, replayed])
    expect(await answer.json()).toMatchObject({ code: "not_found" })
    expect(answer.headers.get("link")).toBe('</docs/errors#not_found>; rel="help"')
  }
})

test("the size of stored answers is limited by the charge", async () => {
  const large = "x".repeat(300_000)
  expect(await post(1, { key: "little", large })).toBe(200)
  expect(await storedChars()).toBe(0)
  expect(await post(99, { key: "much", large })).toBe(200)
  expect(await storedChars()).toBeGreaterThan(300_000)
  expect(await used()).toBe(100)
})

test("a retry takes over a dead request and its charge", async () => {
  const { ctx, meter } = await request()
  const key = await ctx.digests.of("idempotency", `${world.subject}\nk`)
  // The state of a request that ended between its charge and its answer.
  await meter.named(`${key}:${world.now}`).reserve(70)
  const first = await ctx.store.idempotency.claim({
    key,
    hash: await hashOf(70),
    now: world.now,
    heldUntil: world.now + 120_000,
  })
  expect(first).toEqual({ kind: "ours", since: world.now })
  expect(await post(70, { key: "k" })).toBe(409)
  world.now += 121_000
  expect(await post(70, { key: "k" })).toBe(200)
  expect(await used()).toBe(70)
})

describe("a retry after the account's erasure of", () => {
  test.each([
    ["the address in the answer", "address", EMAIL, 2],
    ["its domain", "domain", "one.test", 2],
    ["another address", "address", "bob@one.test", 1],
    ["another domain", "domain", "two.test", 1],
  ] as const)("%s", async (_, kind, what, times) => {
    expect(await post(5, { key: "k" })).toBe(200)
    world.now += 1
    await erase(kind, what)
    world.now += 1
    expect(await post(5, { key: "k" })).toBe(200)
    expect([world.endpointCalls, await used()]).toEqual([times, 5 * times])
    // Retries of the new answer get it from the store.
    expect(await post(5, { key: "k" })).toBe(200)
    expect(world.endpointCalls).toBe(times)
  })

  test("an address before the first answer, or by another account, gets the first answer", async () => {
    await erase("address", EMAIL)
    world.now += 1
    expect(await post(5, { key: "k" })).toBe(200)
    await erase("address", EMAIL, "acc_another")
    expect(await post(5, { key: "k" })).toBe(200)
    expect(world.endpointCalls).toBe(1)
  })

  test("the address at the same time as another retry: one runs, the other gets 409", async () => {
    await post(5, { key: "k" })
    world.now += 1
    await erase("address", EMAIL)
    // The time of a restart tells it from the first request, so it must be a later one.
    world.now += 1
    const statuses = await Promise.all([post(5, { key: "k" }), post(5, { key: "k" })])
    expect(world.endpointCalls).toBe(2)
    expect(statuses).toContain(200)
  })
})

test.each([undefined, "k"])("a charged request is completed after its caller has disconnected: %s", async (key) => {
  const gone = post(5, key === undefined ? {} : { key })
  await eventually(() => expect(world.backgroundWork).toHaveLength(1))
  await world.backgroundWork[0]
  const settled = sql`SELECT settled FROM ledger WHERE subject = ${world.subject}`
  expect(await world.database.open().all(settled)).toEqual([{ settled: 5 }])
  const kept = sql`SELECT 1 AS kept FROM idempotency WHERE status IS NOT NULL`
  expect(await world.database.open().all(kept)).toHaveLength(key === undefined ? 0 : 1)
  await gone
})
