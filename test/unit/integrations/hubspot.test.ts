import { describe, expect, test } from "vitest"
import { createHubspot } from "../../../src/adapters/integrations/hubspot.ts"
import { apiDeps } from "../../support/deps/api-deps.ts"
import {
  HUBSPOT_LOCKED,
  HUBSPOT_MOVING,
  hubspotRateLimit,
  startHubspot,
} from "../../support/providers/hubspot-server.ts"
import { finding, numbered, readConnection, walk } from "../../support/providers/read-contacts.ts"
import { stoppedAfterTest } from "../../support/stack/stopped-after-test.ts"

describe("HubSpot", () => {
  const connect = (url: string, access_token = "pat", settings: object = {}) => {
    const deps = apiDeps()
    return {
      ...deps,
      book: createHubspot(readConnection({ provider: "hubspot", credentials: { access_token }, settings }), {
        ...deps,
        url,
      }),
    }
  }

  test("is read page by page; contacts without an address are skipped", async () => {
    const contacts = [...numbered(250), { id: "9", email: null }]
    const { url } = await stoppedAfterTest(startHubspot({ pat: { contacts } }))
    const { book } = connect(url)
    expect(await book.check()).toEqual({ ok: true, value: "portal 4711" })
    expect(await walk(book)).toEqual({ contacts: numbered(250), pages: 3 })
  })

  test("gets its two properties once, and is written in batches; rejected contacts are counted", async () => {
    const contacts = numbered(3)
    const server = await stoppedAfterTest(startHubspot({ pat: { contacts, locked: ["1001"] } }))
    const { book } = connect(server.url)
    expect([await book.prepare(), await book.prepare()]).toEqual([
      { ok: true, value: null },
      { ok: true, value: null },
    ])
    expect(server.calls.filter((call) => call === "POST /crm/properties/2026-09/contacts")).toHaveLength(2)
    const written = await book.write(contacts.map((contact) => finding(contact)))
    expect(written).toEqual({ ok: true, value: { written: 2, rejected: 1, code: "OBJECT_NOT_FOUND" } })
    expect(server.written.get("1000")).toEqual({ mailverdict_status: "valid", mailverdict_score: "95" })
  })

  test("contacts that violate the portal's rules do not block the others", async () => {
    const contacts = numbered(100)
    const server = await stoppedAfterTest(startHubspot({ pat: { contacts, incomplete: ["1007", "1093"] } }))
    const { book } = connect(server.url)
    await book.prepare()
    const written = await book.write(contacts.map((contact) => finding(contact)))
    expect(written).toEqual({ ok: true, value: { written: 98, rejected: 2, code: "VALIDATION_ERROR" } })
    expect(server.written.size).toBe(98)
    expect(await book.write([finding(contacts[7]!)])).toMatchObject({ ok: true, value: { written: 0, rejected: 1 } })
  })

  test("a last page may have no writable contact: deleted ones, or a few that violate the rules", async () => {
    const contacts = numbered(20)
    const ids = contacts.map(({ id }) => id)
    const { url } = await stoppedAfterTest(
      startHubspot({ pat: { contacts, locked: ids }, other: { contacts, incomplete: ids } }),
    )
    for (const [token, size, code] of [
      ["pat", 20, "OBJECT_NOT_FOUND"],
      ["other", 3, "VALIDATION_ERROR"],
    ] as const) {
      const { book } = connect(url, token)
      await book.prepare()
      const written = await book.write(contacts.slice(0, size).map((contact) => finding(contact)))
      expect(written).toEqual({ ok: true, value: { written: 0, rejected: size, code } })
    }
  })

  test("a page without a writable contact is a refusal: a property is missing, and retries would use up the daily calls", async () => {
    const contacts = numbered(20)
    const { url } = await stoppedAfterTest(startHubspot({ pat: { contacts } }))
    const refused = { outcome: "refused", httpStatus: 400, code: "VALIDATION_ERROR" }
    expect(await connect(url).book.write(contacts.map((contact) => finding(contact)))).toMatchObject({
      ok: false,
      failure: refused,
    })
  })

  test("property names are lower case, as HubSpot stores them", async () => {
    const contacts = numbered(1)
    const server = await stoppedAfterTest(startHubspot({ pat: { contacts } }))
    const { book } = connect(server.url, "pat", { status_property: "Mail_Status" })
    expect(await book.prepare()).toEqual({ ok: true, value: null })
    await book.write([finding(contacts[0]!)])
    expect(server.written.get("1000")).toEqual({ mail_status: "valid", mailverdict_score: "95" })
  })

  test("a lock of seconds is waited for; an account that moves is not called for the given time", async () => {
    const locked = await stoppedAfterTest(startHubspot({ pat: { contacts: numbered(1), faults: [HUBSPOT_LOCKED] } }))
    const { book, waits } = connect(locked.url)
    expect(await walk(book)).toMatchObject({ pages: 1 })
    expect(waits).toEqual([2_000])
    const moving = await stoppedAfterTest(startHubspot({ pat: { contacts: [], faults: [HUBSPOT_MOVING("7200")] } }))
    expect(await connect(moving.url).book.page(null)).toMatchObject({
      ok: false,
      failure: { outcome: "rate_limited", httpStatus: 477, retryAfterMs: 7_200_000 },
    })
  })

  test("a wrong token is reported, without free text of the response", async () => {
    const { url } = await stoppedAfterTest(startHubspot({}))
    const checked = await connect(url, "wrong").book.check()
    expect(checked).toMatchObject({ ok: false, failure: { outcome: "unauthorized", httpStatus: 401 } })
    expect(JSON.stringify(checked)).toContain("INVALID_AUTHENTICATION")
    expect(JSON.stringify(checked)).not.toContain("credentials not found")
  })

  test("a limit of seconds is waited for, for the given time", async () => {
    const faults = [hubspotRateLimit("3"), hubspotRateLimit("4")]
    const { url } = await stoppedAfterTest(startHubspot({ pat: { contacts: numbered(1), faults } }))
    const { book, waits } = connect(url)
    expect(await walk(book)).toMatchObject({ pages: 1 })
    expect(waits).toEqual([3_000, 4_000])
  })

  test("a longer limit is returned to the caller, without further calls", async () => {
    const server = await stoppedAfterTest(startHubspot({ pat: { contacts: [], faults: [hubspotRateLimit("600")] } }))
    const { book, waits } = connect(server.url)
    const limited = { ok: false, failure: { outcome: "rate_limited", retryAfterMs: 600_000 } }
    expect(await book.page(null)).toMatchObject({ ...limited, failure: { code: "TEN_SECONDLY_ROLLING" } })
    expect(await book.page(null)).toMatchObject(limited)
    expect([waits, server.calls.length]).toEqual([[], 1])
  })

  test("an exhausted daily limit without a duration is not waited for", async () => {
    const daily = { status: 429, json: { status: "error", errorType: "RATE_LIMIT", policyName: "DAILY" } }
    const { url } = await stoppedAfterTest(startHubspot({ pat: { contacts: [], faults: [daily] } }))
    const { book, waits } = connect(url)
    const limited = { outcome: "rate_limited", code: "DAILY", retryAfterMs: 3_600_000 }
    expect(await book.page(null)).toMatchObject({ ok: false, failure: limited })
    expect(waits).toEqual([])
  })

  test("an exhausted window is waited for before HubSpot reports it", async () => {
    const server = await stoppedAfterTest(startHubspot({ pat: { contacts: numbered(150), perWindow: 1 } }))
    const { book, waits } = connect(server.url)
    expect(await walk(book)).toMatchObject({ pages: 2 })
    expect(waits).toEqual([10_000])
  })
})
