import { readFileSync } from "node:fs"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call } from "../support/stack/api.ts"
import {
  expectAccessible,
  expectToFit,
  saveScreenshot,
  startBrowser,
  type Visitor,
  visit,
} from "../support/stack/browser.ts"
import { CHROMIUM } from "../support/stack/chromium.ts"

const linkTo = (email: string) => `?email=${encodeURIComponent(email)}`
const UNKNOWN = "nothing is known about this mailbox."

/** The sentence for each sandbox address; the others are confirmed. */
const SENTENCES: Readonly<Record<string, string>> = {
  "nobody@mailbox.test": "The server says that this mailbox does not exist.",
  "disabled@mailbox.test": "The server says that this mailbox is disabled.",
  "full@mailbox.test": "Mailbox full: the mailbox exists, but takes no mail now.",
  "overquota@mailbox.test": "Mailbox full: the mailbox exists, but takes no mail now.",
  "anyone@catch-all.test": "The domain accepts every address, so this mailbox cannot be confirmed.",
  "alice@catch-all-unclear.test": "The server accepted this mailbox. Whether it accepts every address is unclear.",
  "alice@tempfail.test": "The server has a temporary failure; nothing is known about this mailbox yet.",
  "alice@client-refused.test": `The server blocked our IP; ${UNKNOWN}`,
  "alice@not-authorized.test": `The server refused our probe by its policy; ${UNKNOWN}`,
  "alice@relay-denied.test": `The server does not accept mail for this domain from us; ${UNKNOWN}`,
  "alice@banner-refusal.test": `The server blocked our IP; ${UNKNOWN}`,
  "alice@ehlo-refusal.test": `The server refused the name of our host; ${UNKNOWN}`,
  "alice@sender-refusal.test": `The server refused our sender address; ${UNKNOWN}`,
  "alice@garbage.test": `The server did not follow the SMTP protocol; ${UNKNOWN}`,
  "alice@refused.test": `The mail server refused the connection; ${UNKNOWN}`,
  "alice@drop.test": `The mail server closed the connection; ${UNKNOWN}`,
  "alice@reset.test": `The mail server closed the connection; ${UNKNOWN}`,
  "alice@tls-broken.test": `The encrypted connection to the mail server failed; ${UNKNOWN}`,
  "alice@mx-unresolvable.test": `The name of the mail server has no address; ${UNKNOWN}`,
  "alice@mx-private.test": `The mail server has a private address; ${UNKNOWN}`,
  "josé@no-utf8.test": `The server does not support the letters of this address (SMTPUTF8); ${UNKNOWN}`,
  "alice.mailbox.test": "This is not an email address: it has no @ sign.",
  "alice@null-mx.test": "The domain declares that it accepts no mail.",
  "alice@no-such-domain.test": "The domain does not exist, so no mail can arrive.",
  "alice@no-mail-host.test": "The domain has no mail server, so no mail can arrive.",
  "alice@dangling.test": "The domain does not exist, so no mail can arrive.",
  "alice@servfail.test": "DNS did not answer; this is not held against the address.",
  "alice@cname-loop.test": "DNS did not answer; this is not held against the address.",
  "alice@dns-timeout.test": "DNS did not answer; this is not held against the address.",
  "someone@inbox.test": "The domain accepts every address, so this mailbox cannot be confirmed.",
  "no-1@d0042.test": "The server says that this mailbox does not exist.",
}
/** Their answer depends on time: greylisting ends, and a silent server costs the whole deadline. */
const SLOW = ["alice@greylist.test", "alice@hang.test", "alice@hang-at-rcpt.test", "alice@tarpit.test"]
const SANDBOX = [...readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8").matchAll(/^\| `([^`]+)`/gm)]
  .map(([, email = ""]) => email)
  .filter((email) => !SLOW.includes(email))

describe.each(CHROMIUM ? [CHROMIUM] : [])("the page of one address, with %s", (path) => {
  let browser: Browser
  let key: TestKey
  beforeAll(async () => {
    browser = await startBrowser(path)
    key = await newKey()
  })
  afterAll(() => browser.close())

  async function withVisitor(options: Parameters<typeof visit>[1], scenario: (visitor: Visitor) => Promise<void>) {
    const visitor = await visit(browser, { apiKey: key.secret, ...options })
    await scenario(visitor).finally(() => visitor.leave())
    expect(visitor.troubles).toEqual([])
  }

  test(
    "the sentence of every sandbox address agrees with its evidence",
    () =>
      withVisitor({}, async ({ page, goTo }) => {
        const found: Record<string, string | null> = {}
        for (const email of SANDBOX) {
          await goTo(linkTo(email))
          const verdict = page.locator(".verdict", { has: page.getByText(email, { exact: true }) })
          await verdict.waitFor()
          found[email] = await verdict.getByRole("heading").textContent()
        }
        const expected = SANDBOX.map((email) => [email, SENTENCES[email] ?? "The mail server confirmed the mailbox."])
        expect(found).toEqual(Object.fromEntries(expected))
      }),
    120_000,
  )

  const PHONE = { width: 390, height: 844 }
  test.each([
    ["desktop-light", { width: 1280, height: 900 }, "light"],
    ["phone-dark", PHONE, "dark"],
    ["phone-light", PHONE, "light"],
    ["desktop-dark", { width: 1280, height: 900 }, "dark"],
  ] as const)("every part is accessible and fits: %s", (name, viewport, colorScheme) =>
    withVisitor({ viewport, colorScheme }, async ({ page, goTo }) => {
      for (const email of ["alice@client-refused.test", "support@mailbox.test", "alice.mailbox.test"]) {
        await goTo(linkTo(email))
        await page.locator(".verdict", { hasText: email }).waitFor()
        await page.getByRole("heading", { name: "History of this address" }).waitFor()
        await page.locator(".skeleton").waitFor({ state: "detached" })
        await expectToFit(page)
        await saveScreenshot(page, `address-${name}-${email.split("@")[0]}-${email.split("@")[1] ?? ""}`)
      }
      await goTo(linkTo("alice@client-refused.test"))
      await page.locator(".verdict").waitFor()
      for (const summary of await page.locator("details:not([open]) > summary").all()) await summary.click()
      const rule = page.getByRole("button", { name: "ip.client-refused" }).first()
      await rule.focus()
      const words = page.getByRole("tooltip").filter({ hasText: "refuses our IP or host" }).first()
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
      await saveScreenshot(page, "address-reported")

      await goTo(linkTo("user9@d0926.test"))
      await page.locator(".verdict", { hasText: "user9@d0926.test" }).waitFor()
      await page.getByRole("button", { name: "Suppress" }).click()
      await dialog.getByRole("button", { name: "Suppress" }).click()
      await page.getByText("is on your suppression list.").first().waitFor()
      await page.getByText("The address is on your suppression list.").waitFor()
      const at = "/suppression/check?email=user9@d0926.test"
      const { body } = await call("GET", "/suppression/check", withKey(key, { at }))
      expect(body).toMatchObject({ is_suppressed: true, source: "console" })
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
