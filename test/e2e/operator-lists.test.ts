import { describe, expect, test } from "vitest"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"

interface Jobs {
  readonly jobs: { job_id: string; account_id: string | null; kind: string; status: string; total: number }[]
  readonly next_cursor: string | null
}

const jobsAt = async (query: string) =>
  (await call<Jobs>("GET", "/admin/jobs", asAdmin({ at: `/admin/jobs?${query}` }))).body

async function submit(key: TestKey): Promise<string> {
  const emails = ["alice@mailbox.test", "nobody@mailbox.test"]
  const { body } = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson({ emails })))
  return body.job_id
}

describe("all jobs", () => {
  test("of an account, newest first, page by page, without addresses", async () => {
    const key = await newKey()
    const { body: me } = await call<{ account_id: string }>("GET", "/auth/me", withKey(key))
    const ids = [await submit(key), await submit(key), await submit(key)]
    const of = `account_id=${me.account_id}`
    const first = await jobsAt(`${of}&limit=2`)
    const second = await jobsAt(`${of}&limit=2&cursor=${first.next_cursor}`)
    const all = [...first.jobs, ...second.jobs]
    expect(all.map(({ job_id }) => job_id)).toEqual(ids.toReversed())
    expect(all).toMatchObject(Array(3).fill({ account_id: me.account_id, kind: "async", total: 2 }))
    expect(second.next_cursor).toBeNull()
    expect(JSON.stringify(all)).not.toContain("@")
    await Promise.all(ids.map((id) => waitForJobEnd(id, { "x-api-key": key.secret })))
    expect((await jobsAt(`${of}&open=true`)).jobs).toEqual([])
  })

  test("of everybody: the job of one account stands beside the other's", async () => {
    const [one, another] = [await newKey(), await newKey()]
    const ids = [await submit(one), await submit(another)]
    const { jobs } = await jobsAt("limit=100")
    expect(jobs.map(({ job_id }) => job_id)).toEqual(expect.arrayContaining(ids))
    expect(new Set(jobs.filter(({ job_id }) => ids.includes(job_id)).map(({ account_id }) => account_id)).size).toBe(2)
  })
})

test("settings in force are names, never values", async () => {
  const { body, text } = await call<{ settings: { name: string; given: boolean }[] }>(
    "GET",
    "/admin/settings",
    asAdmin(),
  )
  const given = Object.fromEntries(body.settings.map(({ name, given }) => [name, given]))
  expect(given).toMatchObject({
    ADMIN_SECRET: true,
    KEY_PEPPER: true,
    SANDBOX: true,
    GOOGLE_CLIENT_ID: expect.any(Boolean),
  })
  expect(Object.values(given)).toContain(false)
  expect(text).not.toMatch(/127\.0\.0\.1|[0-9a-f]{32}/)
})
