import { afterAll, beforeAll, expect, test } from "vitest"
import { KeyLimiter } from "../../src/adapters/accounts/limiter-state.ts"
import { createUsageMeter } from "../../src/adapters/accounts/usage-meter.ts"
import { TABLES } from "../../src/adapters/lists/tables.ts"
import type { Charge } from "../../src/adapters/store/accounts/charges.ts"
import { createJobRowStore } from "../../src/adapters/store/lists/job-results.ts"
import type { Stores } from "../../src/adapters/store/stores.ts"
import type { Context } from "../../src/context.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import { periodOf } from "../../src/domain/accounts/tiers.ts"
import type { Expectation } from "../../src/domain/learning/benchmark.ts"
import { runBenchmark } from "../../src/services/learning/benchmark.ts"
import { submitJob } from "../../src/services/lists/submit-job.ts"
import { uploadList } from "../../src/services/lists/upload-list.ts"
import { bulkDeps } from "../support/deps/bulk-deps.ts"
import { reading } from "../support/deps/context.ts"
import { tableFile } from "../support/inputs/table-file.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const PER_MINUTE = 5
const OPTIONS = { smtp: false, deduplicate: true, webhookUrl: null, finishWithin: null, sample: false }

/** An account of the free tier, and the number of rows it causes. */
async function freeAccount(perMonth = 100) {
  const { ctx } = await bulkDeps(server.open, { zone: {}, leaseMs: 60_000 })
  const { memoryRateLimiter } = reading(ctx.clock)
  const accountId = `acc_${crypto.randomUUID()}`
  const allowance = { perMonth, perMinute: PER_MINUTE }
  const caller: Member = {
    ...{ kind: "member", accountId, subject: accountId, keyId: null, email: null },
    ...{ tier: "free", allowance },
  }
  const storage = {
    saveWindow: () => undefined,
    saveDay: () => undefined,
    saveKey: () => undefined,
    wakeAt: () => undefined,
    clear: async () => {},
  }
  const reserve = (charge: Charge, at: number) => ctx.store.charges.reserve(charge, at)
  const limiter = new KeyLimiter(
    { ...storage, findKey: async () => null, now: Date.now, reserve },
    { window: [], key: null, day: null },
  )
  const hourlyLimiter = new KeyLimiter(
    { ...storage, findKey: async () => null, now: Date.now, reserve },
    { window: [], key: null, day: null },
  )
  const keyLimiters = { ofAction: () => hourlyLimiter } as unknown as Context["keyLimiters"]
  const written = { rows: 0 }
  const jobIntake: Stores["jobIntake"] = {
    ...ctx.store.jobIntake,
    async add(jobId, items) {
      written.rows += items.length
      return ctx.store.jobIntake.add(jobId, items, { isTestFree: false })
    },
  }
  /** The dependencies of a separate request. */
  const request = () => {
    const store = {
      ...{ ...ctx.store, jobIntake, jobRows: createJobRowStore(server.open()) },
      benchmarks: { add: async () => undefined } as unknown as Stores["benchmarks"],
      usageAlerts: { reach: async () => undefined } as unknown as Stores["usageAlerts"],
    }
    const meter = createUsageMeter({ ...ctx, store }, { caller, limiter: async () => limiter as never })
    return [{ ...ctx, keyLimiters, memoryRateLimiter, store, tables: TABLES }, meter] as const
  }
  const submit = (emails: readonly string[], options = {}) =>
    submitJob(...request(), {
      caller,
      body: new Blob([JSON.stringify({ ...options, emails })]).stream(),
      maxBytes: 100_000_000,
      readOptions: () => ({ ...OPTIONS, ...options }),
    }).then(
      () => "accepted",
      (error: { code: string }) => error.code,
    )
  const upload = (lines: readonly string[]) => {
    return uploadList(...request(), {
      caller,
      file: tableFile(lines.join("\n")),
      fileName: null,
      options: OPTIONS,
    }).then(
      () => "accepted",
      (error: { code: string }) => error.code,
    )
  }
  const benchmark = (expected: readonly Expectation[]) =>
    runBenchmark(...request(), {
      caller,
      expected,
    }).then(
      () => "accepted",
      (error: { code: string }) => error.code,
    )
  const used = () => ctx.store.charges.usedBy(accountId, periodOf(Date.now()))
  return { submit, upload, benchmark, used, hourlyLimiter, written }
}

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `user${n}@d${n}.test`)
const ofOne = (count: number) => Array.from({ length: count }, () => "user@d.test")

test("a list beyond the limit per minute is refused before anything is written", async () => {
  const { submit, written } = await freeAccount()
  for (let n = 0; n < PER_MINUTE; n++) expect(await submit(addresses(10))).toBe("accepted")
  expect(written.rows).toBe(10 * PER_MINUTE)
  for (let n = 0; n < 5; n++) expect(await submit(addresses(5_000))).toBe("minute_exceeded")
  expect(written.rows).toBe(10 * PER_MINUTE)
})

test("a list without credits is refused before anything is written, also as a sample", async () => {
  const { submit, written } = await freeAccount(0)
  expect(await submit(addresses(5_000))).toBe("plan_required")
  expect(await submit(addresses(5_000), { sample: true })).toBe("plan_required")
  expect(written.rows).toBe(0)
})

test("duplicates are stored too, so their number is limited by the credits", async () => {
  const { submit, upload, written } = await freeAccount()
  expect(await submit(ofOne(200_000))).toBe("list_too_large")
  expect(await upload(["email", ...ofOne(20_000)])).toBe("list_too_large")
  expect(written.rows).toBeLessThanOrEqual(2 * 10_000)
  expect(await submit([...addresses(90), ...ofOne(3_000)])).toBe("accepted")
})

test("malformed lines cost nothing and reserve no credits", async () => {
  const malformed = Array.from({ length: 200 }, (_, n) => `line ${n}`)
  const { submit, upload, used } = await freeAccount()
  expect(await submit([...malformed, ...addresses(40)])).toBe("accepted")
  expect(await used()).toBe(40)
  expect(await submit([...malformed, ...malformed, ...addresses(20)], { deduplicate: false })).toBe("accepted")
  expect(await used()).toBe(60)
  expect(await upload(["email", ...addresses(40), ...malformed])).toBe("accepted")
  expect(await used()).toBe(100)
})

test("stored data beyond the credits is limited per hour", async () => {
  const { submit, upload, benchmark, hourlyLimiter, written } = await freeAccount()
  const notes = Array.from({ length: 2_000 }, () => `,${"x".repeat(1_000)}`)
  expect(await upload(["email,note", "user@d.test,a", ...notes])).toBe("accepted")
  expect(hourlyLimiter.count({ limit: 60, windowMs: 3_600_000 }, 56).accepted).toBe(true)
  const before = written.rows
  expect(await upload(["email,note", ...addresses(90).map((email) => `${email},a`), ...notes])).toBe(
    "free_work_exceeded",
  )
  expect(await submit(ofOne(9_000).map((email) => `${"y".repeat(300)}${email}`))).toBe("free_work_exceeded")
  // Each malformed line still has a row and a result.
  expect(await submit(Array.from({ length: 9_000 }, (_, n) => `line ${n}`))).toBe("free_work_exceeded")
  const noted = Array.from({ length: 1_000 }, (_, n): Expectation => {
    return { email: `line ${n}`, status: "valid", notes: "z".repeat(500) }
  })
  expect(await benchmark(noted)).toBe("free_work_exceeded")
  expect(await upload(["email,note", ...addresses(90).map((email) => `${email},a`)])).toBe("accepted")
  expect(written.rows - before).toBeLessThan(2_000)
})

test("requests refused by the rate limit do not count against the hourly limit", async () => {
  const { benchmark, hourlyLimiter } = await freeAccount()
  const noted = Array.from({ length: 1_000 }, (_, n): Expectation => {
    return { email: `line ${n}`, status: "valid", notes: "z".repeat(2_000) }
  })
  for (let call = 0; call < 3 * PER_MINUTE; call++) await benchmark(noted)
  expect(hourlyLimiter.count({ limit: 60, windowMs: 3_600_000 }, 60 - 3 * PER_MINUTE).accepted).toBe(true)
})

test("a sample's list is not stored, and may have any length if the sample can be paid", async () => {
  const { submit, hourlyLimiter } = await freeAccount(1_000)
  expect(hourlyLimiter.count({ limit: 60, windowMs: 3_600_000 }, 60).accepted).toBe(true)
  const long = ofOne(12_000).map((email) => `${"y".repeat(300)}${email}`)
  expect(await submit(long)).toBe("free_work_exceeded")
  expect(await submit(long, { sample: true })).toBe("accepted")
})

test("a sample of a list beyond the credits is refused, after a limited number of rows", async () => {
  const { submit, written } = await freeAccount()
  expect(await submit(addresses(60_000), { sample: true })).toBe("list_too_large")
  expect(written.rows).toBeLessThanOrEqual(10_000)
})
