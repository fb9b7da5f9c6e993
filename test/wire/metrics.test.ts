import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createMetricStore } from "../../src/adapters/store/admin/counters.ts"
import { startDatabase } from "../support/stack/database.ts"

const NOW = Date.UTC(2026, 10, 21, 12)

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

test("counts of several isolates add up", async () => {
  const store = createMetricStore(server.open())
  await Promise.all([
    store.add(
      new Map([
        ["answers GET /a 200", 2],
        ["ms GET /a", 7],
      ]),
    ),
    store.add(new Map([["answers GET /a 200", 3]])),
    store.add(new Map()),
  ])
  expect(await store.requestCounts()).toEqual(
    new Map([
      ["answers GET /a 200", 5],
      ["ms GET /a", 7],
    ]),
  )
})

test("the backlog of an empty service is zero", async () => {
  expect(await createMetricStore(server.open()).backlog(NOW)).toEqual({
    chunks: { due: 0, scheduled: 0, leased: 0, running: 0 },
    ...{ oldestChunkMs: 0, verifications: 0, webhooks: 0, rechecks: 0 },
  })
})

test("the backlog is counted by due time", async () => {
  const database = server.open()
  const chunks = [
    ["waiting", NOW - 90_000],
    ["waiting", NOW - 10],
    ["waiting", NOW + 10],
    ["leased", NOW],
    ["running", NOW],
    ["done", NOW - 99_999_999],
  ] as const
  for (const [index, [state, dueAt]] of chunks.entries())
    await database.run(sql`INSERT INTO job_chunks (job_id, chunk, after_domain, after_idx, last_domain, last_idx, state, due_at)
      VALUES ('job_1', ${index}, '', 0, '', 0, ${state}, ${dueAt})`)
  for (const [id, state] of ["queued", "running", "complete"].entries())
    await database.run(sql`INSERT INTO pending_verifications (verification_id, email, state, created_at)
      VALUES (${`ver_${id}`}, 'a@b.test', ${state}, ${NOW})`)
  for (const [id, [state, dueAt]] of (
    [
      ["pending", NOW],
      ["pending", NOW + 1],
      ["delivered", 0],
    ] as const
  ).entries())
    await database.run(sql`INSERT INTO outbound_events (event_id, type, url, payload, state, created_at, due_at)
      VALUES (${`evt_${id}`}, 'job.completed', 'https://a.test', '{}', ${state}, 0, ${dueAt})`)
  for (const dueAt of [NOW - 1, NOW + 1])
    await database.run(sql`INSERT INTO rechecks (address, attempt, due_at) VALUES (${`${dueAt}@b.test`}, 0, ${dueAt})`)
  expect(await createMetricStore(database).backlog(NOW)).toEqual({
    chunks: { due: 2, scheduled: 1, leased: 1, running: 1 },
    ...{ oldestChunkMs: 90_000, verifications: 2, webhooks: 1, rechecks: 1 },
  })
})
