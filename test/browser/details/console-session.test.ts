import type { BrowserContext } from "playwright-core"
import { expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, type Visitor } from "../../support/stack/browser.ts"
import { mailedToken } from "../../support/stack/mailed-link.ts"

const unavailable = { status: 503, json: { detail: "the store does not answer" } }

describeInBrowser("the session", ({ withVisitor: asVisitor }) => {
  const withVisitor = (scenario: (visitor: Visitor & { context: BrowserContext }) => Promise<void>) =>
    asVisitor({}, (visitor) => scenario({ ...visitor, context: visitor.page.context() }))

  async function useKey({ page, goTo }: Visitor, { secret }: TestKey) {
    await goTo("sign-in")
    await page.getByLabel("API key").fill(secret)
    await page.getByRole("button", { name: "Use the key" }).click()
    await page.getByText("No lists yet").waitFor()
  }

  const stored = ({ page }: Visitor) => page.evaluate("Object.values(sessionStorage)")
  const signInLink = ({ page }: Visitor) => page.locator(".side").getByRole("link", { name: "Sign in", exact: true })

  async function requestLink({ page, goTo }: Visitor): Promise<string> {
    const email = `session-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    await goTo("sign-in")
    await page.getByLabel("Your email address").fill(email)
    await page.getByRole("button", { name: "Email me a link" }).click()
    await page.getByText("Check your inbox").waitFor()
    return email
  }

  test("revoking the key in use signs out and removes the stored key", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      await useKey(visitor, await newKey())
      await goTo("keys")
      await page.getByRole("button", { name: "Revoke" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText("This tab uses it too").waitFor()
      await dialog.getByRole("button", { name: "Revoke" }).click()
      await page.getByText("to see the keys of your account").waitFor()
      await signInLink(visitor).waitFor()
      expect(await stored(visitor)).toEqual([])
    }))

  test("a key that is revoked elsewhere is removed after its first 401", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      const key = await newKey()
      await useKey(visitor, key)
      await call("DELETE", "/keys/{key_id}", withKey(key, { at: `/keys/${key.keyId}` }))
      await goTo("usage")
      await signInLink(visitor).waitFor()
      await page.getByText("Sign in to see this").waitFor()
      expect(await stored(visitor)).toEqual([])
    }))

  test("a wrong key does not replace the key in use; invisible pasted characters are removed", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      const [first, second] = [await newKey(), await newKey()]
      await useKey(visitor, first)
      await goTo("sign-in")
      await page.getByLabel("API key").fill("mv_live_wrong")
      await page.getByRole("button", { name: "Use the key" }).click()
      await page.getByRole("alert").getByText("invalid or revoked").waitFor()
      expect(await stored(visitor)).toEqual([first.secret])
      expect(await signInLink(visitor).count()).toBe(0)
      await useKey(visitor, { ...second, secret: `\u200b${second.secret}\u00a0` })
      expect(await stored(visitor)).toEqual([second.secret])
    }))

  test("an unavailable service does not sign out", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      const { secret } = await newKey()
      await useKey(visitor, { keyId: "", secret })
      await page.route("**/auth/me", (route) => route.fulfill(unavailable))
      await page.reload()
      await page.getByRole("alert").getByText("Service unavailable").waitFor()
      expect(await page.getByText("Sign in to see this").count()).toBe(0)
      await page.unroute("**/auth/me")
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByText("No lists yet").waitFor()
      expect(await stored(visitor)).toEqual([secret])
      await goTo("usage")
      await page.getByText("Results by status").waitFor()
    }))

  test("sign-in returns to the page that required it", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      const { secret } = await newKey()
      await goTo("usage")
      await page.locator("main").getByRole("link", { name: "Sign in" }).click()
      await page.getByLabel("API key").fill(secret)
      await page.getByRole("button", { name: "Use the key" }).click()
      await page.getByText("Results by status").waitFor()
    }))

  test("all tabs follow a sign-in and a sign-out; a link can be retried after a failed request", () =>
    withVisitor(async (visitor) => {
      const { page, context } = visitor
      const email = await requestLink(visitor)
      const other = await context.newPage()
      await other.route("**/auth/verify", (route) => route.fulfill(unavailable))
      await other.goto(`${inject("stackUrl")}/console/#/sign-in/${await mailedToken(email)}`)
      await other.getByRole("alert").getByText("Service unavailable").waitFor()
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

  test("the console works in a browser without storage", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      await page.addInitScript(`
        for (const name of ["localStorage", "sessionStorage"])
          Object.defineProperty(window, name, {
            configurable: true,
            get: () => { throw new DOMException("insecure", "SecurityError") },
          })
      `)
      await useKey(visitor, await newKey())
      await page.getByRole("button", { name: "Dark" }).click()
      await goTo("keys")
      await page.getByText("Keys of your account").waitFor()
      await page.getByRole("button", { name: "Sign out" }).click()
      await signInLink(visitor).waitFor()
      await page.emulateMedia({ colorScheme: "dark" })
      // The whole document takes seconds to render and is not under test.
      const info = { title: "Mailverdict", version: "1" }
      await page.route("**/openapi.json", (route) => route.fulfill({ json: { openapi: "3.1.0", info, paths: {} } }))
      await page.getByRole("link", { name: "API reference" }).click()
      await page.locator("body.dark-mode").waitFor()
      await page.getByRole("heading", { name: "Mailverdict" }).waitFor()
    }))

  test("the code from the email signs in in the same tab, and the key in use joins the account by a decision", () =>
    withVisitor(async (visitor) => {
      const { page } = visitor
      const key = await newKey()
      await useKey(visitor, key)
      const email = await requestLink(visitor)
      await page.getByLabel("Code from the email").fill(` ${await mailedToken(email)} `)
      await page.locator("main").getByRole("button", { name: "Sign in", exact: true }).click()
      await page.getByText("Requested your sign-in link").waitFor()
      expect(await stored(visitor)).toEqual([])
      expect((await call("GET", "/auth/me", withKey(key))).body).not.toMatchObject({ email })
      await expectAccessible(page)
      await page.getByRole("button", { name: "Join" }).focus()
      await page.keyboard.press("Enter")
      const dialog = page.getByRole("dialog")
      await dialog.getByText("Join it only if you made it").waitFor()
      await dialog.getByRole("button", { name: "Join" }).press("Enter")
      await page
        .getByRole("row")
        .filter({ hasText: key.secret.slice(-4) })
        .getByText("Active")
        .waitFor()
      await page.getByText("Unconfirmed keys").waitFor({ state: "detached" })
      expect((await call("GET", "/auth/me", withKey(key))).body).toMatchObject({ email })
    }))

  test("a link signs in at once where it was requested, in place of the key in use, and joins no key", () =>
    withVisitor(async (visitor) => {
      const { page } = visitor
      const key = await newKey()
      const email = await requestLink(visitor)
      await useKey(visitor, key)
      await page.goto("about:blank")
      await page.goto(`${inject("stackUrl")}/console/#/sign-in/${await mailedToken(email)}`)
      await page.getByText("No lists yet").waitFor()
      await page.getByText(email).waitFor()
      expect(await stored(visitor)).toEqual([])
      expect((await call("GET", "/auth/me", withKey(key))).body).not.toMatchObject({ email })
    }))

  test("a link that a stranger requested with a key asks first, and does not offer the key", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      const stranger = await newKey()
      const email = await requestLink(visitor)
      const request = withKey(stranger, postJson({ email }))
      const headers = { ...request.headers, "x-real-ip": `10.81.0.${Math.floor(Math.random() * 256)}` }
      expect((await call("POST", "/auth/request", { ...request, headers })).status).toBe(200)
      await goTo(`sign-in/${await mailedToken(email)}`)
      await page.getByText("You did not request it in this browser").waitFor()
      await expectAccessible(page)
      await page.getByRole("button", { name: `Sign in as ${email}` }).click()
      await page.getByText("No lists yet").waitFor()
      await goTo("keys")
      await page.getByText("Keys of your account").waitFor()
      expect(await page.getByText(`ends in ${stranger.secret.slice(-4)}`).count()).toBe(0)
    }))

  test("a key made in the mailbox's name is shown and can be revoked", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      const email = await requestLink(visitor)
      const made = postJson({ name: "stranger's", owner_email: email })
      const from = { "x-real-ip": `10.81.1.${Math.floor(Math.random() * 256)}` }
      const stranger = await call<{ api_key: string }>("POST", "/keys", {
        ...made,
        headers: { ...made.headers, ...from },
      })
      const { api_key: secret } = stranger.body
      await goTo(`sign-in/${await mailedToken(email)}`)
      const row = page.getByRole("row").filter({ hasText: `ends in ${secret.slice(-4)}` })
      await row.getByRole("button", { name: "Revoke" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
      await row.waitFor({ state: "detached" })
      expect((await call("GET", "/auth/me", withKey({ keyId: "", secret }))).status).toBe(401)
    }))
})
