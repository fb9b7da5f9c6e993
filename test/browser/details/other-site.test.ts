import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import type { Received } from "../../support/providers/hook-receiver.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { type Attacker, startAttacker } from "../../support/stack/attacker.ts"
import { describeInBrowser, type Visitor } from "../../support/stack/browser.ts"
import { mailedToken } from "../../support/stack/mailed-link.ts"

const home = () => inject("stackUrl")
const email = `visitor-${crypto.randomUUID().slice(0, 8)}@inbox.test`

describeInBrowser("a signed-in browser on pages of other sites", ({ visit }) => {
  let attacker: Attacker
  let visitor: Visitor
  /** The same session as a bearer token. */
  let headers: { readonly authorization: string }
  beforeAll(async () => {
    attacker = await startAttacker()
    visitor = await visit()
    const { page, goTo } = visitor
    await goTo("sign-in")
    await page.getByLabel("Your email address").fill(email)
    await page.getByRole("button", { name: "Email me a link" }).click()
    await page.getByText("Check your inbox").waitFor()
    await goTo(`sign-in/${await mailedToken(email)}`)
    await page.getByText("No lists yet").waitFor()
    const [cookie] = await page.context().cookies(home())
    headers = { authorization: `Bearer ${cookie!.value}` }
  })
  afterAll(async () => {
    await attacker.stop()
    expect(visitor.troubles).toEqual([])
  })

  /** Opens a page of the attacker, which links to a path of the service, in a new tab. */
  async function attack(site: string, path: string, { moves = false } = {}): Promise<Page> {
    const tab = await visitor.page.context().newPage()
    const query = new URLSearchParams({ to: `${home()}${path}`, ...(moves ? { moves: "1" } : {}) })
    await tab.goto(`${site}/page?${query}`)
    return tab
  }

  describe.each([
    ["another site", () => attacker.crossSite],
    ["another origin on the same site", () => attacker.sameSite],
  ])("%s", (_, siteOf) => {
    test("cannot spend a credit or write history by navigating the tab", async () => {
      const tab = await attack(siteOf(), "/validate?email=alice%2Bmoved@mailbox.test", { moves: true })
      await tab.waitForURL(`${home()}/validate?*`)
      expect(await tab.textContent("body")).toContain("alice+moved@mailbox.test")
      expect((await call("GET", "/me/recent-verifications", { headers })).body).toMatchObject({ verifications: [] })
      expect((await call("GET", "/usage", { headers })).body).toMatchObject({ credits_used: 0 })
    })

    test("gets no account data by a click on a link with a webhook", async () => {
      const entry = postJson({ email: "alice+clicked@mailbox.test", reason: "manual" })
      await call("POST", "/suppression/add", { ...entry, headers: { ...entry.headers, ...headers } })
      const hook = `${inject("providerUrls").hooks}/clicked-${crypto.randomUUID()}`
      const query = new URLSearchParams({ email: "alice+clicked@mailbox.test", webhook_url: hook })
      const tab = await attack(siteOf(), `/verify/quick?${query}`)
      await tab.getByRole("link").click()
      await tab.waitForURL(`${home()}/verify/quick?*`)
      const received = async () => (await (await fetch(hook)).json()) as Received[]
      await expect.poll(received).toHaveLength(1)
      const event = JSON.parse((await received())[0]!.body) as { data: object }
      expect(event.data).toMatchObject({ email: "alice+clicked@mailbox.test", can_send: true })
    })

    test("cannot read or change the account", async () => {
      const reading = await attack(siteOf(), "/auth/me", { moves: true })
      await reading.waitForURL(`${home()}/auth/me`)
      expect(await reading.textContent("body")).not.toContain(email)
      const signingOut = await attack(siteOf(), "/auth/logout")
      await signingOut.getByRole("button").click()
      await signingOut.waitForURL(`${home()}/auth/logout`)
      expect(await signingOut.textContent("body")).not.toContain("signed_out")
      expect((await call("GET", "/auth/me", { headers })).body).toMatchObject({ email })
    })

    test("can link to the console, where the visitor is still signed in", async () => {
      const tab = await attack(siteOf(), "/console/#/usage")
      await tab.getByRole("link").click()
      await tab.getByText("Results by status").waitFor()
      await tab.getByText(email).waitFor()
    })

    test("cannot have the console verify an address", async () => {
      const tab = await attack(siteOf(), "/console/#/?email=alice%2Blinked@mailbox.test", { moves: true })
      await tab.getByText(email).waitFor()
      await tab.getByText("Not verified yet").waitFor()
      await tab.reload()
      await tab.getByText("Not verified yet").waitFor()
      expect((await call("GET", "/me/recent-verifications", { headers })).body).toMatchObject({ verifications: [] })
      expect(await tab.getByLabel("Email address").inputValue()).toBe("alice+linked@mailbox.test")
    })

    test("cannot navigate a console window that it opened", async () => {
      const tab = await attack(siteOf(), "/console/")
      const opened = tab.context().waitForEvent("page")
      await tab.evaluate("console_ = open(document.links[0].href)")
      await (await opened).getByText(email).waitFor()
      await tab.evaluate("try { console_.location = document.links[0].href + '#/usage' } catch {}")
      expect(await tab.evaluate("console_.closed")).toBe(true)
      expect((await opened).url()).toBe(`${home()}/console/`)
    })

    test("cannot sign the visitor in to an account of its own: the console names it and waits for a click", async () => {
      const own = `attacker-${crypto.randomUUID().slice(0, 8)}@inbox.test`
      const { headers: json, ...request } = postJson({ email: own })
      const from = { ...json, "x-real-ip": `10.80.0.${Math.floor(Math.random() * 256)}` }
      expect((await call("POST", "/auth/request", { ...request, headers: from })).status).toBe(200)
      const tab = await attack(siteOf(), `/console/#/sign-in/${await mailedToken(own)}`, { moves: true })
      await tab.getByText(`This link signs you in as ${own}. You did not request it in this browser.`).waitFor()
      await tab.getByRole("button", { name: `Sign in as ${own}` }).waitFor()
      await tab.goto(`${home()}/auth/me`)
      expect(await tab.textContent("body")).toContain(email)
    })
  })

  test("another site cannot sign in a visitor who has no session either, in a fresh browser", async () => {
    const own = `attacker-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    const { headers: json, ...request } = postJson({ email: own })
    const from = { ...json, "x-real-ip": "10.80.1.1" }
    expect((await call("POST", "/auth/request", { ...request, headers: from })).status).toBe(200)
    const fresh = await visit()
    const query = new URLSearchParams({ to: `${home()}/console/#/sign-in/${await mailedToken(own)}`, moves: "1" })
    await fresh.page.goto(`${attacker.crossSite}/page?${query}`)
    await fresh.page.getByText("You did not request it in this browser").waitFor()
    expect((await fresh.page.context().cookies(home())).map(({ name }) => name)).not.toContain("__Host-sid")
    await fresh.page.getByRole("button", { name: `Sign in as ${own}` }).click()
    await fresh.page.getByText("No lists yet").waitFor()
    await fresh.leave()
  })

  test("the session applies to a URL that the visitor enters and to links of the console", async () => {
    const { page, goTo } = visitor
    await page.goto(`${home()}/auth/me`)
    expect(await page.textContent("body")).toContain(email)
    await goTo("usage")
    await page.evaluate("location.assign('/auth/me')")
    await page.waitForURL(`${home()}/auth/me`)
    expect(await page.textContent("body")).toContain(email)
  })
})
