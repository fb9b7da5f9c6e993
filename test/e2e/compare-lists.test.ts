import { expect, test } from "vitest"
import { call, postJson } from "../support/stack/api.ts"
import { type Account, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

async function listOf(key: Account, emails: readonly string[], { deduplicate = true } = {}): Promise<string> {
  const init = postJson({ emails, deduplicate })
  const headers = { ...init.headers, ...key.headers }
  const { body } = await call<{ job_id: string }>("POST", "/validate/bulk/async", { ...init, headers })
  await waitForJobEnd(body.job_id, key.headers)
  return body.job_id
}

const compare = (key: Account, jobId: string, earlier: string) =>
  call("GET", "/bulk/{job_id}/compare", { at: `/bulk/${jobId}/compare?with=${earlier}`, headers: key.headers })

test("a list is compared with an earlier one by mailbox", async () => {
  const key = await newAccount()
  const earlier = await listOf(key, ["alice@mailbox.test", "nobody@mailbox.test", "bob@mailbox.test", "no address"])
  const newer = await listOf(key, [
    ...["ALICE@mailbox.test", "alice@mailbox.test", "nobody@mailbox.test"],
    ...["new@mailbox.test", "anyone@catch-all.test"],
  ])
  expect(await compare(key, newer, earlier)).toMatchObject({
    status: 200,
    body: {
      ...{ job_id: newer, with: earlier, same: 2, changed: 0, added: 2, gone: 2 },
      changes: expect.arrayContaining([
        { before: "valid", now: "valid", count: 1 },
        { before: "invalid", now: "invalid", count: 1 },
      ]),
      examples: [
        { email: "new@mailbox.test", before: null, is_new: true },
        { email: "anyone@catch-all.test", before: null, now: "accept_all", is_new: true },
      ],
    },
  })
  expect((await compare(key, newer, newer)).body).toMatchObject({
    same: 4,
    changed: 0,
    added: 0,
    gone: 0,
    examples: [],
  })
})

test("a changed result is counted by its statuses, and shown", async () => {
  const key = await newAccount()
  const emails = ["user1@d0981.test", "user2@d0981.test"]
  const init = postJson({ emails, smtp: false })
  const headers = { ...init.headers, ...key.headers }
  const { body } = await call<{ job_id: string }>("POST", "/validate/bulk/async", { ...init, headers })
  await waitForJobEnd(body.job_id, key.headers)
  const newer = await listOf(key, emails)
  expect((await compare(key, newer, body.job_id)).body).toMatchObject({
    ...{ same: 0, changed: 2, added: 0, gone: 0, changes: [{ before: "unknown", now: "valid", count: 2 }] },
    examples: emails.map((email) => ({ email, before: "unknown", now: "valid", is_new: false })),
  })
})

test("only the account's own lists are compared", async () => {
  const [key, other] = [await newAccount(), await newAccount()]
  const own = await listOf(key, ["alice@mailbox.test"])
  const foreign = await listOf(other, ["alice@mailbox.test"])
  for (const [newer, earlier] of [
    [own, foreign],
    [foreign, own],
    [own, "job_0123456789abcdef01234567"],
  ] as const)
    expect(await compare(key, newer, earlier)).toMatchObject({ status: 404, body: { code: "not_found" } })
  const nothing = await call("GET", "/bulk/{job_id}/compare", { at: `/bulk/${own}/compare`, headers: key.headers })
  expect(nothing.status).toBe(422)
})
