import { expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"

type Body = Record<string, unknown>
interface Page {
  readonly suppressions: { email: string | null; domain: string | null; reason: string }[]
  readonly total: number
  readonly next_cursor: string | null
}

const add = async (key: TestKey, entry: Body) =>
  (await call("POST", "/suppression/add", withKey(key, postJson(entry)))).body
const list = async (key: TestKey, query = "") =>
  await call<Page>("GET", "/suppression", withKey(key, { at: `/suppression${query}` }))
const namesOf = ({ suppressions }: Page) => suppressions.map(({ email, domain }) => email ?? `@${domain}`)
const importCsv = async (key: TestKey, csv: string) => {
  const sent = { at: "/suppression/import", method: "POST", headers: { "content-type": "text/csv" }, body: csv }
  return (await call("POST", "/suppression/import", withKey(key, sent))).body
}

test.each<[string, Body, Body, object]>([
  [
    "the same again changes nothing",
    { reason: "manual" },
    { reason: "manual" },
    { change: "unchanged", kept: [], entry: { reason: "manual", expires_at: null } },
  ],
  [
    "a milder reason with an end keeps the graver one and the longer time",
    { reason: "hard_bounce", source: "esp" },
    { reason: "manual", expires_in_days: 3 },
    {
      change: "unchanged",
      kept: ["graver_reason", "longer_time"],
      entry: { reason: "hard_bounce", source: "esp", expires_at: null },
    },
  ],
  [
    "a shorter time of a graver reason updates the reason only",
    { reason: "manual" },
    { reason: "unsubscribe", expires_in_days: 3 },
    { change: "updated", kept: ["longer_time"], entry: { reason: "unsubscribe", expires_at: null } },
  ],
  [
    "a later end extends the entry",
    { reason: "soft_bounce", expires_in_days: 3 },
    { reason: "soft_bounce" },
    { change: "updated", kept: [], entry: { reason: "soft_bounce", expires_at: null } },
  ],
])("adding again: %s, and the answer says what is active", async (_, first, second, expected) => {
  const key = await newKey()
  const email = "again@d0204.test"
  expect(await add(key, { email, ...first })).toMatchObject({ status: "added", change: "added", kept: [] })
  const answer = await add(key, { email, ...second })
  expect(answer).toMatchObject({ status: "added", entry: { email, domain: null }, ...expected })
  const at = `/suppression/check?email=${email}`
  const { email: _email, domain: _domain, ...active } = answer.entry as Body
  expect((await call("GET", "/suppression/check", withKey(key, { at }))).body).toMatchObject(active)
})

test("an entry that keeps something says so in its message", async () => {
  const [key, email] = [await newKey(), "kept@d0204.test"]
  await add(key, { email, reason: "hard_bounce" })
  expect((await add(key, { email, reason: "manual", expires_in_days: 1 })).message).toBe(
    "kept@d0204.test is on your suppression list, permanently; the earlier entry keeps the graver reason hard_bounce and the later end",
  )
})

test("removing says what was removed, also when only a report was there", async () => {
  const [key, email] = [await newKey(), "reported@d0204.test"]
  await call("POST", "/bounce", withKey(key, postJson({ email, bounce_type: "spam_complaint" })))
  const remove = () =>
    call("DELETE", "/suppression/{email}", withKey(key, { at: `/suppression/${encodeURIComponent(email)}` }))
  expect((await remove()).body).toMatchObject({
    removed: null,
    reports_withdrawn: true,
    still_suppressed: false,
    entries: [],
  })
  expect((await remove()).status).toBe(404)
})

test("the list has pages, a total, and filters by reason, date, address and domain", async () => {
  const [key, other] = [await newKey(), await newKey()]
  await add(other, { email: "foreign@d0204.test", reason: "manual" })
  for (const n of [1, 2, 3]) await add(key, { email: `user${n}@d0204.test`, reason: "manual" })
  await add(key, { domain: "d0204.test", reason: "unsubscribe" })
  await add(key, { email: "a@d0203.test", reason: "unsubscribe", expires_in_days: 1 })
  const all = ["a@d0203.test", "@d0204.test", "user3@d0204.test", "user2@d0204.test", "user1@d0204.test"]
  expect(namesOf((await list(key)).body)).toEqual(all)

  const first = (await list(key, "?limit=2")).body
  const second = (await list(key, `?limit=2&cursor=${first.next_cursor}`)).body
  const third = (await list(key, `?limit=2&cursor=${second.next_cursor}`)).body
  expect([first, second, third].flatMap(namesOf)).toEqual(all)
  expect([first, second, third].map(({ total }) => total)).toEqual([5, 5, 5])
  expect([second.next_cursor, third.next_cursor]).toEqual([expect.any(String), null])

  const [yesterday, tomorrow] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const filters: [string, string[]][] = [
    ["?reason=unsubscribe", ["a@d0203.test", "@d0204.test"]],
    ["?reason=hard_bounce", []],
    [`?from=${yesterday}&to=${tomorrow}`, all],
    [`?from=${tomorrow!.slice(0, 10)}`, []],
    [`?to=${yesterday}`, []],
    ["?search=USER2@d0204.test", ["user2@d0204.test"]],
    ["?search=@d0204.test", ["@d0204.test"]],
    ["?search=*@d0204.test", ["@d0204.test"]],
    ["?search=@d0203.test", []],
    ["?search=foreign@d0204.test", []],
    ["?search=user2@d0204.test&reason=unsubscribe", []],
  ]
  for (const [query, names] of filters) {
    const { body } = await list(key, query)
    expect(namesOf(body), query).toEqual(names)
    expect(body.total, query).toBe(names.length)
  }
})

test.each([
  ["?search=nonsense", 400],
  ["?search=@nonsense..test", 400],
  ["?reason=because", 422],
  ["?from=soon", 422],
  ["?limit=0", 422],
  ["?limit=1001", 422],
  ["?cursor=x", 422],
])("GET /suppression%s is %i", async (query, status) => {
  expect((await list(await newKey(), query)).status).toBe(status)
})

test("importing counts every row once", async () => {
  const key = await newKey()
  await add(key, { email: "grave@d0204.test", reason: "hard_bounce" })
  await add(key, { email: "short@d0204.test", reason: "manual", expires_in_days: 1 })
  const rows = ["new@d0204.test", "NEW@d0204.test", "grave@d0204.test", "short@d0204.test", "malformed"]
  const body = await importCsv(key, `email\n${rows.join("\n")}\n`)
  expect(body).toMatchObject({
    ...{ status: "imported", added: 1, updated: 1, kept: 1, duplicates: 1 },
    rejected: [{ row: 6, reason: expect.any(String) }],
    message: "1 added, 1 updated, 1 kept, 1 duplicate, 1 rejected",
  })
  expect(await importCsv(key, "email\ngrave@d0204.test\n")).toMatchObject({ added: 0, updated: 0 })
})
