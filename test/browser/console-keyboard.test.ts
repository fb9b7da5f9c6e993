import type { Browser, Locator } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { newKey, withKey } from "../support/account.ts"
import { call, postJson } from "../support/api.ts"
import { CHROMIUM, startBrowser, type Visitor, visit } from "../support/browser.ts"

describe.each(CHROMIUM ? [CHROMIUM] : [])("by keyboard, with %s", (path) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(path)
  })
  afterAll(() => browser.close())

  async function visiting(options: Parameters<typeof visit>[1], walk: (visitor: Visitor) => Promise<void>) {
    const visitor = await visit(browser, options)
    await walk(visitor).finally(() => visitor.leave())
    expect(visitor.troubles).toEqual([])
  }

  const focused = (element: Locator) => element.and(element.page().locator(":focus"))

  test("a dialog gives the focus back; where that is gone, the page has it", async () => {
    const { secret } = await newKey()
    await visiting({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("keys")
      const rotate = page.getByRole("button", { name: "Rotate" })
      for (const leave of ["Leave it", "Escape"]) {
        await rotate.press("Enter")
        const dialog = page.getByRole("dialog")
        await dialog.waitFor()
        await focused(dialog.getByRole("button", { name: "Leave it" })).waitFor()
        if (leave === "Escape") await page.keyboard.press("Escape")
        else await dialog.getByRole("button", { name: leave }).press("Enter")
        await dialog.waitFor({ state: "detached" })
        await focused(rotate).waitFor()
      }
      await page.keyboard.press("Enter")
      await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).press("Enter")
      await page.getByText("Revoked", { exact: true }).waitFor()
      await page.getByRole("button", { name: "I have it" }).press("Enter")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await focused(page.locator("h1")).waitFor()
    })
  })

  test("what leaves the page when it is pressed hands the focus to the heading, and only then", async () => {
    const { secret } = await newKey()
    await visiting({ apiKey: secret }, async ({ page, goTo }) => {
      const heading = focused(page.locator("h1"))
      await page.route("**/validate", (route) => route.abort())
      await goTo("?email=alice%40mailbox.test")
      const again = page.getByRole("button", { name: "Try again" })
      await again.waitFor()
      await page.unroute("**/validate")
      await again.press("Enter")
      await page.getByRole("heading", { name: "Safe to send to" }).waitFor()
      await heading.waitFor()

      await page.route("**/validate", async (route) => {
        const response = await route.fetch()
        await route.fulfill({ json: { ...(await response.json()), did_you_mean: "nobody@mailbox.test" } })
      })
      await page.reload()
      const meant = page.getByRole("button", { name: "nobody@mailbox.test" })
      await meant.press("Enter")
      await page.getByRole("heading", { name: "Do not send" }).waitFor()
      await heading.waitFor()

      // Whoever has left it for nowhere is left there.
      await meant.focus()
      await page.mouse.click(5, 500)
      await goTo("?email=alice%40mailbox.test")
      await page.getByRole("heading", { name: "Safe to send to" }).waitFor()
      expect(await heading.count()).toBe(0)
    })
  })

  test("a button keeps the focus while its work is done, and does it once", async () => {
    const { secret } = await newKey()
    await visiting({ apiKey: secret }, async ({ page, goTo }) => {
      let asked = 0
      let release = () => {}
      await page.route("**/suppression/check?*", async (route) => {
        asked++
        await new Promise<void>((resolve) => {
          release = resolve
        })
        await route.continue()
      })
      await goTo("suppression")
      await page.getByLabel("Address to look up").fill("someone@mailbox.test")
      const look = page.getByRole("button", { name: "Look" })
      await look.press("Enter")
      await expect.poll(() => look.getAttribute("aria-disabled")).toBe("true")
      await look.press("Enter")
      await expect.poll(() => asked).toBe(1)
      release()
      await page.getByText("Not on the list").waitFor()
      await focused(look).waitFor()
      expect(asked).toBe(1)
    })
  })

  test("on a phone the menu closes also where one is already", () =>
    visiting({ viewport: { width: 390, height: 844 } }, async ({ page, goTo }) => {
      await goTo("")
      await page.getByRole("button", { name: "Menu" }).click()
      const link = page.getByRole("link", { name: "One address" })
      await link.click()
      expect(await link.isVisible()).toBe(false)
    }))

  test.each([768, 1280])("a key's long name leaves its buttons in reach, %s px wide", async (width) => {
    const key = await newKey()
    const json = { name: `<b>${"x".repeat(90)}`, owner_email: "owner@mailbox.test" }
    await call("POST", "/keys", withKey(key, postJson(json)))
    const viewport = { width, height: 900 }
    await visiting({ apiKey: key.secret, viewport }, async ({ page, goTo }) => {
      await goTo("keys")
      const row = page.getByRole("row").filter({ hasText: json.name })
      const button = (await row.getByRole("button", { name: "Revoke" }).boundingBox())!
      const box = (await page.getByRole("region", { name: "Keys" }).boundingBox())!
      expect(button.x + button.width).toBeLessThanOrEqual(box.x + box.width)
    })
  })
})
