import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/account.ts"
import { call } from "../support/api.ts"
import { CHROMIUM, startBrowser, type Visitor, visit } from "../support/browser.ts"
import { mailedToken } from "../support/mailed-link.ts"

const unavailable = { status: 503, json: { detail: "the store does not answer" } }

describe.each(CHROMIUM ? [CHROMIUM] : [])("who is signed in, with %s", (path) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(path)
  })
  afterAll(() => browser.close())

  async function visiting(walk: (visitor: Visitor & { context: BrowserContext }) => Promise<void>) {
    const visitor = await visit(browser)
    await walk({ ...visitor, context: visitor.page.context() }).finally(() => visitor.leave())
    expect(visitor.troubles).toEqual([])
  }

  async function useKey({ page, goTo }: Visitor, { secret }: TestKey) {
    await goTo("sign-in")
    await page.getByLabel("API key").fill(secret)
    await page.getByRole("button", { name: "Use the key" }).click()
    await page.getByText("No lists yet").waitFor()
  }

  const kept = ({ page }: Visitor) => page.evaluate("Object.values(sessionStorage)")
  const signInLink = ({ page }: Visitor) => page.locator(".side").getByRole("link", { name: "Sign in", exact: true })

  async function askForLink({ page, goTo }: Visitor): Promise<string> {
    const email = `session-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    await goTo("sign-in")
    await page.getByLabel("Your address").fill(email)
    await page.getByRole("button", { name: "Mail me a link" }).click()
    await page.getByText("Look into your inbox").waitFor()
    return email
  }

  test("who revokes the key in use is signed out, and the dead key is kept nowhere", () =>
    visiting(async (visitor) => {
      const { page, goTo } = visitor
      await useKey(visitor, await newKey())
      await goTo("keys")
      await page.getByRole("button", { name: "Revoke" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText("This tab uses it too").waitFor()
      await dialog.getByRole("button", { name: "Revoke" }).click()
      await page.getByText("to see the keys of your account").waitFor()
      await signInLink(visitor).waitFor()
      expect(await kept(visitor)).toEqual([])
    }))

  test("a key that is revoked elsewhere is forgotten when it is refused", () =>
    visiting(async (visitor) => {
      const { page, goTo } = visitor
      const key = await newKey()
      await useKey(visitor, key)
      await call("DELETE", "/keys/{key_id}", withKey(key, { at: `/keys/${key.keyId}` }))
      await goTo("usage")
      await signInLink(visitor).waitFor()
      await page.getByText("Sign in to see this").waitFor()
      expect(await kept(visitor)).toEqual([])
    }))

  test("a wrong key leaves the one in use; what a paste brings along unseen is no part of a key", () =>
    visiting(async (visitor) => {
      const { page, goTo } = visitor
      const [first, second] = [await newKey(), await newKey()]
      await useKey(visitor, first)
      await goTo("sign-in")
      await page.getByLabel("API key").fill("mv_live_wrong")
      await page.getByRole("button", { name: "Use the key" }).click()
      await page.getByRole("alert").getByText("invalid or revoked").waitFor()
      expect(await kept(visitor)).toEqual([first.secret])
      expect(await signInLink(visitor).count()).toBe(0)
      await useKey(visitor, { ...second, secret: `\u200b${second.secret}\u00a0` })
      expect(await kept(visitor)).toEqual([second.secret])
    }))

  test("a service that does not answer signs nobody out", () =>
    visiting(async (visitor) => {
      const { page, goTo } = visitor
      const { secret } = await newKey()
      await useKey(visitor, { keyId: "", secret })
      await page.route("**/auth/me", (route) => route.fulfill(unavailable))
      await page.reload()
      await page.getByRole("alert").getByText("Not available now").waitFor()
      expect(await page.getByText("Sign in to see this").count()).toBe(0)
      await page.unroute("**/auth/me")
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByText("No lists yet").waitFor()
      expect(await kept(visitor)).toEqual([secret])
      await goTo("usage")
      await page.getByText("What came of them").waitFor()
    }))

  test("one comes back to the page that asked to sign in", () =>
    visiting(async (visitor) => {
      const { page, goTo } = visitor
      const { secret } = await newKey()
      await goTo("usage")
      await page.locator("main").getByRole("link", { name: "Sign in" }).click()
      await page.getByLabel("API key").fill(secret)
      await page.getByRole("button", { name: "Use the key" }).click()
      await page.getByText("What came of them").waitFor()
    }))

  test("all tabs know who signs in and out; a link that could not be tried may be tried again", () =>
    visiting(async (visitor) => {
      const { page, context } = visitor
      const email = await askForLink(visitor)
      const other = await context.newPage()
      await other.route("**/auth/verify", (route) => route.fulfill(unavailable))
      await other.goto(`${inject("stackUrl")}/console/#/sign-in/${await mailedToken(email)}`)
      await other.getByRole("alert").getByText("Not available now").waitFor()
      await other.unroute("**/auth/verify")
      await other.getByRole("button", { name: "Try again" }).click()
      await other.getByText("No lists yet").waitFor()
      await page.getByText(`You are signed in as ${email}`).waitFor()

      await page.route("**/auth/logout", (route) => route.abort())
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("alert").getByText("No connection").waitFor()
      await page.unroute("**/auth/logout")
      await page.getByRole("button", { name: "Sign out" }).click()
      await signInLink(visitor).waitFor()
      await other.getByText("Sign in to see this").waitFor()
      expect(await other.getByText(email).count()).toBe(0)
    }))

  test("a browser that keeps nothing is served all the same", () =>
    visiting(async (visitor) => {
      const { page, goTo } = visitor
      await page.addInitScript(`
        for (const name of ["localStorage", "sessionStorage"])
          Object.defineProperty(window, name, { get: () => { throw new DOMException("insecure", "SecurityError") } })
      `)
      await useKey(visitor, await newKey())
      await page.getByRole("button", { name: "Dark" }).click()
      await goTo("keys")
      await page.getByText("Keys of your account").waitFor()
      await page.getByRole("button", { name: "Forget the key" }).click()
      await signInLink(visitor).waitFor()
      await page.emulateMedia({ colorScheme: "dark" })
      // Its list of operations takes a browser seconds, and is not what is looked at.
      await page.route("**/swagger-ui-bundle.js", (route) =>
        route.fulfill({ contentType: "text/javascript", body: "window.SwaggerUIBundle = () => {}" }),
      )
      await page.getByRole("link", { name: "API reference" }).click()
      await page.locator("html.dark-mode").waitFor()
    }))

  test("with the code from the mail one signs in where one asked, and the key in use joins", () =>
    visiting(async (visitor) => {
      const { page, goTo } = visitor
      const key = await newKey()
      await useKey(visitor, key)
      const email = await askForLink(visitor)
      await page.getByLabel("Code from the mail").fill(` ${await mailedToken(email)} `)
      await page.locator("main").getByRole("button", { name: "Sign in" }).click()
      await page.getByText(email).waitFor()
      expect(await kept(visitor)).toEqual([])
      await goTo("keys")
      await page.getByRole("row").filter({ hasText: key.keyId }).getByText("Active").waitFor()
    }))
})
