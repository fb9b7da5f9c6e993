import { expect, test } from "vitest"
import { newKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { LOOKS } from "../../support/stack/variants.ts"

describeInBrowser("a key for a sign-up form", ({ withVisitor }) => {
  test.each(LOOKS)("is created with the line to paste, and listed with its budget, %s", async (name, look) => {
    const owner = await newKey()
    await withVisitor({ ...look, apiKey: owner.secret }, async ({ page, goTo }) => {
      const shoot = async (step: string) => {
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `form-key-${step}-${name.replace(", ", "-")}`)
      }
      await goTo("keys")
      // The table above moves the form when it arrives.
      await page.getByRole("row").filter({ hasText: "used by this tab" }).waitFor()
      await page.getByText("Create a key for a form").click()
      await page.getByLabel("Websites with the form").fill("shop.example")
      await page.getByLabel("Answers a day").fill("25")
      await page.getByRole("button", { name: "Create form key" }).click()
      await page.getByRole("alert").getByText("Websites with the form").waitFor()
      expect(await page.getByLabel("Websites with the form").getAttribute("aria-invalid")).toBe("true")
      expect(await page.locator(":focus").inputValue()).toBe("shop.example")
      await shoot("fault")
      await page.getByLabel("Websites with the form").fill("https://shop.example\nhttps://www.shop.example")
      await page.getByRole("checkbox", { name: /Probe the mail server/ }).check()
      await page.getByRole("button", { name: "Create form key" }).click()
      const dialog = page.getByRole("dialog")
      const secret = await dialog.locator(".secret code").first().textContent()
      expect(secret).toMatch(/^mv_pk_/)
      await dialog.getByText(`/form.js" data-key="${secret}" defer></script>`).waitFor()
      await shoot("snippet")
      await dialog.getByRole("button", { name: "I have saved it" }).click()
      const row = page.getByRole("row").filter({ hasText: "Form on https://shop.example" })
      await row.getByText("Forms only, on 2 websites, 0 of 25 answers today").waitFor()
      await row.getByRole("link").click()
      await page.locator(".facts").getByText("Probed for 3 seconds, at a credit each").waitFor()
      await page.getByText(`/form.js" data-key="mv_pk_…${secret!.slice(-4)}" defer></script>`).waitFor()
      await page
        .locator(".facts")
        .getByText(`mv_pk_…${secret!.slice(-4)}`)
        .waitFor()
      expect(await page.getByRole("button", { name: "Change restrictions" }).count()).toBe(0)
      await shoot("page")
      const { body } = await call<{ keys: object[] }>("GET", "/keys", withKey(owner))
      const made = { kind: "publishable", daily_budget: 25, live_timeout_ms: 3_000, tier: "enterprise" }
      expect(body.keys).toContainEqual(expect.objectContaining(made))
    })
  })
})
