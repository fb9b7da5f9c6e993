import { sql } from "drizzle-orm"
import { expect, inject, test } from "vitest"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { asAdmin, newKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { untilStored } from "../support/stack/stored.ts"

const database = () => openDatabase(inject("database"))

test("stale results are verified again in the background, and the webhook is notified once", async () => {
  const emails = ["user1@d0915.test", "no-1@d0915.test"]
  for (const email of emails) await call("GET", "/validate", { at: `/validate?email=${email}` })
  await untilStored(...emails)
  await database().run(
    sql`UPDATE results SET verified_at = 1 + verified_at % 2, expires_at = 1 WHERE domain = 'd0915.test'`,
  )
  const at = `/admin/reverify?limit=2&webhook_url=${encodeURIComponent(`http://${inject("webhookHost")}/reverified`)}`
  const started = await call<{ job_id: string }>("POST", "/admin/reverify", asAdmin({ at }))
  expect(started.body).toMatchObject({ status: "queued", queued: 2 })
  const fresh = async (email: string) =>
    (await call<{ is_fresh: boolean }>("GET", "/db/lookup", asAdmin({ at: `/db/lookup?email=${email}` }))).body.is_fresh
  await expect.poll(async () => (await Promise.all(emails.map(fresh))).every(Boolean)).toBe(true)
  const events = () =>
    database().all<{ payload: string }>(sql`SELECT payload FROM outbound_events WHERE type = 'reverify.completed'`)
  await expect.poll(async () => (await events()).length).toBe(1)
  const { data } = JSON.parse((await events())[0]!.payload) as { data: Record<string, unknown> }
  expect(data).toMatchObject({ job_id: started.body.job_id, total: 2, summary: { valid: 1, invalid: 1 } })

  // The operator reads the job page by page. No account's job is read there, and no account reads it.
  const read = (jobId: string, query = "") =>
    call<{ results: { checks: { email: string } }[]; next_cursor: string | null }>(
      "GET",
      "/admin/jobs/{job_id}",
      asAdmin({ at: `/admin/jobs/${jobId}${query}` }),
    )
  const first = await read(started.body.job_id, "?limit=1")
  expect(first.body).toMatchObject({ job_id: started.body.job_id, status: "complete", total: 2, progress: 2 })
  const last = await read(started.body.job_id, `?limit=1&cursor=${first.body.next_cursor}`)
  expect(last.body.next_cursor).toBeNull()
  const readEmails = [first, last].flatMap(({ body }) => body.results.map(({ checks }) => checks.email))
  expect(readEmails.toSorted()).toEqual(emails.toSorted())
  const key = await newKey()
  const own = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson({ emails })))
  expect((await read(own.body.job_id)).status).toBe(404)
  expect((await callUnchecked(`/jobs/${started.body.job_id}`, withKey(key))).status).toBe(404)
})
