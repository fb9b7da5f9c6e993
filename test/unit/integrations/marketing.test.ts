import { describe, expect, test } from "vitest"
import { createKlaviyo } from "../../../src/adapters/integrations/klaviyo.ts"
import { createMailchimp } from "../../../src/adapters/integrations/mailchimp.ts"
import { apiDeps } from "../../support/deps/api-deps.ts"
import { KLAVIYO_KEY, KLAVIYO_LIMITED, KLAVIYO_LIST, startKlaviyo } from "../../support/providers/klaviyo-server.ts"
import {
  MAILCHIMP_FORBIDDEN,
  MAILCHIMP_KEY,
  MAILCHIMP_LIMITED,
  MAILCHIMP_LIST,
  MAILCHIMP_REJECTED,
  startMailchimp,
} from "../../support/providers/mailchimp-server.ts"
import { finding, numbered, readConnection, walk } from "../../support/providers/read-contacts.ts"
import { stoppedAfterTest } from "../../support/stack/stopped-after-test.ts"

const fine = { status: 200 }

describe("Mailchimp", () => {
  const connect = (url: string, settings: object = {}, api_key = MAILCHIMP_KEY) => {
    const given = {
      provider: "mailchimp" as const,
      credentials: { api_key },
      settings: { list_id: MAILCHIMP_LIST, ...settings },
    }
    const deps = apiDeps()
    return { ...deps, book: createMailchimp(readConnection(given), { ...deps, url: `${url}/{dc}/3.0` }) }
  }

  test("is read by offset at the key's data center; members that left the list are skipped", async () => {
    const members = [...numbered(450), { email: "gone@mailbox.test", status: "unsubscribed" }]
    const { url } = await stoppedAfterTest(startMailchimp({ members }))
    const { book } = connect(url)
    expect(await book.check()).toEqual({ ok: true, value: "Newsletter" })
    const { contacts, pages } = await walk(book)
    expect([contacts.length, pages]).toEqual([450, 3])
  })

  test("unsafe members get the tag, and lose it when they are safe again", async () => {
    const members = numbered(3)
    const server = await stoppedAfterTest(startMailchimp({ members }))
    const { book } = connect(server.url)
    await book.prepare()
    await book.write(members.map((member, n) => finding(member, n === 1)))
    expect([...server.tagged]).toEqual([members[1]!.email])
    const again = await book.write(members.map((member) => finding(member)))
    expect(again).toMatchObject({ ok: true, value: { written: 3 } })
    expect(server.tagged.size).toBe(0)
    expect(server.calls.filter((call) => call.endsWith("/segments"))).toHaveLength(1)
  })

  test("a failed tag is counted; an existing tag and a missing tag to remove are not", async () => {
    const { url } = await stoppedAfterTest(startMailchimp({ members: numbered(4), untaggable: ["c2@mailbox.test"] }))
    for (const { book } of [connect(url), connect(url)]) {
      const { contacts } = await walk(book)
      const written = await book.write(contacts.map((contact, n) => finding(contact, n > 0)))
      expect(written).toEqual({ ok: true, value: { written: 3, rejected: 1, code: null } })
      expect(await book.write([finding(contacts[3]!, true)])).toMatchObject({ ok: true })
    }
  })

  test("unsafe members can be unsubscribed instead, and paging misses no member", async () => {
    const members = [...numbered(400), { id: "x", email: "compliance@mailbox.test" }]
    const server = await stoppedAfterTest(startMailchimp({ members }))
    const { book } = connect(server.url, { action: "unsubscribe" })
    const seen: string[] = []
    for (let cursor: string | null = null; ; ) {
      const page = await book.page(cursor)
      if (!page.ok) throw new Error(page.failure.detail)
      seen.push(...page.value.contacts.map(({ email }) => email))
      const written = await book.write(page.value.contacts.map((one) => finding(one, true)))
      cursor = page.value.next
      if (cursor !== null) continue
      expect(written).toEqual({ ok: true, value: { written: 0, rejected: 1, code: "ERROR_CONTACT_COMPLIANCE" } })
      break
    }
    expect(seen).toEqual(members.map(({ email }) => email))
    expect(server.statuses.get("c7@mailbox.test")).toBe("unsubscribed")
    expect(server.statuses.get("compliance@mailbox.test")).toBe("subscribed")
  })

  test("a 429 gives no duration: the waits grow", async () => {
    const { url } = await stoppedAfterTest(
      startMailchimp({ members: [], faults: [MAILCHIMP_LIMITED, MAILCHIMP_LIMITED] }),
    )
    const { book, waits } = connect(url)
    expect(await book.page(null)).toMatchObject({ ok: true })
    expect(waits).toEqual([1_000, 2_000])
  })

  test("and when the waits do not help, no duration is reported", async () => {
    const faults = Array.from({ length: 4 }, () => MAILCHIMP_LIMITED)
    const { url } = await stoppedAfterTest(startMailchimp({ members: [], faults }))
    const limited = { outcome: "rate_limited", retryAfterMs: null, code: "Too Many Requests" }
    expect(await connect(url).book.page(null)).toMatchObject({ ok: false, failure: limited })
  })

  test("a bare 403 is the same limit; a 403 of the API itself concerns the key", async () => {
    const { url } = await stoppedAfterTest(
      startMailchimp({ members: [], faults: [MAILCHIMP_REJECTED, MAILCHIMP_FORBIDDEN] }),
    )
    const { book, waits } = connect(url)
    const forbidden = { outcome: "unauthorized", httpStatus: 403, code: "Forbidden" }
    expect(await book.page(null)).toMatchObject({ ok: false, failure: forbidden })
    expect(waits).toEqual([1_000])
  })

  test("free text of an error, which holds addresses, is dropped", async () => {
    const { url } = await stoppedAfterTest(startMailchimp({ members: [] }))
    const said = await connect(url, { list_id: "nolist" }).book.page(null)
    expect(JSON.stringify(said)).not.toContain("@")
  })

  test("a wrong key and a missing list are distinguished", async () => {
    const { url } = await stoppedAfterTest(startMailchimp({ members: [] }))
    const bad = connect(url, {}, `${"f".repeat(32)}-us21`).book
    expect(await bad.check()).toMatchObject({
      ok: false,
      failure: { outcome: "unauthorized", code: "API Key Invalid" },
    })
    const missing = connect(url, { list_id: "nolist" }).book
    expect(await missing.check()).toMatchObject({ ok: false, failure: { outcome: "refused", httpStatus: 404 } })
  })
})

describe("Klaviyo", () => {
  const connect = (url: string, settings: object = {}, api_key = KLAVIYO_KEY) => {
    const given = {
      provider: "klaviyo" as const,
      credentials: { api_key },
      settings: { list_id: KLAVIYO_LIST, ...settings },
    }
    const deps = apiDeps()
    return { ...deps, book: createKlaviyo(readConnection(given), { ...deps, url }) }
  }

  test("is read by its cursor, and written by one bulk job per page", async () => {
    const profiles = numbered(120)
    const server = await stoppedAfterTest(startKlaviyo({ profiles: [...profiles, { id: "p", email: null }] }))
    const { book } = connect(server.url)
    expect(await book.check()).toEqual({ ok: true, value: "account AbC123" })
    expect(await walk(book)).toEqual({ contacts: profiles, pages: 2 })
    expect(await book.write(profiles.slice(0, 100).map((one) => finding(one)))).toMatchObject({ ok: true })
    expect(server.properties.get("1000")).toEqual({ mailverdict_status: "valid", mailverdict_score: 95 })
    expect(server.suppressed.size).toBe(0)
  })

  test("profiles that the import job rejects are counted, by code only", async () => {
    const profiles = numbered(3)
    const { url } = await stoppedAfterTest(startKlaviyo({ profiles, refused: ["c1@mailbox.test"], polls: 1 }))
    const { book, waits } = connect(url)
    const written = await book.write(profiles.map((one) => finding(one)))
    expect(written).toEqual({ ok: true, value: { written: 2, rejected: 1, code: "invalid" } })
    expect(waits).toEqual([1_000, 2_000])
  })

  test("a job that takes longer than a few seconds counts as written", async () => {
    const server = await stoppedAfterTest(startKlaviyo({ profiles: [], refused: ["c1@mailbox.test"], polls: "never" }))
    const { book, waits } = connect(server.url)
    const written = await book.write(numbered(3).map((one) => finding(one)))
    expect(written).toEqual({ ok: true, value: { written: 3, rejected: 0, code: null } })
    expect(waits).toEqual([1_000, 2_000, 4_000])
  })

  test("a failed status check changes nothing: the job was accepted", async () => {
    const { url } = await stoppedAfterTest(startKlaviyo({ profiles: [], faults: [fine, { status: 404 }] }))
    const written = await connect(url).book.write(numbered(3).map((one) => finding(one)))
    expect(written).toEqual({ ok: true, value: { written: 3, rejected: 0, code: null } })
  })

  test("suppresses unsafe profiles when configured", async () => {
    const profiles = numbered(2)
    const server = await stoppedAfterTest(startKlaviyo({ profiles }))
    await connect(server.url, { action: "suppress" }).book.write([finding(profiles[0]!), finding(profiles[1]!, true)])
    expect([...server.suppressed]).toEqual(["c1@mailbox.test"])
  })

  test("is not called during a requested pause", async () => {
    const { url } = await stoppedAfterTest(
      startKlaviyo({ profiles: [], faults: [fine, KLAVIYO_LIMITED("2"), KLAVIYO_LIMITED("60")] }),
    )
    const { book, waits } = connect(url)
    await book.page(null)
    expect(await book.page(null)).toMatchObject({
      ok: false,
      failure: { outcome: "rate_limited", retryAfterMs: 60_000 },
    })
    expect(waits).toEqual([2_000])
  })

  test("a wrong key and a missing list are distinguished", async () => {
    const { url } = await stoppedAfterTest(startKlaviyo({ profiles: [] }))
    const unauthorized = { ok: false, failure: { outcome: "unauthorized", code: "not_authenticated" } }
    expect(await connect(url, {}, "pk_wrong").book.check()).toMatchObject(unauthorized)
    expect(await connect(url, { list_id: "nolist" }).book.check()).toMatchObject({ failure: { outcome: "refused" } })
  })
})
