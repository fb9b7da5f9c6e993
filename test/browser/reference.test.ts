import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { expectAccessible, startBrowser, visit } from "../support/stack/browser.ts"
import { CHROMIUM } from "../support/stack/chromium.ts"

const SHOWN = ["/validate", "/keys/{key_id}", "/me/alerts"]

describe.each(CHROMIUM ? [CHROMIUM] : [])("the reference, with %s", (path) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(path)
  })
  afterAll(() => browser.close())

  test.each(["light", "dark"] as const)("the text has enough contrast, %s theme", async (colorScheme) => {
    const { page, troubles, leave } = await visit(browser, { colorScheme })
    // One operation of each kind: axe is slow, and the others look the same.
    await page.route("**/openapi.json", async (route) => {
      const document = (await (await route.fetch()).json()) as { paths: Record<string, unknown> }
      const paths = Object.fromEntries(SHOWN.map((path) => [path, document.paths[path]]))
      await route.fulfill({ json: { ...document, paths } })
    })
    await page.goto(`${inject("stackUrl")}/docs`)
    await page.locator("#operations-verification-validate .opblock-summary-control").click()
    await page.getByText("Probe the mail server for the mailbox").first().waitFor()
    await expectAccessible(page, ["color-contrast"])
    await leave()
    expect(troubles).toEqual([])
  })
})
