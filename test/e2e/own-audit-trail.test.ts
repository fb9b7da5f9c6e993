import { expect, test } from "vitest"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"

interface Trail {
  readonly events: readonly { at: string; action: string; by: string; subject: string | null }[]
  readonly next_cursor: number | null
}

const trail = async (key: TestKey, query = "") => {
  const { status, body } = await call<Trail>("GET", "/me/audit-trail", withKey(key, { at: `/me/audit-trail${query}` }))
  expect(status).toBe(200)
  return body
}
const newOwnKey = async (key: TestKey) =>
  (
    await call<{ key_id: string }>(
      "POST",
      "/keys",
      withKey(key, postJson({ name: "x", owner_email: "o@mailbox.test" })),
    )
  ).body.key_id

test("has the account's own actions and the operator's on it and its keys, newest first", async () => {
  const key = await newKey()
  const second = await newOwnKey(key)
  const init = postJson({ name: "renamed" })
  await call("PATCH", "/keys/{key_id}", withKey(key, { ...init, method: "PATCH", at: `/keys/${second}` }))
  await call("POST", "/gdpr/erase", withKey(key, postJson({ email: "person@mailbox.test" })))
  await call("DELETE", "/admin/keys/{key_id}", asAdmin({ method: "DELETE", at: `/admin/keys/${second}` }))
  const { events } = await trail(key)
  expect(events).toMatchObject([
    { action: "key.revoked", by: "operator", subject: second },
    { action: "data.erased", by: "account", subject: null },
    { action: "key.changed", by: "account", subject: second },
    { action: "key.created", by: "account", subject: second },
    { action: "key.created", by: "operator", subject: key.keyId },
  ])
  expect(JSON.stringify(events)).not.toContain("mailbox.test")
})

test("has pages and a filter", async () => {
  const key = await newKey()
  const made: string[] = []
  for (let n = 0; n < 3; n++) made.unshift(await newOwnKey(key))
  await call("DELETE", "/keys/{key_id}", withKey(key, { method: "DELETE", at: `/keys/${made[0]}` }))
  const seen: (string | null)[] = []
  let query = "?limit=2&action=key.created"
  for (let pages = 0; pages < 3; pages++) {
    const { events, next_cursor } = await trail(key, query)
    expect(events.every(({ action }) => action === "key.created")).toBe(true)
    seen.push(...events.map(({ subject }) => subject))
    if (next_cursor === null) break
    query = `?limit=2&action=key.created&cursor=${next_cursor}`
  }
  expect(seen).toEqual([...made, key.keyId])
})

test("shows nothing of another account", async () => {
  const [key, other] = [await newKey(), await newKey()]
  const foreign = await newOwnKey(other)
  const { events } = await trail(key)
  expect(events).toMatchObject([{ action: "key.created", by: "operator", subject: key.keyId }])
  expect(JSON.stringify(events)).not.toContain(foreign)
})

test.each(["?action=nothing", "?cursor=x"])("%s is refused", async (query) => {
  const key = await newKey()
  const answer = await call("GET", "/me/audit-trail", withKey(key, { at: `/me/audit-trail${query}` }))
  expect(answer.status).toBe(422)
})
