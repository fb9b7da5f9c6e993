import { describe, expect, inject, test } from "vitest"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

/** [domain, text that shows it is loaded] */
const DOMAINS = [
  ["mailbox.test", "selector s1"],
  ["two-spf.test", "Join the SPF records into one."],
  ["listed.test", "mail hosts are listed at rbl.test"],
  ["null-mx.test", "The domain declares that it accepts no mail"],
  ["no-such-domain.test", "Register the domain, or check its spelling"],
  ["many-mx.test", "and 17 more"],
  ["servfail.test", "DNS gave no answer"],
] as const

describeInBrowser("checking a domain", ({ withVisitor }) => {
  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    test.each(DOMAINS)("%s is accessible and fits", (domain, text) =>
      withVisitor(options, async ({ page, goTo }) => {
        await goTo(`domain?name=${domain}`)
        await page.locator("main").getByText(text).first().waitFor()
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `domain-${domain}-${variant}`)
      }),
    )

    test("the empty page is accessible and fits", () =>
      withVisitor(options, async ({ page, goTo }) => {
        await goTo("domain")
        await page.getByText("No domain yet").waitFor()
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `domain-empty-${variant}`)
      }))
  })

  test("by keyboard alone: the form checks a URL's domain and changes the link", () =>
    withVisitor({}, async ({ page, goTo }) => {
      await goTo("domain")
      await page.getByLabel("Domain").focus()
      await page.keyboard.type("https://www.two-spf.test/about")
      await page.keyboard.press("Enter")
      const verdict = page.locator(".verdict", { hasText: "two-spf.test" })
      await verdict.getByText("3 things to fix.").waitFor()
      await verdict
        .getByRole("listitem")
        .getByText("the SPF record cannot be used: several SPF records at two-spf.test")
        .waitFor()
      expect(page.url()).toContain("#/domain?name=")
      const fixes = page.locator(".fixes > li")
      expect(await fixes.locator(".badge").allTextContents()).toEqual(["Fix", "Fix", "Fix", "Optional"])
      expect(await fixes.nth(2).locator("code").allTextContents()).toEqual([
        "v=DMARC1; p=none; rua=mailto:dmarc@two-spf.test",
      ])
      await page.goBack()
      await page.getByText("No domain yet").waitFor()
    }))

  test("a shared link from outside checks at once; the link and a record can be copied", () =>
    withVisitor({ permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
      const link = `${inject("stackUrl")}/console/#/domain?name=two-spf.test`
      await page.goto(link)
      await page.getByRole("button", { name: "Copy link" }).click()
      const copied = () => page.evaluate("navigator.clipboard.readText()")
      await expect.poll(copied).toBe(link)
      await page.locator(".publication").first().getByRole("button", { name: "Copy" }).click()
      await expect.poll(copied).toBe("v=DMARC1; p=none; rua=mailto:dmarc@two-spf.test")
    }))

  test("what is no domain is refused in words", () =>
    withVisitor({}, async ({ page, goTo }) => {
      await goTo("domain?name=localhost")
      await page.getByRole("alert").getByText("Domain: The domain has no dot").waitFor()
    }))
})
