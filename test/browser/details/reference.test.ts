import type { Page } from "playwright-core"
import { expect, inject, test } from "vitest"
import { newKey } from "../../support/stack/account.ts"
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  saveScreenshot,
  type Visitor,
  type VisitorOptions,
} from "../../support/stack/browser.ts"

/** One operation of each kind, because the whole document takes seconds to render, and axe to read. */
const SHOWN = ["/validate", "/keys/{key_id}", "/me/alerts", "/bulk/upload", "/suppression/add"]
const OPERATION = "#tag/verification/GET/validate"
const LOOKS = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { name: "phone", colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const

describeInBrowser("the reference", ({ withVisitor: asVisitor }) => {
  const withVisitor = (look: VisitorOptions, scenario: (visitor: Visitor) => Promise<void>) =>
    asVisitor(look, (visitor) => {
      // A busy machine takes more than half a minute to render the page.
      visitor.page.setDefaultTimeout(90_000)
      return scenario(visitor)
    })

  test.each(LOOKS)("is accessible, fits and loads nothing from another host, $name", ({ name, ...look }) =>
    withVisitor(look, async ({ page }) => {
      await openOperation(page)
      await showLastGroup(page)
      await saveScreenshot(page, `reference-${name}`)
      await expectToFit(page)
      await expectAccessible(page)
    }),
  )

  test.each(LOOKS)(
    "the page of errors is accessible, fits and opens at the row of a code, $name",
    ({ name, ...look }) =>
      withVisitor(look, async ({ page }) => {
        await page.goto(`${inject("stackUrl")}/docs/errors#not_configured`)
        const row = page.locator("tr:target", { hasText: "not_configured" })
        await row.waitFor()
        expect(await row.evaluate((shown) => shown.getBoundingClientRect().bottom <= window.innerHeight)).toBe(true)
        await saveScreenshot(page, `errors-${name}`)
        await expectToFit(page)
        await expectAccessible(page)
      }),
  )

  test("the whole document has its groups in order, and guides before them", () =>
    withVisitor({}, async ({ page }) => {
      await page.goto(`${inject("stackUrl")}/docs`)
      const sidebar = page.getByRole("complementary").first()
      await sidebar.getByRole("link", { name: "Probe nodes" }).waitFor()
      const groups = ["Guides", "Verify", "Your mail", "Connect", "Account", "Operate"]
      const shown = await sidebar.getByText(new RegExp(`^\\s*(${groups.join("|")})\\s*$`)).allTextContents()
      expect(shown.map((text) => text.trim())).toEqual(groups)
    }))

  test("the search finds an operation by its path, by the keyboard alone", () =>
    withVisitor({}, async ({ page }) => {
      await openOperation(page)
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox", { name: /search/i }).waitFor()
      await page.keyboard.type("suppression/add")
      const found = page.getByRole("option", { name: /Suppress an address or domain/ })
      await found.waitFor()
      await expectAccessible(page)
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Suppress an address or domain" }).waitFor()
      expect(page.url()).toContain("#tag/suppression/POST/suppression/add")
    }))

  test("an operation has samples of our clients, and of Go, PHP and Ruby", () =>
    withVisitor({}, async ({ page }) => {
      await openOperation(page)
      await page.getByRole("button", { name: "Shell Curl" }).first().click()
      const labels = await page.getByRole("option").allInnerTexts()
      expect(labels.map((label) => label.trim()).sort()).toEqual([
        "Curl",
        "JavaScript client",
        "NewRequest",
        "Python client",
        "cURL",
        "net::http",
      ])
      await page.getByRole("option", { name: "Python client" }).click()
      await page.locator("pre", { hasText: 'client.verify("alice@mailbox.test")' }).first().waitFor()
    }))

  test("a request from the page verifies an address with the console's key", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page }) => {
      expect(await sendRequest(page)).toEqual({ status: 200, key: secret })
    })
  })

  test("a request from the page is anonymous without a key", () =>
    withVisitor({}, async ({ page }) => {
      expect(await sendRequest(page)).toEqual({ status: 200, key: null })
    }))
})

async function openOperation(page: Page): Promise<void> {
  await page.route("**/openapi.json", async (route) => {
    const document = (await (await route.fetch()).json()) as { paths: Record<string, unknown> }
    const paths = Object.fromEntries(SHOWN.map((path) => [path, document.paths[path]]))
    await route.fulfill({ json: { ...document, paths } })
  })
  await page.goto(`${inject("stackUrl")}/docs${OPERATION}`)
  await page.getByRole("heading", { name: "Verify an address", exact: true }).waitFor()
  await page.getByText("Probe the mail server for the mailbox").first().waitFor()
}

/** Scrolls to the last group. Scalar renders a group when it is scrolled to, which makes the page longer. */
async function showLastGroup(page: Page): Promise<void> {
  const last = page.getByRole("button", { name: "Show More Account and usage endpoints" })
  const scroll = async () => {
    await page.keyboard.press("End")
    return last.isVisible()
  }
  await expect.poll(scroll).toBe(true)
}

/** Sends the request of the operation as it is filled in. */
async function sendRequest(page: Page): Promise<{ status: number; key: string | null }> {
  await openOperation(page)
  await page
    .getByRole("button", { name: /^Test Request/ })
    .first()
    .click()
  const answering = page.waitForResponse((response) => new URL(response.url()).pathname === "/validate")
  await page.getByRole("button", { name: /^Send/ }).first().click()
  const response = await answering
  await page.getByText('"mailbox_verified"').last().waitFor()
  return { status: response.status(), key: await response.request().headerValue("x-api-key") }
}
