import { sql } from "drizzle-orm"
import { describe, expect, test } from "vitest"
import { type DatabaseOptions, openDatabase, writesAt } from "../../../src/adapters/store/database.ts"
import { FairLimiter } from "../../../src/concurrency/fair-limiter.ts"
import { AppError } from "../../../src/errors.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

const LEASE_MS = 16_000
const SET = sql`UPDATE a SET n = 1`
const busy = (code = "SQLITE_BUSY") => ({ type: "error", error: { message: "database is locked", code } })
const DONE = {
  type: "ok",
  response: { type: "execute", result: { cols: [], rows: [], affected_row_count: 1, last_insert_rowid: null } },
}

interface PipelineStep {
  readonly stmt?: { readonly sql: string }
}
interface Pipeline {
  readonly requests: readonly {
    readonly type: string
    readonly stmt?: { readonly sql: string }
    readonly batch?: { readonly steps: readonly PipelineStep[] }
  }[]
}

/** A scripted server, and a database handle with one write at a time on a virtual clock. */
function scripted(answer: (pipeline: Pipeline, call: number) => unknown) {
  const clock = virtualClock(0)
  const calls: Pipeline[] = []
  const writes = new FairLimiter({ width: 1, leaseMs: LEASE_MS })
  const reads = new FairLimiter({ width: 2, leaseMs: LEASE_MS })
  const fetch = (async (request: Request) => {
    const pipeline = (await request.json()) as Pipeline
    calls.push(pipeline)
    const answered = await answer(pipeline, calls.length)
    const results = pipeline.requests.map(({ type }) =>
      type === "execute" || type === "batch" ? answered : { type: "ok", response: { type } },
    )
    return Response.json({ baton: null, base_url: null, results })
  }) as typeof globalThis.fetch
  const open = (options: DatabaseOptions = {}) =>
    openDatabase(
      { url: "http://database.test", authToken: undefined },
      {
        ...{ fetch, clock, reads, writes, random: () => 0.5 },
        queueEntry: () => ({ queue: "a", since: 0, deadlineAt: 0 }),
        ...options,
      },
    )
  return { clock, calls, writes, open }
}

const failureOf = async (work: PromiseLike<unknown>): Promise<AppError | undefined> => {
  let error: unknown = await Promise.resolve(work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  while (error instanceof Error && !(error instanceof AppError)) error = error.cause
  return error as AppError | undefined
}

describe("a busy database", () => {
  test.each(["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED", "TRANSACTION_TIMEOUT", "STREAM_EXPIRED"])(
    "a statement refused with %s is repeated",
    async (code) => {
      const { clock, calls, open } = scripted((_, call) => (call < 3 ? busy(code) : DONE))
      expect(await clock.run(Promise.resolve(open().run(SET)))).toMatchObject({ rowsAffected: 1 })
      expect(calls).toHaveLength(3)
    },
  )

  test("it stays busy: unavailable with Retry-After, after some seconds", async () => {
    const { clock, open } = scripted(() => busy())
    const failure = await clock.run(failureOf(open().run(SET)))
    expect(failure).toMatchObject({ code: "unavailable", retryAfterSeconds: expect.any(Number) })
    expect(clock.now()).toBeLessThan(10_000)
  })

  test("a batch in which a step was refused is repeated as a whole", async () => {
    const step = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null }
    const result = (error: unknown) => ({
      type: "ok",
      response: {
        type: "batch",
        result: {
          step_results: error ? [step, null, null, null] : [step, step, step, null],
          step_errors: [null, error, null, null],
        },
      },
    })
    const { clock, calls, open } = scripted((_, call) => result(call === 1 ? busy().error : null))
    const database = open()
    await clock.run(Promise.resolve(database.batch([database.run(SET)])))
    expect(calls).toHaveLength(2)
  })

  test("another error of a statement is not repeated", async () => {
    const { clock, calls, open } = scripted(() => busy("SQLITE_CONSTRAINT"))
    await expect(clock.run(Promise.resolve(open().run(SET)))).rejects.toThrow()
    expect(calls).toHaveLength(1)
  })
})

test("a batch takes the lock at its beginning when it writes, and never when it only reads", async () => {
  const begins: (string | undefined)[] = []
  const { clock, open } = scripted((pipeline) => {
    begins.push(pipeline.requests.find(({ batch }) => batch)?.batch?.steps[0]?.stmt?.sql)
    return busy("SQLITE_CONSTRAINT")
  })
  const database = open()
  const read = () => database.all(sql`SELECT 1`)
  for (const batch of [
    [read()],
    [read(), database.run(SET)],
    [database.all(sql`WITH x AS (SELECT 1) SELECT * FROM x`)],
  ])
    await clock.run(failureOf(database.batch(batch as never)))
  expect(begins).toEqual(["BEGIN DEFERRED", "BEGIN IMMEDIATE", "BEGIN DEFERRED"])
})

test("a call that timed out stays in flight until the server answers", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<typeof DONE>()
  const { clock, calls, writes, open } = scripted((_, call) => (call === 1 ? answered : DONE))
  const kept: Promise<unknown>[] = []
  const background = (work: Promise<unknown>) => void kept.push(work)
  expect(await clock.run(failureOf(open({ background }).run(SET)))).toMatchObject({ code: "unavailable" })
  expect(clock.now()).toBe(3_000)
  expect(writes.inUse).toBe(1)
  const next = open().run(SET)
  const isFirst = Promise.resolve(next).then(() => calls.length)
  await clock.sleep(0, AbortSignal.timeout(0))
  expect(calls).toHaveLength(1)
  answer(DONE)
  expect(await clock.run(isFirst)).toBe(2)
  await Promise.all(kept)
  expect(writes.inUse).toBe(0)
})

test("a call whose turn does not come until its deadline is unavailable and never sent", async () => {
  const { clock, calls, writes, open } = scripted(() => DONE)
  await writes.acquire(clock, { queue: "b", since: 0, deadlineAt: 0 })
  const queueEntry = () => ({ queue: "a", since: 0, deadlineAt: 2_000 })
  const failure = await clock.run(failureOf(open({ queueEntry }).run(SET)))
  expect(failure).toMatchObject({ code: "unavailable", retryAfterSeconds: expect.any(Number) })
  expect([clock.now(), calls.length]).toEqual([2_000, 0])
})

test.each([
  [Number.POSITIVE_INFINITY, 1],
  [0, 1],
  [9, 1],
  [10, 2],
  [100, 11],
  [400, 16],
])("a database %s ms away has %s writes in flight", (roundTripMs, writes) => {
  expect(writesAt(roundTripMs)).toBe(writes)
})
