import { expect, test } from "vitest"
import { newKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { LOOKS } from "../../support/stack/variants.ts"

describeInBrowser("usage", ({ withVisitor }) => {
  test.each(LOOKS)("by day, by result, by source and by key: %s", async (name, look) => {
    const key = await newKey()
    for (const email of ["alice", "nobody", "alice", "support"])
      await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}@mailbox.test` }))
    const ofToday = async () =>
      (await call<{ today: { verifications: number } }>("GET", "/me/usage", withKey(key))).body.today.verifications
    await expect.poll(ofToday).toBe(4)
    await withVisitor({ apiKey: key.secret, ...look }, async ({ page, goTo }) => {
      await goTo("usage")
      const legend = page.locator(".panel").filter({ hasText: "By day" }).locator(".legend")
      await legend.getByText("Valid 3").waitFor()
      await legend.getByText("Invalid 1").waitFor()
      await page.locator(".u-over").first().waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `usage ${name}`)
      await page.getByLabel("Split by").selectOption("New or cached")
      await legend.getByText(/Cached results [1-4]/).waitFor()
      await page.getByLabel("Show").selectOption("7 days")
      await page.getByText("As a table").first().click()
      const table = page.getByRole("region", { name: "Verifications on each of the last 7 days" })
      await expect.poll(() => table.locator("tbody tr").count()).toBe(7)
      await page.reload()
      await legend.getByText(/Cached results [1-4]/).waitFor()
      expect(await page.getByLabel("Show").inputValue()).toBe("7")

      const row = page.getByRole("region", { name: "By API key" }).getByRole("row").nth(1)
      expect(await row.getByRole("cell").nth(1).textContent()).toBe("4")
      const other = (name: string) => page.getByRole("row").filter({ hasText: name }).last().getByRole("cell")
      expect(await other("Console (signed in)").allTextContents()).toEqual(["Console (signed in)", "0", "0", ""])
      expect((await other("All").allTextContents())[0]).toBe("4")
      await row.getByRole("link").click()
      await page.getByRole("link", { name: "All API keys" }).waitFor()
    })
  })

  test("a rotated key is marked, so that two rows of one name are told apart", async () => {
    const key = await newKey()
    const at = `/keys/${key.keyId}/rotate`
    const { body } = await call<{ api_key: string }>("POST", "/keys/{key_id}/rotate", withKey(key, { at }))
    await withVisitor({ apiKey: body.api_key }, async ({ page, goTo }) => {
      await goTo("usage")
      const rows = page.getByRole("region", { name: "By API key" }).getByRole("row")
      await rows.filter({ hasText: `ends in ${key.secret.slice(-4)}, replaced` }).waitFor()
      await rows.filter({ hasText: new RegExp(`ends in ${body.api_key.slice(-4)}(?!,)`) }).waitFor()
    })
  })

  test("numbers and dates follow the reader's locale", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret, locale: "de-DE" }, async ({ page, goTo }) => {
      await page.route("**/me/stats", async (route) => {
        const answer = await route.fetch()
        await route.fulfill({
          json: { ...(await answer.json()), total: 8_000, cached: 1_234, by_status: { valid: 8_000 } },
        })
      })
      await goTo("usage")
      await page
        .getByText(/8\.000/)
        .first()
        .waitFor()
      await page.getByText(/15,4\s%/).waitFor()
    })
  })
})
