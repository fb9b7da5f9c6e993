import { expect, test } from "vitest"
import type { Pass } from "../../../src/adapters/store/lists/job-chunks.ts"
import { RUN_LEASE } from "../../../src/domain/lease.ts"
import { AppError } from "../../../src/errors.ts"
import { runChunk, runChunks } from "../../../src/services/lists/run-chunk.ts"
import { DEFAULT_DEPS } from "../../support/deps/bare-deps.ts"
import { testContext } from "../../support/deps/context.ts"
import { mailbox, nodeLine, rcpt } from "../../support/deps/evidence.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

const SECOND = 1_000
const START = 1_000_000

interface World {
  /** From `from` to `until` after the start, in ms, this part is away. */
  readonly away?: { readonly what: "claim" | "read" | "write" | "node"; readonly from?: number; readonly until: number }
  /** How long the mail server takes. */
  readonly probeMs?: number
  /** The owner of the probe node; null for a shared one. */
  readonly owner?: string | null
  /** Counted leases of the chunk. */
  readonly leases?: number
}

/** A chunk of one item on a virtual clock. */
function world({ away, probeMs = 0, owner = null, leases = 1 }: World = {}) {
  const clock = virtualClock(START)
  const elapsed = () => clock.now() - START
  const isAway = (what: string) => away?.what === what && elapsed() >= (away.from ?? 0) && elapsed() < away.until
  const unlessAway = (what: string) => {
    if (isAway(what)) throw new Error("Failed query", { cause: new AppError("unavailable", "no answer") })
  }
  const probed: number[] = []
  const written: (Pass & { readonly at: number })[] = []
  const renewed: { readonly at: number; readonly chunks: number[]; readonly until: number }[] = []
  const released: number[] = []
  const counted: boolean[] = []
  const ctx = testContext({
    ...DEFAULT_DEPS,
    clock,
    // The virtual clock waits for nothing else, so no key is hashed.
    digests: { of: async () => "0".repeat(64) },
    dns: dnsZone({ "example.org": { MX: [{ host: "mx.example.org", preference: 10 }] } }),
    cache: { put: async () => undefined },
    probes: {
      owner: async () => owner,
      async probe() {
        if (isAway("node")) return { kind: "unavailable" }
        probed.push(elapsed())
        await clock.sleep(probeMs)
        return { kind: "lines", lines: [nodeLine(mailbox(rcpt(250, "2.1.5 ok")))] }
      },
    },
    store: {
      ...DEFAULT_DEPS.store,
      resultLists: {
        findMany: async () => {
          unlessAway("read")
          return new Map()
        },
        factsOf: async () => new Map(),
        saveFactsOf: async () => undefined,
      },
      jobChunks: {
        claim: async () => {
          unlessAway("claim")
          const item = { idx: 0, email: "anna@example.org", evidence: null, attempts: 0 }
          return { accountId: "acc_1", smtp: true, leases, passes: 0, items: [item] }
        },
        renew: async (messages: readonly { chunk: number }[], until: number) =>
          void renewed.push({ at: elapsed(), chunks: messages.map(({ chunk }) => chunk), until: until - START }),
        write: async (pass: Pass) => {
          unlessAway("write")
          written.push({ ...pass, at: elapsed() })
          return { isEnd: false, isStored: true }
        },
        releaseForRetry: async (_: unknown, __: unknown, isCounted: boolean) => {
          released.push(elapsed())
          counted.push(isCounted)
        },
      },
    },
    config: { bulk: { leaseMs: 180 * SECOND, retryDelaysMs: [360 * SECOND] } },
  })
  return { ctx, clock, probed, written, renewed, released, counted }
}

const message = (chunk = 0, leaseEpoch = 99) => ({ jobId: "job_1", chunk, leaseEpoch })

test.each(["claim", "read", "write"] as const)(
  "a database that is away at the %s is waited for, and the address is probed once",
  async (what) => {
    const { ctx, clock, probed, written, released } = world({ away: { what, until: 60 * SECOND } })
    await clock.run(runChunk(ctx, message()))
    expect(probed).toHaveLength(1)
    expect(written).toMatchObject([{ items: [{ status: "valid" }], nextAt: null, isCounted: true }])
    expect(written[0]!.at).toBeGreaterThanOrEqual(60 * SECOND)
    expect(written[0]!.at).toBeLessThanOrEqual(62 * SECOND)
    expect(released).toEqual([])
  },
)

test("a chunk does not wait for the database without end, and is released", async () => {
  const { ctx, clock, written, released } = world({ away: { what: "write", until: Number.POSITIVE_INFINITY } })
  await clock.run(runChunk(ctx, message()))
  expect(written).toEqual([])
  expect(released).toHaveLength(1)
  expect(released[0]).toBeLessThanOrEqual(300 * SECOND)
})

test("another error is not repeated", async () => {
  const { ctx, clock, released } = world()
  const jobChunks = { ...ctx.store.jobChunks, write: () => Promise.reject(new Error("the disk is full")) }
  await clock.run(runChunk({ ...ctx, store: { ...ctx.store, jobChunks } }, message()))
  expect(released).toEqual([0])
})

test.each([
  ["a full disk", "database or disk is full: SQLITE_FULL", false],
  ["any fault of the platform, which may be one of this chunk", "internal error; reference = u8kuqi61ft0n2uo8", true],
  ["a bug", "x is not a function", true],
])("a lease that ends with %s counts: %s, %s", async (_, message_, isCounted) => {
  const { ctx, clock, counted } = world()
  const jobChunks = { ...ctx.store.jobChunks, write: () => Promise.reject(new Error(message_)) }
  await clock.run(runChunk({ ...ctx, store: { ...ctx.store, jobChunks } }, message()))
  expect(counted).toEqual([isCounted])
})

test.each([
  [23, false],
  [24, true],
])("a chunk with %d counted leases is abandoned: %s, whatever its epoch", async (leases, isAbandoned) => {
  const { ctx, clock, written } = world({ leases })
  await clock.run(runChunk(ctx, message()))
  expect(written).toMatchObject([{ items: [{ isAbandoned }] }])
})

test("one statement renews the leases of all chunks under way, before they end, until the work ends", async () => {
  const { ctx, clock, renewed, written } = world({ probeMs: 12 * SECOND })
  await clock.run(runChunks(ctx, [message(0), message(1)]))
  expect(written).toHaveLength(2)
  const { ms, renewEveryMs } = RUN_LEASE
  expect(renewed).toEqual([1, 2].map((n) => ({ at: n * renewEveryMs, chunks: [0, 1], until: n * renewEveryMs + ms })))
  expect(3 * renewEveryMs).toBeLessThanOrEqual(ms)
})

test.each([
  ["written within two seconds", () => Promise.resolve(true), [[0, 2_000]], [1]],
  ["left to the end of the pass when its write fails", () => Promise.reject(new Error("no answer")), [], [0, 1]],
] as const)("an item that is finished while another server hangs is %s", async (_, answer, early, atEnd) => {
  const { ctx, clock, written } = world()
  const items = [0, 1].map((idx) => ({ idx, email: `anna${idx}@example.org`, evidence: null, attempts: 0 }))
  const finished: number[][] = []
  const probes = {
    ...ctx.probes,
    async probe() {
      async function* lines() {
        yield nodeLine(mailbox(rcpt(250, "2.1.5 ok")), { index: 0 })
        await clock.sleep(25 * SECOND)
        yield nodeLine(mailbox(rcpt(250, "2.1.5 ok")), { index: 1 })
      }
      return { kind: "lines" as const, lines: lines() }
    },
  }
  const jobChunks = {
    ...ctx.store.jobChunks,
    claim: async () => ({ accountId: "acc_1", smtp: true, endsAt: null, leases: 1, passes: 0, items }),
    async writeFinished(_job: string, { items: some }: { items: readonly { idx: number }[] }) {
      const isStored = await answer()
      finished.push(...some.map(({ idx }) => [idx, clock.now() - START]))
      return isStored
    },
  }
  await clock.run(runChunk({ ...ctx, probes, store: { ...ctx.store, jobChunks } }, message()))
  expect(finished).toEqual(early)
  expect(written.map((pass) => pass.items.map(({ idx }) => idx))).toEqual([[...atEnd]])
})

test("a failed renewal ends neither the work nor the next renewals", async () => {
  const { ctx, clock, written } = world({ probeMs: 12 * SECOND })
  let renewals = 0
  const renew = () => {
    renewals++
    return Promise.reject(new Error("no answer"))
  }
  await clock.run(
    runChunks({ ...ctx, store: { ...ctx.store, jobChunks: { ...ctx.store.jobChunks, renew } } }, [message()]),
  )
  expect([renewals, written.length]).toEqual([2, 1])
})

test("a shared node that is away is waited for, and the pass ends within 5 s of its return", async () => {
  const { ctx, clock, probed, written } = world({ away: { what: "node", until: 31 * SECOND } })
  await clock.run(runChunk(ctx, message()))
  expect(probed).toEqual([35 * SECOND])
  expect(written).toMatchObject([{ items: [{ status: "valid", attempts: 1 }], isCounted: true }])
})

test.each([
  ["a shared node", null, 60 * SECOND],
  ["an account's own node, which must not delay other accounts,", "acc_1", 0],
])("%s that stays away: the chunk is tried again soon, and the pass does not count", async (_, owner, waited) => {
  const { ctx, clock, written } = world({ owner, away: { what: "node", until: Number.POSITIVE_INFINITY } })
  await clock.run(runChunk(ctx, message()))
  expect(written).toMatchObject([{ at: waited, items: [{ status: null }], isCounted: false }])
  expect(written[0]!.nextAt).toBe(START + waited + 20 * SECOND)
})

test("after many leases without a node a pass counts, so that the job ends", async () => {
  const away = { what: "node", until: Number.POSITIVE_INFINITY } as const
  const { ctx, clock, written } = world({ owner: "acc_1", away, leases: 12 })
  await clock.run(runChunk(ctx, message()))
  expect(written).toMatchObject([{ items: [{ status: null }], isCounted: true, nextAt: START + 360 * SECOND }])
})
