import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { type CompanySites, startCompanySites } from "../../support/providers/company-site.ts"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

const linkTo = (name: string, domain: string) => `find?${new URLSearchParams({ name, domain })}`

/** [state, link, text that shows it is loaded] */
const STATES = [
  ["empty", "find", "No search yet"],
  ["verified", linkTo("Alice Smith", "namesakes.test"), "Almost certainly Alice Smith's address"],
  ["catch-all", linkTo("Alice Smith", "catch-all.test"), "The domain accepts every address"],
  ["not-found", linkTo("Nobody Atall", "namesakes.test"), "No address found"],
  ["no-mail", linkTo("Alice Smith", "null-mx.test"), "No address found"],
  ["provider", linkTo("Alice Smith", "gmail.com"), "gmail.com is a public mailbox provider"],
  ["one-name", linkTo("Alice", "namesakes.test"), "One more name is needed"],
] as const

describeInBrowser("finding an address", ({ withVisitor }) => {
  let key: TestKey
  beforeAll(async () => {
    key = await newKey()
  })

  const isLoaded = async (page: Page, text: string) => {
    await page.locator("main").getByText(text).first().waitFor()
    await page.locator(".skeleton").first().waitFor({ state: "detached" })
  }

  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    test.each(STATES)("%s is accessible and fits", (name, link, text) =>
      withVisitor({ ...options, apiKey: key.secret }, async ({ page, goTo }) => {
        await goTo(link)
        await isLoaded(page, text)
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `find-${name}-${variant}`)
      }),
    )
  })

  const creditsOf = async (one: TestKey) => {
    const { body } = await call<{ keys: { credits_this_month: number }[] }>("GET", "/keys", withKey(one))
    return body.keys[0]!.credits_this_month
  }

  test("the form finds an address; a reload and Back show it again without a charge", async () => {
    const own = await newKey()
    await withVisitor({ apiKey: own.secret }, async ({ page, goTo }) => {
      await goTo("find")
      await page.getByLabel("Name").fill("Alice Zuckerbaum")
      await page.getByLabel("Domain").fill("https://www.namesakes.test/about")
      await page.getByRole("button", { name: "Find" }).press("Enter")
      const found = page.locator(".verdict", { hasText: "alice.zuckerbaum@namesakes.test" })
      await found.getByText("5 credits used").waitFor()
      await found.getByText("Almost certainly Alice Zuckerbaum's address").waitFor()
      await found.getByText("Can send: verify it to know, for 1 credit.").waitFor()
      await found.getByText("First name Alice, last name Zuckerbaum.").waitFor()
      await page.reload()
      await found.waitFor()
      await found.getByRole("link", { name: "Verify" }).click()
      await page.getByText("Safe to send to").waitFor()
      await page.goBack()
      await found.getByText("Can send: yes").waitFor()
      expect(await creditsOf(own)).toBe(6)
    })
  })

  test("a link from outside fills the form and spends nothing until Find is pressed", async () => {
    const own = await newKey()
    await withVisitor({ apiKey: own.secret }, async ({ page }) => {
      await page.goto(`${inject("stackUrl")}/console/#/${linkTo("Alice Smith", "namesakes.test")}`)
      await page.getByText("Not searched yet").waitFor()
      expect(await page.getByLabel("Name").inputValue()).toBe("Alice Smith")
      expect(await creditsOf(own)).toBe(0)
      await page.getByRole("button", { name: "Find" }).click()
      const found = page.locator(".verdict", { hasText: "alice.smith@namesakes.test" })
      await found.waitFor()
      await page.reload()
      await found.waitFor()
      expect(await creditsOf(own)).toBe(5)
      await page.getByRole("button", { name: "Find" }).click()
      await expect.poll(() => creditsOf(own)).toBe(10)
    })
  })

  test("a search without an answer can be tried again and is charged once", async () => {
    const own = await newKey()
    await withVisitor({ apiKey: own.secret }, async ({ page, goTo }) => {
      await page.route("**/find-email", async (route) => {
        await route.fetch()
        await route.abort()
      })
      await goTo(linkTo("Alice Smith", "namesakes.test"))
      await page.getByRole("alert").getByText("The service did not respond.").waitFor()
      await page.unroute("**/find-email")
      await page.getByRole("button", { name: "Try again" }).click()
      await page.locator(".verdict", { hasText: "alice.smith@namesakes.test" }).waitFor()
      expect(await creditsOf(own)).toBe(5)
    })
  })

  test.each([
    [linkTo("Alice 123", "namesakes.test"), "Name: must have at least one letter"],
    [linkTo("Alice Smith", "localhost"), "Domain: The domain has no dot"],
  ])("%s: %s", (link, words) =>
    withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo(link)
      await page.getByRole("alert").getByText(words).first().waitFor()
      await expect.poll(() => page.getByRole("alert").count()).toBe(1)
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0)
    }),
  )

  describe("without a name", () => {
    let sites: CompanySites
    beforeAll(async () => {
      sites = await startCompanySites(Number(new URL(inject("outsideUrl")).port))
    })
    afterAll(() => sites.stop())

    test("the formats of a domain are a table; its pages show public addresses and teach the format", () =>
      withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
        await goTo("find?domain=company.test")
        const formats = page.getByRole("region", { name: "Formats of the domain" })
        await formats.getByRole("row", { name: /^\{first\}\.\{last\} [\d.]+% jane\.doe@company\.test/ }).waitFor()
        await page.getByRole("button", { name: "Read the pages" }).click()
        const found = page.getByRole("region", { name: "Addresses on the company's pages" })
        await found.getByText("info@company.test").waitFor()
        await page.getByText(/^Learned from \d+ addresses/).waitFor()
        await expectAccessible(page)
        await saveScreenshot(page, "find-formats")
        await page.getByRole("link", { name: "Check the domain" }).click()
        await page.getByRole("heading", { name: "Domain check", level: 1 }).waitFor()
      }))
  })
})
