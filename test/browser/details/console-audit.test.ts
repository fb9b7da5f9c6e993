import { expect, inject, test } from "vitest"
import { newKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { LOOKS } from "../../support/stack/variants.ts"

describeInBrowser("audit trails", ({ withVisitor }) => {
  test.each(LOOKS)("an account reads what was done with it, and filters: %s", async (name, look) => {
    const key = await newKey()
    await call("POST", "/keys", withKey(key, postJson({ name: "second", owner_email: "o@mailbox.test" })))
    await call("POST", "/gdpr/erase", withKey(key, postJson({ email: "person@mailbox.test" })))
    await withVisitor({ apiKey: key.secret, ...look }, async ({ page, goTo }) => {
      await goTo("audit")
      const rows = page.getByRole("region", { name: "Events" }).getByRole("row")
      await rows.filter({ hasText: "Data of an address erased" }).getByText("a person, stored as a hash").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `audit-trail ${name}`)
      await page.getByLabel("Show").selectOption("API key created")
      await rows.filter({ hasText: "Data of an address erased" }).waitFor({ state: "detached" })
      await rows
        .filter({ hasText: "The operator of this service" })
        .getByRole("link", { name: "test", exact: true })
        .click()
      await page.getByRole("link", { name: "All API keys" }).waitFor()
    })
  })

  test.each(LOOKS)("the operator reads the whole trail, and that it is intact: %s", async (name, look) => {
    const { keyId } = await newKey()
    await withVisitor(look, async ({ page, goTo }) => {
      await goTo("trail")
      await page.getByLabel("Admin secret").fill(inject("adminSecret"))
      await page.getByRole("button", { name: "Use it" }).click()
      await page.getByText(/The chain is intact in the last/).waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `service-audit-trail ${name}`)
      await page.getByLabel("Concerns").fill(keyId)
      await page.getByRole("button", { name: "Search" }).click()
      const rows = page.getByRole("region", { name: "Entries" }).locator("tbody tr")
      await expect.poll(() => rows.count()).toBe(1)
      await rows.getByText("POST /keys").waitFor()
    })
  })
})
