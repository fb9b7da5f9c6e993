import { afterAll, beforeAll, expect, test } from "vitest"
import { Gate } from "../../src/adapters/keygate/gate.ts"
import { createMeter } from "../../src/adapters/keygate/meter.ts"
import { createJobRowStore } from "../../src/adapters/store/job-rows.ts"
import { type Deps, replacing } from "../../src/deps.ts"
import type { Member } from "../../src/domain/accounts/caller.ts"
import type { Expectation } from "../../src/domain/benchmark/report.ts"
import { periodOf } from "../../src/domain/plans/tiers.ts"
import { submitJob } from "../../src/services/bulk/submit-job.ts"
import { uploadList } from "../../src/services/bulk/upload-list.ts"
import { runBenchmark } from "../../src/services/learning/run-benchmark.ts"
import { bulkNeeds } from "../support/bulk-needs.ts"
import { startDatabase } from "../support/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const PER_MINUTE = 5
const OPTIONS = { smtp: false, deduplicate: true, webhookUrl: null, sample: false }

/** An account of the free tier and what it makes the database write. */
async function freeAccount(perMonth = 100) {
  const { needs } = await bulkNeeds(server.open, { zone: {}, leaseMs: 60_000 })
  const accountId = `acc_${crypto.randomUUID()}`
  const allowance = { perMonth, perMinute: PER_MINUTE }
  const caller: Member = {
    ...{ kind: "member", accountId, subject: accountId, keyId: null, email: null },
    ...{ tier: "free", allowance },
  }
  const keep = { saveWindow: () => undefined, saveKey: () => undefined, wakeAt: () => undefined, clear: async () => {} }
  const reserve: Deps["charges"]["reserve"] = (charge, at) => needs.charges.reserve(charge, at)
  const gate = new Gate({ ...keep, findKey: async () => null, now: Date.now, reserve }, { window: [], key: null })
  const keeping = new Gate({ ...keep, findKey: async () => null, now: Date.now, reserve }, { window: [], key: null })
  const gates = { ofAction: () => keeping } as unknown as Deps["gates"]
  const written = { rows: 0 }
  const jobIntake: Deps["jobIntake"] = {
    ...needs.jobIntake,
    async add(jobId, items) {
      written.rows += items.length
      return needs.jobIntake.add(jobId, items)
    },
  }
  /** As a request of its own. */
  const request = () => {
    const meter = createMeter(needs)
    meter.countFor(caller, async () => gate as never)
    return replacing(needs, { meter, gates, jobIntake, jobRows: createJobRowStore(server.open()) })
  }
  const submit = (emails: readonly string[], options = {}) =>
    submitJob(request(), {
      caller,
      body: new Blob([JSON.stringify({ ...options, emails })]).stream(),
      maxBytes: 100_000_000,
      readOptions: () => ({ ...OPTIONS, ...options }),
    }).then(
      () => "taken",
      (error: { code: string }) => error.code,
    )
  const upload = (lines: readonly string[]) => {
    const bytes = new TextEncoder().encode(lines.join("\n"))
    return uploadList(request(), { caller, bytes, isText: false, fileName: null, column: null, options: OPTIONS }).then(
      () => "taken",
      (error: { code: string }) => error.code,
    )
  }
  const benchmark = (expected: readonly Expectation[]) =>
    runBenchmark(replacing(request(), { benchmarks: { add: async () => undefined } as never }), {
      caller,
      expected,
    }).then(
      () => "taken",
      (error: { code: string }) => error.code,
    )
  const used = () => needs.charges.usedBy(accountId, periodOf(Date.now()))
  return { submit, upload, benchmark, used, keeping, written }
}

const addresses = (count: number) => Array.from({ length: count }, (_, n) => `user${n}@d${n}.test`)
const ofOne = (count: number) => Array.from({ length: count }, () => "user@d.test")

test("a list beyond the minute's limit is refused before anything of it is written", async () => {
  const { submit, written } = await freeAccount()
  for (let n = 0; n < PER_MINUTE; n++) expect(await submit(addresses(10))).toBe("taken")
  expect(written.rows).toBe(10 * PER_MINUTE)
  for (let n = 0; n < 5; n++) expect(await submit(addresses(5_000))).toBe("rate_limited")
  expect(written.rows).toBe(10 * PER_MINUTE)
})

test("who has nothing left is refused before anything is written, also a sample", async () => {
  const { submit, written } = await freeAccount(0)
  expect(await submit(addresses(5_000))).toBe("rate_limited")
  expect(await submit(addresses(5_000), { sample: true })).toBe("rate_limited")
  expect(written.rows).toBe(0)
})

test("duplicates are written down as well: there may be only so many for what can be paid for", async () => {
  const { submit, upload, written } = await freeAccount()
  expect(await submit(ofOne(200_000))).toBe("payload_too_large")
  expect(await upload(["email", ...ofOne(20_000)])).toBe("payload_too_large")
  expect(written.rows).toBeLessThanOrEqual(2 * 10_000)
  expect(await submit([...addresses(90), ...ofOne(3_000)])).toBe("taken")
})

test("lines that are no addresses cost nothing, and hold no credits meanwhile", async () => {
  const malformed = Array.from({ length: 200 }, (_, n) => `line ${n}`)
  const { submit, upload, used } = await freeAccount()
  expect(await submit([...malformed, ...addresses(40)])).toBe("taken")
  expect(await used()).toBe(40)
  expect(await submit([...malformed, ...malformed, ...addresses(20)], { deduplicate: false })).toBe("taken")
  expect(await used()).toBe(60)
  expect(await upload(["email", ...addresses(40), ...malformed])).toBe("taken")
  expect(await used()).toBe(100)
})

test("what is kept of lists beyond what can be paid for is bounded by the hour: a free key filled the disk", async () => {
  const { submit, upload, benchmark, keeping, written } = await freeAccount()
  const notes = Array.from({ length: 2_000 }, () => `,${"x".repeat(1_000)}`)
  expect(await upload(["email,note", "user@d.test,a", ...notes])).toBe("taken")
  expect(keeping.count({ limit: 60, windowMs: 3_600_000 }, 56).admitted).toBe(true)
  const before = written.rows
  expect(await upload(["email,note", ...addresses(90).map((email) => `${email},a`), ...notes])).toBe("rate_limited")
  expect(await submit(ofOne(9_000).map((email) => `${"y".repeat(300)}${email}`))).toBe("rate_limited")
  // Each line that is no address has a row and a result all the same.
  expect(await submit(Array.from({ length: 9_000 }, (_, n) => `line ${n}`))).toBe("rate_limited")
  const noted = Array.from({ length: 1_000 }, (_, n): Expectation => {
    return { email: `line ${n}`, status: "valid", notes: "z".repeat(500) }
  })
  expect(await benchmark(noted)).toBe("rate_limited")
  expect(await upload(["email,note", ...addresses(90).map((email) => `${email},a`)])).toBe("taken")
  expect(written.rows - before).toBeLessThan(2_000)
})

test("what is refused as too fast has none of the hour's room", async () => {
  const { benchmark, keeping } = await freeAccount()
  const noted = Array.from({ length: 1_000 }, (_, n): Expectation => {
    return { email: `line ${n}`, status: "valid", notes: "z".repeat(2_000) }
  })
  for (let call = 0; call < 3 * PER_MINUTE; call++) await benchmark(noted)
  expect(keeping.count({ limit: 60, windowMs: 3_600_000 }, 60 - 3 * PER_MINUTE).admitted).toBe(true)
})

test("a sample's list is not kept, and may be of any length for who can pay for the sample", async () => {
  const { submit, keeping } = await freeAccount(1_000)
  expect(keeping.count({ limit: 60, windowMs: 3_600_000 }, 60).admitted).toBe(true)
  const long = ofOne(12_000).map((email) => `${"y".repeat(300)}${email}`)
  expect(await submit(long)).toBe("rate_limited")
  expect(await submit(long, { sample: true })).toBe("taken")
})

test("a sample is taken of a list it can be paid for, and no longer one is written down for it", async () => {
  const { submit, written } = await freeAccount()
  expect(await submit(addresses(60_000), { sample: true })).toBe("payload_too_large")
  expect(written.rows).toBeLessThanOrEqual(10_000)
})
