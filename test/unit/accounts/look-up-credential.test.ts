import { expect, test } from "vitest"
import { createMemoryRateLimiter, newRateLimiterMemory } from "../../../src/adapters/accounts/isolate-limits.ts"
import { findCredential } from "../../../src/services/accounts/identify.ts"
import { testContext } from "../../support/deps/context.ts"

const LIMIT = 300
const NOW = Date.UTC(2026, 10, 28)

/** An isolate that knows the given credentials to be good. */
function isolate(good: readonly string[]) {
  const clock = { now: () => NOW, sleep: async () => undefined }
  const ctx = testContext({
    clock,
    memoryRateLimiter: createMemoryRateLimiter(newRateLimiterMemory(), clock),
  } as never)
  let lookUps = 0
  const present = (name: string, clientIp = "192.0.2.1") =>
    findCredential(ctx, { names: [name], clientIp }, async () => {
      lookUps++
      await Promise.resolve()
      return good.includes(name) ? name : null
    }).catch((error: { code: string }) => error.code)
  return { present, lookUps: () => lookUps }
}

const times = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n))
const countsOf = (answers: readonly unknown[]) =>
  Object.fromEntries([...Map.groupBy(answers, String)].map(([answer, all]) => [answer, all.length]))

test("refused credentials of a network are looked up to the limit, and those of another network still are", async () => {
  const { present, lookUps } = isolate(["good"])
  const answers = await Promise.all(times(LIMIT + 50, (n) => present(`bad-${n}`)))
  expect(countsOf(answers)).toEqual({ null: LIMIT, rate_limited: 50 })
  expect(lookUps()).toBe(LIMIT)
  expect(await present("good", "192.0.2.2")).toBe("good")
})

test("the first calls of a good credential count as one, however many there are at a time", async () => {
  const { present } = isolate(["good"])
  expect(countsOf(await Promise.all(times(LIMIT + 50, () => present("good"))))).toEqual({ good: LIMIT + 50 })
  expect(await present("bad")).toBeNull()
})

test("calls with one bad credential at the same time all count, once it is refused", async () => {
  const { present } = isolate(["good"])
  await Promise.all(times(LIMIT, () => present("bad")))
  expect([await present("bad"), await present("good")]).toEqual(["rate_limited", "rate_limited"])
})

test("an accepted credential works in a network that is over the limit", async () => {
  const { present } = isolate(["good"])
  expect(await present("good")).toBe("good")
  await Promise.all(times(LIMIT + 1, (n) => present(`bad-${n}`)))
  expect(await present("good")).toBe("good")
})
