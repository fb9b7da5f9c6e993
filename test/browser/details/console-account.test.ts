import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, test } from "vitest"
import { newKey, type TestKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { sessionOf } from "../../support/stack/sign-in.ts"
import { signInByMail } from "../../support/stack/sign-in-by-mail.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

describeInBrowser("the account", ({ withVisitor }) => {
  let key: TestKey
  beforeAll(async () => {
    key = await newKey("free")
  })

  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    test("signed in by a key, the page is accessible and fits", () =>
      withVisitor({ ...options, apiKey: key.secret }, async ({ page, goTo }) => {
        await goTo("account")
        await page.getByText(`API key test, ends in ${key.secret.slice(-4)}`).waitFor()
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `account-key-${variant}`)
      }))

    test("signed in by mail, the page and the dialog of the end are accessible and fit", () =>
      withVisitor(options, async (visitor) => {
        const { page, goTo } = visitor
        const email = await signInByMail(visitor)
        await goTo("account")
        await page.locator(".facts").getByText(email).waitFor()
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `account-session-${variant}`)
        await page.getByRole("button", { name: "Delete the account" }).click()
        await page.getByLabel("Type your mailbox").waitFor()
        await expectAccessible(page)
        await saveScreenshot(page, `account-delete-${variant}`)
      }))
  })

  test("a key can request a link to confirm its mailbox, and cannot export or delete", () =>
    withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("account")
      await page.getByRole("button", { name: "Email me a sign-in link" }).click()
      await page.getByText("Check your inbox").waitFor()
      expect(await page.getByRole("button", { name: /Export|Delete/ }).count()).toBe(0)
    }))

  test("a session ends all others, and then all with itself", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      const email = await signInByMail(visitor)
      const other = { headers: { authorization: `Bearer ${await sessionOf(email)}` } }
      await goTo("account")
      await page.getByRole("button", { name: "End all other sessions" }).click()
      await page.getByText("1 other session ended").waitFor()
      expect((await call("GET", "/auth/me", other)).status).toBe(401)
      await goTo("audit")
      await page.getByRole("cell", { name: "Sessions ended" }).waitFor()
      await goTo("account")
      await page.getByRole("button", { name: "End all sessions" }).click()
      await page.locator("main").getByRole("link", { name: "Sign in" }).waitFor()
      await page.reload()
      await page.locator("main").getByRole("link", { name: "Sign in" }).waitFor()
    }))

  test("a session exports the account, signs out with it deleted, and its mailbox starts anew", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      const email = await signInByMail(visitor)
      await goTo("account")
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Export the account" }).click()
      const file = await download
      expect(file.suggestedFilename()).toMatch(/^mailverdict-acc_\w+\.json$/)
      expect(JSON.parse(readFileSync(await file.path(), "utf8"))).toMatchObject({ email, data: expect.any(Object) })
      await page.getByRole("button", { name: "Delete the account" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Type your mailbox").fill("other@inbox.test")
      await dialog.getByRole("button", { name: "Delete the account" }).click()
      await dialog.getByText("This is not the mailbox of the account.").waitFor()
      await dialog.getByLabel("Type your mailbox").fill(email)
      await dialog.getByLabel("Type your mailbox").press("Enter")
      await page.locator(".side").getByRole("link", { name: "Sign in", exact: true }).waitFor()
      expect(await page.getByRole("dialog").count()).toBe(0)
    }))

  test.each([
    [403, "Your sign-in is older than 15 minutes", "Sign in again"],
    [409, "A subscription is running", "Cancel the subscription"],
  ])("a %d says what to do first", (status, words, link) =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      const email = await signInByMail(visitor)
      await goTo("account")
      await page.route("**/me?confirm=*", (route) => route.fulfill({ status, json: { detail: "not now" } }))
      await page.getByRole("button", { name: "Delete the account" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Type your mailbox").fill(email)
      await dialog.getByRole("button", { name: "Delete the account" }).click()
      await dialog.getByRole("alert").getByText(words).waitFor()
      await dialog.getByRole("link", { name: link }).click()
      await dialog.waitFor({ state: "detached" })
    }),
  )

  test("signing out on the page signs out", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      await signInByMail(visitor)
      await goTo("account")
      await page.locator("main").getByRole("button", { name: "Sign out" }).click()
      await page.getByText("Sign in to see this").waitFor()
    }))
})
