import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { systemClock } from "../../src/adapters/platform.ts"
import { createAuditStore, newAuditQueue } from "../../src/adapters/store/compliance/audit.ts"
import { createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { type AuditRow, CHAIN_START, linkEntry } from "../../src/domain/compliance/audit-chain.ts"
import { MAX_ROWS, purgeBySchedule } from "../../src/services/compliance/erase-data.ts"
import { verifyTrail } from "../../src/services/compliance/verify-trail.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const store = () => createAuditStore(server.open(), systemClock)
const entry = (n: number) => ({ actor: "admin", action: "admin.call", subject: `${n}`, details: { n }, at: n }) as const
const check = () => verifyTrail(testContext({ store: { audit: store() } }))

test("an empty trail is valid", async () => {
  expect(await check()).toMatchObject({ verified: true, checked: 0, head: { seq: 0 } })
})

test("concurrent entries each get a position", async () => {
  await Promise.all(Array.from({ length: 30 }, (_, n) => store().append(entry(n))))
  expect(await check()).toMatchObject({ verified: true, checked: 30, head: { seq: 30 } })
  const subjects = (await store().page({ limit: 100 })).map(({ subject }) => Number(subject))
  expect(subjects.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n))
})

test("800 entries at once are all appended, in few round trips", async () => {
  const busy = await startDatabase()
  let roundTrips = 0
  const around = <T>(call: () => Promise<T>) => {
    roundTrips++
    return call()
  }
  const audit = () => createAuditStore(busy.open({ around }), systemClock)
  await Promise.all(Array.from({ length: 800 }, (_, n) => audit().append(entry(n))))
  expect(roundTrips).toBeLessThan(40)
  const verified = verifyTrail(testContext({ store: { audit: audit() } }))
  expect(await verified).toMatchObject({ verified: true, checked: 800, head: { seq: 800 } })
  await busy.stop()
})

test("isolates that append at once each get all their positions", async () => {
  const busy = await startDatabase()
  const isolates = Array.from({ length: 3 }, () => newAuditQueue())
  const append = (n: number) => createAuditStore(busy.open(), systemClock, isolates[n % 3]).append(entry(n))
  await Promise.all(Array.from({ length: 90 }, (_, n) => append(n)))
  const audit = createAuditStore(busy.open(), systemClock)
  expect(await verifyTrail(testContext({ store: { audit } }))).toMatchObject({ verified: true, checked: 90 })
  await busy.stop()
})

test("pages by number, action, actor and subject", async () => {
  const page = await store().page({ limit: 2, before: 10 })
  expect(page.map(({ seq }) => seq)).toEqual([9, 8])
  expect(await store().page({ limit: 5, subject: "7" })).toHaveLength(1)
  expect(await store().page({ limit: 5, action: "data.erased" })).toEqual([])
  expect(await store().page({ limit: 5, actor: "unknown" })).toEqual([])
})

test("a changed or removed row is reported with its position", async () => {
  const [kept] = await store().after(19, 1)
  await server.open().run(sql`UPDATE audit_trail SET details = '{"n":1000}' WHERE seq = 20`)
  expect(await check()).toMatchObject({ verified: false, brokenAt: 20, head: { seq: 19 } })
  await server.open().run(sql`UPDATE audit_trail SET details = ${JSON.stringify(kept!.details)} WHERE seq = 20`)
  expect(await check()).toMatchObject({ verified: true, brokenAt: null })
  await server.open().run(sql`DELETE FROM audit_trail WHERE seq = 25`)
  expect(await check()).toMatchObject({ verified: false, brokenAt: 25 })
})

test("a long trail is verified in consecutive parts", async () => {
  const long = await startDatabase()
  const audit = createAuditStore(long.open(), systemClock)
  const rows: AuditRow[] = []
  const atMost = 1_500
  const entries = Array.from({ length: 2 * atMost + 10 }, (_, n) => entry(n))
  for (const one of entries) rows.push(await linkEntry(one, rows.at(-1) ?? CHAIN_START))
  await long.open().run(sql`INSERT INTO audit_trail (seq, at, actor, action, subject, details, prev_hash, hash)
    SELECT value ->> 'seq', value ->> 'at', value ->> 'actor', value ->> 'action', value ->> 'subject', value -> 'details',
      value ->> 'prevHash', value ->> 'hash' FROM json_each(${JSON.stringify(rows)})`)
  const verifyBefore = (before?: number) => verifyTrail(testContext({ store: { audit } }), { before, atMost })
  expect(await verifyBefore()).toMatchObject({ verified: true, checked: atMost, head: { seq: rows.length } })
  const first = rows.length - atMost + 1
  expect(await verifyBefore(first)).toMatchObject({ verified: true, checked: atMost, head: { seq: first - 1 } })
  expect(await verifyBefore(11)).toMatchObject({ verified: true, checked: 10, head: { seq: 10 } })
  await long.open().run(sql`UPDATE audit_trail SET actor = 'unknown' WHERE seq = ${first - 1}`)
  expect((await verifyBefore()).verified).toBe(true)
  expect(await verifyBefore(first)).toMatchObject({ verified: false, brokenAt: first - 1 })
  await long.open().run(sql`DELETE FROM audit_trail WHERE seq = ${first - 1}`)
  expect(await verifyBefore()).toMatchObject({ verified: false, brokenAt: first })
  await long.stop()
})

test("the nightly purge is recorded in the trail", async () => {
  await server.open().run(sql`INSERT INTO results (address, domain, status, score, evidence, verified_at, expires_at)
    VALUES ('old@x.test', 'x.test', 'valid', 1, '{}', 1, ${Number.MAX_SAFE_INTEGER})`)
  await purgeBySchedule(
    testContext({ clock: systemClock, store: { audit: store(), erasure: createErasureStore(server.open()) } }),
  )
  const [row] = await store().page({ limit: 1 })
  expect(row).toMatchObject({ actor: "schedule", action: "data.purged", details: { results: 1 } })
})

test.each([
  { left: 250_000, removed: 250_000 },
  { left: 9e9, removed: 10 * MAX_ROWS },
])(
  "the nightly purge runs until nothing is left, for at most ten minutes: $removed of $left",
  async ({ left, removed }) => {
    let [rows, minutes] = [left, 0]
    const erasure = {
      purge: async (_: number, limit: number) => {
        const gone = Math.min(limit, rows)
        rows -= gone
        minutes++
        return [{ table: "results", removed: gone, blanked: 0 }]
      },
    }
    await purgeBySchedule(
      testContext({ clock: { ...systemClock, now: () => minutes * 60_000 }, store: { audit: store(), erasure } }),
    )
    expect((await store().page({ limit: 1 }))[0]?.details).toEqual({ results: removed })
  },
)
