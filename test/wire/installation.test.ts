import { sql } from "drizzle-orm"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { claimDatabase } from "../../scripts/dev/claim-database.ts"
import { newDatabaseMemory } from "../../src/adapters/admin/installation-state.ts"
import { createInstallationStore, DATABASE_NOW } from "../../src/adapters/store/admin/installation.ts"
import type { DatabaseOptions } from "../../src/adapters/store/database.ts"
import type { Context } from "../../src/context.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { type OwnSecrets, ownSecrets } from "../../src/domain/admin/installation.ts"
import { checkDatabase } from "../../src/services/admin/health.ts"
import { requireOwnDatabase } from "../../src/services/admin/own-database.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

const [A, B] = ["a pepper of at least 32 characters", "another pepper of at least 32 chars"]
const [KEY_1, KEY_2] = [`edge-1:${"A".repeat(43)}`, `edge-2:${"B".repeat(43)}`]
const SEED = `edge-1:${"C".repeat(43)}`

let server: Awaited<ReturnType<typeof startDatabase>>
beforeEach(async () => {
  server = await startDatabase()
  onTestFinished(server.stop)
})

interface Isolate {
  readonly ctx: Context
  readonly logged: Record<string, unknown>[]
  now: number
  /** Round trips to the database. */
  trips: number
}

/** A new isolate of a Worker with these peppers, the current one first. */
async function isolate(peppers: readonly string[], signingKey = KEY_1, options: DatabaseOptions = {}) {
  const made: Omit<Isolate, "ctx"> = { logged: [], now: 1_000_000, trips: 0 }
  const counted: typeof fetch = (...call) => {
    made.trips++
    return (options.fetch ?? fetch)(...call)
  }
  const ctx = testContext({
    clock: { now: () => made.now },
    log: (event: string, fields: object) => void made.logged.push({ event, ...fields }),
    digests: await createDigests(peppers),
    databaseMemory: newDatabaseMemory(),
    config: { edgePublicKey: signingKey },
    store: { installation: createInstallationStore(server.open({ fetch: counted })) },
  })
  return Object.assign(made, { ctx })
}

const rows = () => server.open().all<Record<string, unknown>>(sql`SELECT * FROM installation`)
const run = (text: string) => server.open().run(sql.raw(text))
const refuseWrites = () =>
  run("CREATE TRIGGER no_writes BEFORE UPDATE ON installation BEGIN SELECT RAISE(FAIL, 'the disk is full'); END")

describe("the first request of an isolate", () => {
  test("records the secrets in a new database, and later requests of the isolate read nothing", async () => {
    const first = await isolate([A])
    await requireOwnDatabase(first.ctx)
    const [row] = await rows()
    expect(row).toMatchObject({ pepper: expect.stringMatching(/^[0-9a-f]{64}$/), signing_key: KEY_1 })
    expect(JSON.stringify(row)).not.toContain(A)
    const { trips } = first
    expect(requireOwnDatabase(first.ctx)).toBeNull()
    expect(first.trips).toBe(trips)
    await requireOwnDatabase((await isolate([A])).ctx)
    expect(await rows()).toEqual([row])
  })

  test("with another pepper is 503, with the reason for the log alone, and is read again after five seconds", async () => {
    await requireOwnDatabase((await isolate([A])).ctx)
    const other = await isolate([B], KEY_2)
    await expect(requireOwnDatabase(other.ctx)).rejects.toMatchObject({
      code: "unavailable",
      message: "the service is not ready: its database belongs to another installation",
      cause: { message: expect.stringMatching(/another KEY_PEPPER \(its EDGE_SIGNING_KEY has the id edge-1\)/) },
    })
    const { trips } = other
    await expect(requireOwnDatabase(other.ctx)).rejects.toThrow("not ready")
    expect(other.trips).toBe(trips)
    await run("UPDATE installation SET pepper = NULL")
    other.now += 5_000
    await requireOwnDatabase(other.ctx)
    expect((await rows())[0]).toMatchObject({ signing_key: KEY_2 })
  })

  test("after a change of the pepper records the new one, and then needs the former one no longer", async () => {
    await requireOwnDatabase((await isolate([A])).ctx)
    const [before] = await rows()
    await requireOwnDatabase((await isolate([B, A])).ctx)
    expect((await rows())[0]!.pepper).not.toBe(before!.pepper)
    await requireOwnDatabase((await isolate([B])).ctx)
    await expect(requireOwnDatabase((await isolate([A])).ctx)).rejects.toThrow("not ready")
    await requireOwnDatabase((await isolate([A, B])).ctx)
    expect((await rows())[0]!.pepper).toBe(before!.pepper)
  })

  test("with a new signing key alone records and logs it", async () => {
    await requireOwnDatabase((await isolate([A])).ctx)
    const changed = await isolate([A], KEY_2)
    await requireOwnDatabase(changed.ctx)
    expect(changed.logged).toEqual([{ event: "installation_recorded", signing_key_before: KEY_1, signing_key: KEY_2 }])
  })

  test("works while the database accepts no writes, also after a change", async () => {
    await requireOwnDatabase((await isolate([A])).ctx)
    await refuseWrites()
    await requireOwnDatabase((await isolate([B, A])).ctx)
  })

  test("is served while the database does not answer, which is tried once in five seconds", async () => {
    let isAway = true
    const away: typeof fetch = (...call) => (isAway ? Promise.reject(new TypeError("away")) : fetch(...call))
    await requireOwnDatabase((await isolate([A])).ctx)
    const other = await isolate([B], KEY_1, { fetch: away })
    await requireOwnDatabase(other.ctx)
    await requireOwnDatabase(other.ctx)
    expect(other.trips).toBe(1)
    isAway = false
    other.now += 5_000
    await expect(requireOwnDatabase(other.ctx)).rejects.toThrow("not ready")
  })
})

describe("npm start", () => {
  const settings = (KEY_PEPPER: string, KEY_PEPPER_PREVIOUS?: string, EDGE_SIGNING_KEY = SEED) => {
    return { KEY_PEPPER, KEY_PEPPER_PREVIOUS, EDGE_SIGNING_KEY }
  }
  test("refuses a database of another pepper, takes it with the former one, and reports a new signing key", async () => {
    const notices: string[] = []
    const claim = (given: ReturnType<typeof settings>) =>
      claimDatabase(server.open(), given, (line) => void notices.push(line))
    await claim(settings(A))
    await claim(settings(A))
    await expect(claim(settings(B))).rejects.toThrow(
      /^KEY_PEPPER: the database belongs to an installation with another/,
    )
    await claim(settings(B, A))
    expect(notices).toEqual([])
    await claim(settings(B, undefined, `edge-7:${"D".repeat(43)}`))
    expect(notices).toEqual([expect.stringMatching(/^EDGE_SIGNING_KEY has changed \(edge-7, before edge-1\)/)])
  })
})

describe("the test of the database for /health", () => {
  /** An isolate over a counted store, whose last heartbeat is this old. */
  async function counting(heartbeatAgeMs: number) {
    const { ctx, ...rest } = await isolate([A])
    const row = { ...ownRow(await ownSecrets(ctx.digests, KEY_1)), heartbeatAgeMs }
    const calls = { reads: 0, beats: 0 }
    const installation = {
      read: async () => {
        calls.reads++
        return row
      },
      beat: async () => void calls.beats++,
    }
    const { clock, log, digests, databaseMemory, config } = ctx
    return {
      calls,
      ...rest,
      ctx: testContext({ clock, log, digests, databaseMemory, config, store: { installation } }),
    }
  }
  const ownRow = ({ peppers, signingKey }: OwnSecrets) => ({ pepper: peppers[0]!, signingKey })

  test("writes once for many concurrent calls, and tests again after five seconds", async () => {
    const { ctx, calls } = await counting(60_000)
    await Promise.all(Array.from({ length: 20 }, () => checkDatabase(ctx)))
    expect(calls.beats).toBe(1)
    const { reads } = calls
    await Promise.all(Array.from({ length: 20 }, () => checkDatabase(ctx)))
    expect(calls).toEqual({ reads, beats: 1 })
    ctx.databaseMemory.checkedAt -= 5_000
    await checkDatabase(ctx)
    expect(calls).toEqual({ reads: reads + 1, beats: 2 })
  })

  test.each([
    [0, 0],
    [4_999, 0],
    [5_000, 1],
    // The database's clock was set back.
    [-1, 1],
  ])("a heartbeat of %i ms ago, of any isolate, needs %i more", async (age, beats) => {
    const { ctx, calls } = await counting(age)
    await checkDatabase(ctx)
    expect(calls).toEqual({ reads: 1, beats })
  })

  test("the heartbeat is the time of the database", async () => {
    await checkDatabase((await isolate([A])).ctx)
    const [row] = await server
      .open()
      .all<{ age: number }>(sql`SELECT ${DATABASE_NOW} - heartbeat_at AS age FROM installation`)
    expect(row!.age).toBeGreaterThanOrEqual(0)
    expect(await rows()).not.toMatchObject([{ heartbeat_at: 0 }])
  })

  test.each<[string, () => Promise<unknown> | DatabaseOptions, string, RegExp]>([
    ["no writes", refuseWrites, "read_only", /answers but accepts no writes: .*the disk is full/],
    ["no table", () => run("DROP TABLE installation"), "schema_old", /npm run migrate/],
    ["a missing migration", () => run("DELETE FROM __drizzle_migrations"), "schema_old", /npm run migrate/],
    ["another pepper", () => run("UPDATE installation SET pepper = 'x'"), "foreign", /another KEY_PEPPER/],
    ["a refused token", () => answering(401), "token_refused", /refuses LIBSQL_AUTH_TOKEN \(HTTP 401\)/],
    ["a failing server", () => answering(502), "silent", /answered 502/],
  ])(
    "reports %s, and logs the explanation once for all calls of two seconds",
    async (_, breakIt, problem, explanation) => {
      await requireOwnDatabase((await isolate([A])).ctx)
      const broken = await breakIt()
      const options = broken && typeof broken === "object" && "fetch" in broken ? (broken as DatabaseOptions) : {}
      const one = await isolate([A], KEY_1, options)
      const check = await checkDatabase(one.ctx)
      expect(check).toMatchObject({ problem, explanation: expect.stringMatching(explanation) })
      expect(one.logged).toEqual([{ event: "database_problem", problem, explanation: check.explanation }])
      expect(await checkDatabase(one.ctx)).toBe(check)
    },
  )

  test("a problem that ends is no longer reported after two seconds", async () => {
    const one = await isolate([A])
    await refuseWrites()
    expect(await checkDatabase(one.ctx)).toMatchObject({ problem: "read_only" })
    await run("DROP TRIGGER no_writes")
    one.now += 2_000
    expect(await checkDatabase(one.ctx)).toMatchObject({ problem: null })
  })
})

const answering = (status: number): DatabaseOptions => ({ fetch: async () => new Response("no", { status }) })
