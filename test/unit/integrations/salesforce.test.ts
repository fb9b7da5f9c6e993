import { expect, test } from "vitest"
import { Connection, type ConnectionOf } from "../../../schema/wire/integrations.ts"
import type { Exchange } from "../../../src/adapters/integrations/api-client.ts"
import { createSalesforce } from "../../../src/adapters/integrations/salesforce.ts"
import type { Contact } from "../../../src/domain/integrations/sync.ts"
import { apiDeps } from "../../support/deps/api-deps.ts"
import { type Organization, SALESFORCE_APP, startSalesforce } from "../../support/providers/salesforce-server.ts"
import { stoppedAfterTest } from "../../support/stack/stopped-after-test.ts"

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    Id: `003${String(n).padStart(12, "0")}`,
    Email: `c${n}@mailbox.test`,
  }))

test("the requests of a check are reported without its secrets", async () => {
  const exchanges: Exchange[] = []
  const onExchange = (exchange: Exchange) => void exchanges.push(exchange)
  const { book, server } = await connect({}, {}, {}, { onExchange })
  expect(await book.check()).toMatchObject({ ok: true })
  expect(exchanges).toMatchObject([
    { method: "POST", url: `${server.url}/services/oauth2/token`, httpStatus: 200 },
    { method: "GET", url: expect.stringMatching(/\/describe$/), headers: { authorization: "***" }, httpStatus: 200 },
  ])
  for (const secret of ["5Aep-1", ...Object.values(SALESFORCE_APP)])
    expect(JSON.stringify(exchanges)).not.toContain(secret)
})

async function connect(
  organization: Partial<Organization> = {},
  credentials: object = {},
  settings: object = {},
  more: object = {},
) {
  const server = await stoppedAfterTest(startSalesforce({ contacts: [], refreshToken: "5Aep-1", ...organization }))
  const kept: string[] = []
  const opening = { ...SALESFORCE_APP, refresh_token: "5Aep-1", ...credentials }
  const given = { provider: "salesforce", credentials: opening, settings }
  const deps = apiDeps()
  const book = createSalesforce(Connection.parse(given) as ConnectionOf<"salesforce">, {
    ...deps,
    ...more,
    loginUrl: server.url,
    storeRefreshToken: async (token) => void kept.push(token),
  })
  return { server, book, kept, waits: deps.waits }
}

async function walk({ book }: Awaited<ReturnType<typeof connect>>): Promise<Contact[]> {
  const contacts: Contact[] = []
  for (let cursor: string | null = null; ; ) {
    const page = await book.page(cursor)
    if (!page.ok) throw new Error(page.failure.detail)
    contacts.push(...page.value.contacts)
    cursor = page.value.next
    if (cursor === null) return contacts
  }
}

test("contacts are read by queries of 200, after one sign-in", async () => {
  const connected = await connect({ contacts: people(450) })
  expect(await connected.book.check()).toEqual({ ok: true, value: "Contact" })
  expect(await walk(connected)).toEqual(people(450).map(({ Id, Email }) => ({ id: Id, email: Email })))
  expect(connected.server.calls.filter((call) => call.endsWith("/token"))).toHaveLength(1)
})

test("an expired query continues after the last contact", async () => {
  expect(await walk(await connect({ contacts: people(450), forgetsQueries: true }))).toHaveLength(450)
})

test("converted leads are skipped, because they accept no updates", async () => {
  const leads = people(3).map(({ Id, ...rest }) => ({ ...rest, Id: Id.replace("003", "00Q") }))
  const connected = await connect({ contacts: leads, converted: [leads[1]!.Id] }, {}, { object: "Lead" })
  const found = await walk(connected)
  expect(found.map(({ id }) => id)).toEqual([leads[0]!.Id, leads[2]!.Id])
  const findings = found.map((lead) => ({ ...lead, status: "valid" as const, score: 95, isUnsafe: false }))
  expect(await connected.book.write(findings)).toMatchObject({ ok: true, value: { written: 2, rejected: 0 } })
})

test("an expired token is fetched once more, and a replaced refresh token is stored before its use", async () => {
  const connected = await connect({ contacts: people(650), usesOfToken: 2, rotates: true })
  expect(await walk(connected)).toHaveLength(650)
  expect(connected.kept).toEqual(["5Aep-1-1", "5Aep-1-2"])
  expect(connected.kept).toEqual(connected.server.refreshTokens.slice(1))
})

test("results go into two fields, 200 per call; a locked record does not block the others", async () => {
  const contacts = people(250)
  const { book, server } = await connect({ contacts, locked: [contacts[3]!.Id] })
  const findings = contacts.map(({ Id, Email }) => ({
    ...{ id: Id, email: Email, status: "accept_all" as const, score: 60, isUnsafe: false },
  }))
  expect(await book.write(findings)).toEqual({
    ok: true,
    value: { written: 249, rejected: 1, code: "UNABLE_TO_LOCK_ROW" },
  })
  expect(server.calls.filter((call) => call.startsWith("PATCH"))).toHaveLength(2)
  expect(server.written.get(contacts[0]!.Id)).toMatchObject({
    attributes: { type: "Contact" },
    Mailverdict_Status__c: "accept_all",
    Mailverdict_Score__c: 60,
  })
})

test("client credentials sign in at the organization's own domain", async () => {
  const other = await stoppedAfterTest(startSalesforce({ contacts: people(1), refreshToken: "none" }))
  const deps = { ...apiDeps(), loginUrl: other.url, storeRefreshToken: async () => undefined }
  const given = { provider: "salesforce", credentials: { ...SALESFORCE_APP, domain: other.url } }
  const book = createSalesforce(Connection.parse(given) as ConnectionOf<"salesforce">, deps)
  expect(await book.page(null)).toMatchObject({ ok: true, value: { contacts: [{ email: "c0@mailbox.test" }] } })
})

test.each([
  ["a refresh token that has ended", { refresh_token: "old" }, "invalid_grant"],
  ["an unknown app", { client_id: "other" }, "invalid_client_id"],
])("%s is reported by its code", async (_, credentials, code) => {
  const { book } = await connect({}, credentials)
  expect(await book.check()).toMatchObject({ ok: false, failure: { outcome: "unauthorized", code, httpStatus: 400 } })
})

test.each([
  ["invalid_grant", "token request is already being processed"],
  ["unknown_error", "retry your request"],
])("%s (%s) is temporary and says nothing about the credentials", async (error, error_description) => {
  const { book, server } = await connect({ noToken: { error, error_description } })
  expect(await book.check()).toMatchObject({ ok: false, failure: { outcome: "unreachable", code: error } })
  expect(server.calls).toHaveLength(1)
})

test("a foreign domain is not called", async () => {
  const { book, server } = await connect({}, { domain: "https://evil.example" })
  expect(await book.check()).toMatchObject({ ok: false, failure: { outcome: "refused" } })
  expect(server.calls).toEqual([])
})

test("the last twentieth of the daily calls is left to other clients", async () => {
  const { book, server, waits } = await connect({ contacts: people(450), usage: "4800/5000" })
  const first = await book.page(null)
  expect(first).toMatchObject({ ok: true })
  const next = first.ok ? first.value.next : null
  expect(await book.page(next)).toMatchObject({
    ok: false,
    failure: { outcome: "rate_limited", retryAfterMs: 3_600_000 },
  })
  expect(waits).toEqual([])
  expect(server.calls.filter((call) => call.includes("/query"))).toHaveLength(1)
})

test("an exhausted daily limit is not a refusal, although its status is one", async () => {
  const { book, waits } = await connect({ contacts: people(1), isExhausted: true })
  const limited = { outcome: "rate_limited", httpStatus: 403, code: "REQUEST_LIMIT_EXCEEDED", retryAfterMs: 3_600_000 }
  expect(await book.page(null)).toMatchObject({ ok: false, failure: limited })
  expect(waits).toEqual([])
})

test("a check of the fields names those that an administrator has to create", async () => {
  const { book } = await connect()
  const given = {
    provider: "salesforce",
    credentials: { ...SALESFORCE_APP, refresh_token: "5Aep-1" },
    settings: { status_field: "Other__c" },
  }
  const { server } = await connect()
  const deps = { ...apiDeps(), loginUrl: server.url, storeRefreshToken: async () => undefined }
  const other = createSalesforce(Connection.parse(given) as ConnectionOf<"salesforce">, deps)
  expect(await book.prepare()).toEqual({ ok: true, value: null })
  expect(await other.prepare()).toMatchObject({ failure: { detail: expect.stringContaining("Other__c") } })
})
