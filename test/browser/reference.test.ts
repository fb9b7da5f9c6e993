import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { CHROMIUM, expectAccessible, startBrowser, visit } from "../support/browser.ts"

describe.each(CHROMIUM ? [CHROMIUM] : [])("the reference, with %s", (path) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(path)
  })
  afterAll(() => browser.close())

  test.each(["light", "dark"] as const)("its words can be read by everybody, in %s colours", async (colorScheme) => {
    const { page, troubles, leave } = await visit(browser, { colorScheme })
    await page.goto(`${inject("stackUrl")}/docs`)
    await page.locator("#operations-verification-validate .opblock-summary-control").click()
    await page.getByText("Ask the mail server whether the mailbox exists").first().waitFor()
    await expectAccessible(page, ["color-contrast"])
    await leave()
    expect(troubles).toEqual([])
  })
})
