import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CHROMIUM, startBrowser, type Visitor, visit } from "../support/browser.ts"

const [MISSING, THERE] = ["nobody@mailbox.test", "alice@mailbox.test"]
const linkTo = (email: string) => `?email=${encodeURIComponent(email)}`

describe.each(CHROMIUM ? [CHROMIUM] : [])("verifying one address, with %s", (path) => {
  let browser: Browser
  let visitor: Visitor
  beforeAll(async () => {
    browser = await startBrowser(path)
  })
  afterAll(() => browser.close())

  async function visiting(walk: (visitor: Visitor) => Promise<void>) {
    visitor = await visit(browser)
    await walk(visitor).finally(() => visitor.leave())
    expect(visitor.troubles).toEqual([])
  }

  const verdictOn = (email: string) => visitor.page.locator(".verdict", { hasText: email }).waitFor()
  const asked = () => visitor.page.getByLabel("Email address").inputValue()

  test("the address bar says what is shown: a reload, a link and the way back show the same", () =>
    visiting(async ({ page, goTo }) => {
      await goTo(linkTo(MISSING))
      await verdictOn(MISSING)
      await page.getByLabel("Email address").fill(THERE)
      await page.getByRole("button", { name: "Verify", exact: true }).click()
      await verdictOn(THERE)
      await page.reload()
      await verdictOn(THERE)
      await page.goBack()
      await verdictOn(MISSING)
      expect(await asked()).toBe(MISSING)
      await page.getByRole("link", { name: "One address" }).click()
      await page.getByText("No address yet").waitFor()
      expect(await asked()).toBe("")
    }))

  test("what nobody has looked at is not said to be so", () =>
    visiting(async ({ page, goTo }) => {
      const checks = page.locator(".panel").filter({ has: page.getByRole("heading", { name: "Every check" }) })
      for (const [email, words] of [
        [THERE, /Accept-all·no(?!t)/],
        ["alice@refused.test", /Accept-all·not known/],
        ["alice.mailbox.test", /^Every checkAddressSyntax✗bad: malformed$/],
      ] as const) {
        await goTo(linkTo(email))
        await page.locator(".verdict", { hasText: email }).waitFor()
        expect(await checks.textContent()).toMatch(words)
      }
    }))

  test("an answer that comes late takes the place of no later one", () =>
    visiting(async ({ page, goTo }) => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route("**/validate", async (route) => {
        if (route.request().postData()?.includes(MISSING)) await held
        await route.continue().catch(() => {})
      })
      await goTo(linkTo(MISSING))
      await page.getByText("Asking about").waitFor()
      await goTo(linkTo(THERE))
      await verdictOn(THERE)
      const late = page.waitForEvent("requestfinished").catch(() => {})
      release()
      await Promise.race([late, page.waitForTimeout(500)])
      await verdictOn(THERE)
      expect(await asked()).toBe(THERE)
    }))

  test("what was not answered is asked again at a click, and the verdict alone is read out", () =>
    visiting(async ({ page, goTo }) => {
      await page.route("**/validate", (route) =>
        route.fulfill({
          status: 429,
          headers: { "retry-after": "7" },
          json: { detail: "too many; retry in 7 seconds" },
        }),
      )
      await goTo(linkTo(THERE))
      await page.getByRole("alert").getByText("retry in 7 seconds").waitFor()
      await page.unroute("**/validate")
      await page.getByRole("button", { name: "Try again" }).click()
      await verdictOn(THERE)
      const spoken = await page.locator("main [aria-live]").textContent()
      expect(spoken).toContain("Safe to send to")
      expect(spoken).not.toContain("RCPT TO")
    }))
})
