import { beforeAll, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  saveScreenshot,
  type Visitor,
  type VisitorOptions,
} from "../../support/stack/browser.ts"

const linkTo = (email: string) => `?email=${encodeURIComponent(email)}`

describeInBrowser("the page of one address", ({ withVisitor: asVisitor }) => {
  let key: TestKey
  beforeAll(async () => {
    key = await newKey()
  })

  const withVisitor = (options: VisitorOptions, scenario: (visitor: Visitor) => Promise<void>) =>
    asVisitor({ apiKey: key.secret, ...options }, scenario)

  const PHONE = { width: 390, height: 844 }
  test.each([
    ["desktop-light", { width: 1280, height: 900 }, "light"],
    ["phone-dark", PHONE, "dark"],
    ["phone-light", PHONE, "light"],
    ["desktop-dark", { width: 1280, height: 900 }, "dark"],
  ] as const)("every part is accessible and fits: %s", (name, viewport, colorScheme) =>
    withVisitor({ viewport, colorScheme, hasTouch: viewport === PHONE }, async ({ page, goTo }) => {
      for (const email of ["alice@client-refused.test", "support@mailbox.test", "alice.mailbox.test"]) {
        await goTo(linkTo(email))
        await page.locator(".verdict", { hasText: email }).waitFor()
        await page.getByRole("heading", { name: "History of this address" }).waitFor()
        await page.locator(".skeleton").waitFor({ state: "detached" })
        await expectToFit(page)
        await saveScreenshot(page, `address-${name}-${email.split("@")[0]}-${email.split("@")[1] ?? ""}`)
      }
      await goTo(linkTo("alice@client-refused.test"))
      await page.locator(".verdict", { hasText: "alice@client-refused.test" }).waitFor()
      const folded = page.locator("details:not([open]) > summary")
      while ((await folded.count()) > 0) await folded.first().click()
      page.setDefaultTimeout(4_000)
      const rule = page.locator(".tip-word", { hasText: /^ip\./ }).first()
      await (viewport === PHONE ? rule.tap() : rule.focus())
      const words = page.locator("[role=tooltip]", { hasText: "refuses our IP or host" }).first()
      expect(await words.getAttribute("class")).toBe("tip-text")
      const points = page.getByRole("table", { name: "Evidence" }).getByRole("cell", { name: "+50" })
      const box = (await points.boundingBox())!
      expect(box.x + box.width).toBeLessThanOrEqual(viewport.width)
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `address-${name}-unfolded`)
      await rule.press("Escape")
      expect(await words.getAttribute("class")).toBe("unseen")
    }),
  )

  test("check again, suppress and report change the verdict and say what they did", () =>
    withVisitor({}, async ({ page, goTo }) => {
      const email = "user8@d0926.test"
      await goTo(linkTo(email))
      const verdict = page.locator(".verdict", { hasText: email })
      await verdict.getByText("Verified").waitFor()
      const again = page.getByRole("button", { name: "Check again" })
      await again.click()
      await verdict.getByText("Cached result, verified").waitFor()
      await page.getByText("less than a minute old").waitFor()

      await page.getByRole("button", { name: "Report a wrong verdict" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Bounce message").fill("550 5.1.1 no such user")
      await expectAccessible(page)
      await saveScreenshot(page, "address-report")
      await dialog.getByRole("button", { name: "Report", exact: true }).click()
      await page.getByText("The address is suppressed from now on.").waitFor()
      await verdict.getByText("Your account reported a hard bounce").waitFor()
      await page.locator("details[open] > summary", { hasText: "Your account" }).waitFor()
      const history = page.locator(".panel", { hasText: "History of this address" })
      await history.getByText("Invalid", { exact: true }).waitFor()
      expect(await history.getByRole("row").count()).toBe(4)
      await saveScreenshot(page, "address-reported")

      await goTo(linkTo("user9@d0926.test"))
      await page.locator(".verdict", { hasText: "user9@d0926.test" }).waitFor()
      await page.getByRole("button", { name: "Suppress" }).click()
      await dialog.getByRole("button", { name: "Suppress" }).click()
      await page.getByText("is on your suppression list.").first().waitFor()
      await page.getByText("The address, or its whole domain, is on your suppression list.").waitFor()
      await page.getByRole("link", { name: "Manage its suppression" }).waitFor()
      expect(await page.getByRole("button", { name: "Suppress" }).count()).toBe(0)
      await expectAccessible(page)
      await saveScreenshot(page, "address-suppressed")
      const at = "/suppression/check?email=user9@d0926.test"
      const { body } = await call("GET", "/suppression/check", withKey(key, { at }))
      expect(body).toMatchObject({ is_suppressed: true, source: "console" })
    }))

  test.each([
    ["received", "reported@catch-all.test", "Your account received mail from this address, so the mailbox exists."],
    ["spam_complaint", "user1@d0927.test", "Your account reported a spam complaint of this address."],
    ["soft_bounce", "user2@d0927.test", "The mail server confirmed the mailbox."],
  ])("a report of %s says what it did, and the verdict follows", (event, email, words) =>
    withVisitor({ viewport: PHONE }, async ({ page, goTo }) => {
      await goTo(linkTo(email))
      const verdict = page.locator(".verdict", { hasText: email })
      await verdict.waitFor()
      await page.getByRole("button", { name: "Report a wrong verdict" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("What happened").selectOption(event)
      expect(await dialog.getByLabel("Bounce message").count()).toBe(event.endsWith("bounce") ? 1 : 0)
      await dialog.getByRole("button", { name: "Report", exact: true }).click()
      await dialog.waitFor({ state: "detached" })
      await page.locator("main [role=status]", { hasText: /\.$/ }).first().waitFor()
      await verdict.getByText(words).waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `address-reported-${event}`)
    }),
  )

  test("a cached result shows its age", () =>
    withVisitor({}, async ({ page, goTo }) => {
      const email = "user3@d0927.test"
      await goTo(linkTo(email))
      const verdict = page.locator(".verdict", { hasText: email })
      await verdict.getByText("Verified just now.").waitFor()
      await page.clock.setFixedTime(Date.now() + 3 * 3_600_000)
      await page.getByRole("button", { name: "Verify", exact: true }).click()
      await verdict.getByText("Cached result, verified 3 hours ago. It used no credit.").waitFor()
      await page.getByRole("button", { name: "Check again" }).waitFor()
    }))

  test("the link, the JSON and the cURL command of a verdict are copied", () =>
    withVisitor({ permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, goTo }) => {
      await goTo(linkTo("alice@mailbox.test"))
      await page.locator(".verdict").waitFor()
      for (const [label, text] of [
        ["Copy cURL", "X-API-Key: $MAILVERDICT_API_KEY"],
        ["Copy JSON", '"sub_status": "mailbox_verified"'],
        ["Copy link", "/console/#/?email=alice%40mailbox.test"],
      ] as const) {
        await page.getByRole("button", { name: label }).click()
        await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toContain(text)
      }
    }))
})
