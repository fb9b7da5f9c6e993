import { describe, expect, inject, test } from "vitest"
import { readReferenceData } from "../../scripts/build/reference-data.ts"
import { wordsOf } from "../../src/domain/reference/tables.ts"
import { asAdmin, newKey, newPublishableKey, SHOP, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { untilStored } from "../support/stack/stored.ts"

/** A mail host in the sandbox that has a name of Google's. */
const BUSINESS_HOST = "mx.sandbox.googlemail.com"

describe("domain lists", () => {
  const fast = (email: string) =>
    call<{ checks: { is_disposable: boolean } }>("GET", "/validate/fast", { at: `/validate/fast?email=${email}` })
  const setTo = (domain: string, said: string) =>
    call("POST", "/admin/lists/overrides", asAdmin(postJson({ domain, class: said, note: "a test" })))

  test("the operator's class for a domain applies from the next answer, and can be removed", async () => {
    await call("GET", "/validate", { at: "/validate?email=user1@d0905.test" })
    await untilStored("user1@d0905.test")
    expect((await fast("user1@d0905.test")).body.checks.is_disposable).toBe(false)
    expect((await setTo("D0905.test", "disposable")).body).toMatchObject({ domain: "d0905.test", class: "disposable" })
    await expect.poll(async () => (await fast("user1@d0905.test")).body.checks.is_disposable).toBe(true)
    const listed = await call<{ overrides: { domain: string }[] }>("GET", "/admin/lists/overrides", asAdmin())
    expect(listed.body.overrides.map(({ domain }) => domain)).toContain("d0905.test")

    expect((await setTo("user1@d0905.test", "free")).status).toBe(400)
    const at = "/admin/lists/overrides/d0905.test"
    const remove = () => call("DELETE", "/admin/lists/overrides/{domain}", asAdmin({ at }))
    expect((await remove()).status).toBe(200)
    await expect.poll(async () => (await fast("user1@d0905.test")).body.checks.is_disposable).toBe(false)
    expect((await remove()).status).toBe(404)
  })

  test("a refresh stores domains on which two lists agree, and refuses too large a change", async () => {
    const refresh = (more = "") =>
      call<{ refreshes: { class: string; outcome: string; added: number }[]; detail: string }>(
        "POST",
        "/admin/update-disposable",
        asAdmin({ at: `/admin/update-disposable${more}` }),
      )
    await publish({
      one: ["qz-throwaway-1.com", "qz-throwaway-2.com", "gmail.example.com"],
      two: ["qz-throwaway-1.com"],
    })
    const first = await refresh()
    expect(first.body.refreshes).toMatchObject([{ class: "disposable", outcome: "updated", added: 1 }])
    const quick = await call<{ is_disposable?: boolean }>("GET", "/validate/checks", {
      at: "/validate/checks?email=a@qz-throwaway-1.com&smtp=false&timeout_ms=1000",
    })
    expect(JSON.stringify(quick.body)).toContain('"is_disposable":true')
    expect((await refresh()).body.refreshes).toMatchObject([{ outcome: "unchanged" }])

    await publish({ one: ["gmail.com", "qz-throwaway-1.com"], two: ["gmail.com", "qz-throwaway-1.com"] })
    const refused = await refresh()
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining("gmail.com") } })
    await publish({ one: ["qz-throwaway-1.com"], two: null })
    expect((await refresh()).status).toBe(409)
    const stats = await call<{ refreshes: unknown[] }>("GET", "/admin/disposable-stats", asAdmin())
    expect(stats.body).toMatchObject({ fetched: { disposable: 1 } })
    // The test of all endpoints refreshes the lists, too.
    const recorded = [
      { outcome: "refused", reason: "1 of the sources could be read and 2 must agree" },
      { outcome: "refused", reason: expect.stringContaining("gmail.com") },
      { outcome: "unchanged", sources: [expect.objectContaining({ names: 3 }), expect.objectContaining({ names: 1 })] },
      { outcome: "updated", added: 1 },
    ]
    expect(stats.body.refreshes).toEqual(expect.arrayContaining(recorded.map((one) => expect.objectContaining(one))))
    expect(
      (await call("POST", "/admin/update-intelligence", asAdmin({ at: "/admin/update-intelligence?force=true" })))
        .status,
    ).toBe(409)
  })

  test("a refresh adds new top-level domains, and refuses a list that is not the root zone", async () => {
    const path = "/admin/update-intelligence"
    const refresh = () => call<{ refreshes: { class: string }[]; detail: string }>("POST", path, asAdmin())
    const exists = async (domain: string) =>
      (await call("GET", "/validate/syntax", { at: `/validate/syntax?email=a@${domain}` })).body.tld_exists
    const root = wordsOf(Buffer.from(readReferenceData().get("top-level-domains.txt")!).toString())
    expect([await exists("a.com"), await exists("a.qznew"), await exists("a.test")]).toEqual([true, false, null])
    await publish({ root: [...root.map((name) => name.toUpperCase()), "QZNEW"] })
    const added = { class: "top_level", outcome: "updated", added: 1, sources: [{ name: "root", problem: null }] }
    expect((await refresh()).body.refreshes.at(-1)).toMatchObject(added)
    await expect.poll(() => exists("a.qznew")).toBe(true)

    await publish({ root: ["qzone", "qztwo", "qznew"] })
    const detail = expect.stringContaining("is unchanged")
    expect(await refresh()).toMatchObject({ status: 409, body: { detail } })
    const stats = await call<{ refreshes: unknown[] }>("GET", "/admin/disposable-stats", asAdmin())
    expect(stats.body.refreshes[0]).toMatchObject({ class: "top_level", reason: expect.stringContaining("lacks 14") })
    expect(await exists("a.qznew")).toBe(true)
  })

  test("a company that lists call disposable is honest wherever its mail hosts are known", async () => {
    const email = "alice@qz-company.com"
    const names = ["qz-company.com", "qz-throwaway-1.com"]
    await publish({ one: names, two: names })
    const at = "/admin/update-disposable?force=true"
    expect((await call("POST", "/admin/update-disposable", asAdmin({ at }))).status).toBe(200)
    const mine = async () => (await call("POST", "/check/mine-emails", postJson({ text: email }))).body
    await expect.poll(mine).toMatchObject({ emails: [{ email, is_disposable: true }] })

    const key = await newKey()
    const listed = await call("POST", "/validate/bulk", withKey(key, postJson({ emails: [email] })))
    // 50, and 38 for the mail server. A disposable address loses 40.
    expect(listed.body).toMatchObject({ results: [{ status: "valid", confidence_score: 88 }] })
    await untilStored(email)
    expect((await fast(email)).body.checks).toMatchObject({ is_disposable: false, mx_records: [BUSINESS_HOST] })
    const form = await newPublishableKey(key)
    const from = { ...postJson({ email: "bob@qz-company.com" }).headers, origin: SHOP, "x-real-ip": "10.98.7.1" }
    const visit = () =>
      call("POST", "/form/verify", withKey(form, { ...postJson({ email: "bob@qz-company.com" }), headers: from }))
    await expect.poll(async () => (await visit()).body).toMatchObject({ action: "ok", reason: "unverified" })
    const intel = await call("GET", "/domain-intel/{domain}", { at: "/domain-intel/qz-company.com" })
    expect(intel.body).toMatchObject({ is_disposable: false, provider: "google" })
    expect((await setTo("qz-company.com", "disposable")).status).toBe(200)
    await expect.poll(async () => (await fast(email)).body.checks.is_disposable).toBe(true)
  })
})

/** Publishes new content of the external lists; null removes a list. */
async function publish(lists: Readonly<Record<string, readonly string[] | null>>): Promise<void> {
  for (const [name, domains] of Object.entries(lists))
    await fetch(`${inject("outsideUrl")}/lists/${name}`, { method: "PUT", body: JSON.stringify(domains) })
}
