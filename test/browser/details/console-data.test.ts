import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { newKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

describeInBrowser("data protection", ({ withVisitor }) => {
  /** A key of an account that has verified the address. */
  async function keyWith(email: string) {
    const key = await newKey()
    const { status } = await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
    expect(status).toBe(200)
    return key
  }

  test.each(Object.entries(VARIANTS))(
    "in %s the page, its question and its result are accessible and fit",
    (variant, options) =>
      keyWith("alice@mailbox.test").then(({ secret }) =>
        withVisitor({ ...options, apiKey: secret }, async ({ page, goTo }) => {
          await goTo("data")
          await page.getByText(/Results are deleted after \d+ days/).waitFor()
          await expectAccessible(page)
          await expectToFit(page)
          await saveScreenshot(page, `data-${variant}`)
          await page.getByLabel("Address to erase").fill("alice@mailbox.test")
          await page.getByRole("button", { name: "Erase" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByText("This cannot be undone").waitFor()
          await expectAccessible(page)
          await saveScreenshot(page, `data-question-${variant}`)
          await dialog.getByRole("button", { name: "Erase" }).click()
          await page.getByText("Your account stores nothing about alice@mailbox.test any more").waitFor()
          await expectAccessible(page)
          await expectToFit(page)
          await saveScreenshot(page, `data-erased-${variant}`)
        }),
      ),
  )

  test("an export about an address is a file with its rows", async () => {
    const key = await keyWith("alice@mailbox.test")
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("data")
      await page.getByLabel("Address to export").fill("alice@mailbox.test")
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Export" }).click()
      const file = await download
      expect(file.suggestedFilename()).toBe("alice@mailbox.test.json")
      const exported = JSON.parse(readFileSync(await file.path(), "utf8"))
      expect(exported).toMatchObject({ email: "alice@mailbox.test", scope: "account" })
      expect(exported.data.verifications).toHaveLength(1)
    })
  })

  test("a domain is erased with all its addresses; Cancel erases nothing", async () => {
    const key = await keyWith("alice@mailbox.test")
    const stored = async () =>
      (await call<{ total: number }>("GET", "/me/recent-verifications", withKey(key))).body.total
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("data")
      await page.getByLabel("What").selectOption("domain")
      await page.getByLabel("Domain to erase").fill("mailbox.test")
      await page.getByRole("button", { name: "Erase" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
      expect(await stored()).toBe(1)
      await page.getByRole("button", { name: "Erase" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click()
      await page.getByText("Your account stores nothing about mailbox.test any more").waitFor()
      expect(await stored()).toBe(0)
      await page.getByRole("button", { name: "Erase" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click()
      await page.getByText("Nothing was stored").waitFor()
    })
  })

  test("a malformed address is named", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("data")
      await page.getByLabel("Address to erase").fill("no address")
      await page.getByRole("button", { name: "Erase" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click()
      await page
        .getByRole("alert")
        .getByText(/address/i)
        .first()
        .waitFor()
    })
  })
})
