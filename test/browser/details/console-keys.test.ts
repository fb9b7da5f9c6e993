import type { Page } from "playwright-core"
import { beforeAll, describe, expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

const PHONE_DARK = { ...VARIANTS.phone, ...VARIANTS.dark }

describeInBrowser("API keys", ({ withVisitor }) => {
  const save = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "I have saved it" })
  const secretIn = async (page: Page) => (await page.getByRole("dialog").locator(".secret code").textContent()) ?? ""

  async function create(page: Page, name: string): Promise<string> {
    await page.getByLabel("Name").fill(name)
    await page.getByRole("button", { name: "Create key" }).click()
    return secretIn(page)
  }

  describe.each([...Object.entries(VARIANTS), ["phone-dark", PHONE_DARK] as const])("in %s", (variant, options) => {
    let key: TestKey
    beforeAll(async () => {
      key = await newKey("pro")
      await call("POST", "/validate", withKey(key, postJson({ email: "alice@mailbox.test" })))
    })

    test("a key is created and saved, shows its usage, is rotated and revoked", () =>
      withVisitor({ ...options, apiKey: key.secret }, async ({ page, goTo }) => {
        const shoot = async (name: string) => {
          await expectAccessible(page)
          await expectToFit(page)
          await saveScreenshot(page, `keys-${name}-${variant}`)
        }
        await goTo("keys")
        await page.getByText("Restrict this key").click()
        await page.getByLabel("Expires").selectOption("On a date")
        await page.getByLabel("Last day").fill("2028-03-03")
        await page.getByRole("button", { name: "Uncheck all" }).click()
        await page.getByRole("checkbox", { name: /^Verify/ }).check()
        await page.getByLabel("Allowed networks").fill("203.0.113.0/24\n2001:db8::/32")
        await shoot("restrict")
        await create(page, "newsletter pipeline")
        await shoot("secret")
        await save(page).click()
        await page.getByRole("link", { name: "newsletter pipeline" }).waitFor()
        const row = page.getByRole("row").filter({ hasText: "newsletter pipeline" })
        await row.getByText("Verify only, until Mar 3, 2028, from 2 networks").waitFor()
        expect(await page.getByLabel("Allowed networks").isVisible()).toBe(false)
        await shoot("table")

        await page.getByRole("link", { name: "test", exact: true }).click()
        await page.getByRole("heading", { level: 1, name: "test" }).waitFor()
        await page.getByText("1 verification in 30 days").waitFor()
        await page.locator(".chart canvas").waitFor()
        await shoot("used")
        await page.getByRole("button", { name: "7 days" }).click()
        await page.getByText("1 verification in 7 days").waitFor()
        expect(page.url()).toMatch(/\?days=7$/)

        await page.getByRole("link", { name: "All API keys" }).click()
        await page.getByRole("link", { name: "newsletter pipeline" }).click()
        await page.getByText("Not used yet").waitFor()
        await page.getByRole("button", { name: "Change restrictions" }).click()
        await page.getByRole("checkbox", { name: /^Lists/ }).check()
        await page.getByLabel("Allowed networks").fill("")
        await page.getByLabel("Allowed websites").fill("https://app.example.org\n\nexample.org")
        await page.getByRole("button", { name: "Save restrictions" }).click()
        const fault =
          "Allowed websites, line 3: “example.org” is not a website such as https://app.example.org or https://*.example.org."
        await page.getByRole("alert").getByText(fault).waitFor()
        await page.getByLabel("Allowed websites").and(page.locator(":focus")).waitFor()
        await shoot("fault")
        await page.getByLabel("Allowed websites").fill("https://app.example.org\nhttps://*.example.org")
        await page.getByRole("button", { name: "Save restrictions" }).click()
        await page.getByText("Saved.").waitFor()
        await page.locator(".facts").getByText("Verify, Lists").waitFor()
        await page.locator(".facts").getByText("https://*.example.org").waitFor()
        await page.getByRole("button", { name: "Rename" }).click()
        await page.getByRole("dialog").getByLabel("Name").fill("shop pages")
        await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click()
        await page.getByRole("heading", { level: 1, name: "shop pages" }).waitFor()
        await shoot("restricted")
        await page.getByRole("button", { name: "Rotate" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click()
        const before = page.url()
        await save(page).click()
        await page.waitForURL((url) => url.href !== before)
        await page.getByRole("button", { name: "Revoke" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
        await page.locator(".tiles").getByText("Revoked").waitFor()
        expect(await page.getByRole("button", { name: /Rotate|Revoke/ }).count()).toBe(0)
        await shoot("revoked")
      }))
  })

  test("Escape, Back and a reload do not close the dialog of a secret", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("usage")
      await goTo("keys")
      const shown = await create(page, "careful")
      const isShown = async () => expect(await secretIn(page)).toBe(shown)
      const warning = page.getByRole("dialog").getByText("Is it saved?")
      expect(await warning.count()).toBe(0)
      for (let presses = 0; presses < 4; presses++) await page.keyboard.press("Escape")
      await warning.waitFor()
      await isShown()
      await expectAccessible(page)
      await saveScreenshot(page, "keys-secret-warning")
      await page.mouse.click(5, 5)
      await isShown()
      await page.goBack()
      await isShown()
      await page.evaluate("location.hash = '#/usage'")
      await isShown()
      await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor()
      expect(page.url()).toMatch(/#\/keys$/)
      const asked = page.waitForEvent("dialog")
      await page.evaluate("setTimeout(() => location.reload())")
      const warningOfBrowser = await asked
      expect(warningOfBrowser.type()).toBe("beforeunload")
      await warningOfBrowser.dismiss()
      await isShown()
      await save(page).press("Enter")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await page.evaluate("location.hash = '#/usage'")
      await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor()
    })
  })

  test("the dialog of a secret opens with the focus on Copy, and a screen reader reads what to do", async () => {
    const { secret } = await newKey()
    await withVisitor(
      { apiKey: secret, permissions: ["clipboard-write", "clipboard-read"] },
      async ({ page, goTo }) => {
        await goTo("keys")
        const shown = await create(page, "read aloud")
        const dialog = page.getByRole("dialog", { name: "Your new key" })
        expect(await dialog.ariaSnapshot()).toContain("It is shown only once.")
        await dialog.getByRole("button", { name: "Copy" }).and(page.locator(":focus")).waitFor()
        await page.keyboard.press("Enter")
        await dialog.getByRole("button", { name: "Copied" }).waitFor()
        expect(await page.evaluate("navigator.clipboard.readText()")).toBe(shown)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await dialog.waitFor({ state: "detached" })
      },
    )
  })

  test.each([
    ["10.0.0.300", "Allowed networks, line 1: “10.0.0.300” is not an IP address"],
    ["203.0.113.7\n010.0.0.1", "Allowed networks, line 2: “010.0.0.1” is not an IP address"],
    ["203.0.113.0/33", "Allowed networks, line 1: “203.0.113.0/33” is not an IP address"],
    [Array.from({ length: 21 }, (_, n) => `10.0.0.${n}`).join("\n"), "Allowed networks: at most 20 lines, not 21."],
  ])("the networks %j are not sent", async (networks, words) => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("keys")
      await page.getByLabel("Name").fill("faulty")
      await page.getByText("Restrict this key").click()
      await page.getByLabel("Allowed networks").fill(networks)
      await page.getByText("Restrict this key").click()
      await page.getByRole("button", { name: "Create key" }).click()
      await page.getByRole("alert").getByText(words).waitFor()
      await page.getByLabel("Allowed networks").and(page.locator(":focus")).waitFor()
    })
  })

  test("a key without any action, or with a day in the past, is not created", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("keys")
      await page.getByLabel("Name").fill("faulty")
      await page.getByText("Restrict this key").click()
      await page.getByRole("button", { name: "Uncheck all" }).click()
      const actions = page.getByRole("group", { name: "Allowed actions" })
      expect(await actions.getByRole("checkbox", { checked: false }).count()).toBe(6)
      await page.getByLabel("Name").press("Enter")
      await page.getByRole("alert").getByText("Allowed actions: choose at least one.").waitFor()
      await page.getByRole("checkbox", { name: /^Verify/ }).check()
      await page.getByLabel("Expires").selectOption("On a date")
      await page.getByLabel("Name").press("Enter")
      await page.getByRole("alert").getByText("Last day: choose today or a later day.").waitFor()
      await page.getByLabel("Expires").selectOption("In 30 days")
      await page.getByLabel("Name").press("Enter")
      await save(page).click()
      await page
        .getByRole("row")
        .filter({ hasText: "faulty" })
        .getByText(/^Verify only, until /)
        .waitFor()
    })
  })

  test("an expired key is shown as Expired, and a later expiry revives it", async () => {
    const own = await newKey()
    const expires_at = new Date(Date.now() + 1_500).toISOString()
    const json = { name: "short-lived", owner_email: "owner@mailbox.test", expires_at }
    const { body } = await call<{ api_key: string }>("POST", "/keys", withKey(own, postJson(json)))
    const usage = () => fetch(`${inject("stackUrl")}/usage`, { headers: { "x-api-key": body.api_key } })
    await expect.poll(async () => (await usage()).status).toBe(401)
    await withVisitor({ apiKey: own.secret }, async ({ page, goTo }) => {
      await goTo("keys")
      await page.getByRole("row").filter({ hasText: "short-lived" }).getByText("Expired", { exact: true }).waitFor()
      await saveScreenshot(page, "keys-expired")
      await page.getByRole("link", { name: "short-lived" }).click()
      await page.locator(".tiles").getByText("Expired", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Change restrictions" }).click()
      await page.getByLabel("Allowed networks").fill("203.0.113.7")
      await page.getByRole("button", { name: "Save restrictions" }).click()
      await page.getByText("203.0.113.7/32").waitFor()
      await page.getByRole("button", { name: "Change restrictions" }).click()
      await page.getByLabel("Expires").selectOption("In 1 year")
      await page.getByRole("button", { name: "Save restrictions" }).click()
      await page.locator(".tiles").getByText("Active", { exact: true }).waitFor()
    })
  })

  test("restricting the key of the tab warns first, and then the tab says what it cannot do", async () => {
    const own = await newKey()
    await withVisitor({ apiKey: own.secret }, async ({ page, goTo }) => {
      await goTo(`keys/${own.keyId}`)
      await page.getByRole("button", { name: "Change restrictions" }).click()
      await page.getByText("To remove its restrictions later, sign in by email.").waitFor()
      await page.getByRole("checkbox", { name: /^Feedback/ }).uncheck()
      await page.getByRole("button", { name: "Save restrictions" }).click()
      await page.locator(".facts").getByText("Verify, Lists, Find, Suppression, Account").waitFor()
      await page.getByRole("button", { name: "Rename" }).click()
      await page.getByRole("dialog").getByLabel("Name").fill("refused")
      await page.keyboard.press("Enter")
      await page.getByRole("alert").getByText("A restricted API key cannot do this").waitFor()
      await expectAccessible(page)
    })
  })

  test("a key of another account is not found", async () => {
    const [own, other] = await Promise.all([newKey(), newKey()])
    await withVisitor({ apiKey: own.secret }, async ({ page, goTo }) => {
      await goTo(`keys/${other.keyId}`)
      await page.getByRole("alert").getByText("Not found").waitFor()
      await expectAccessible(page)
      await page.getByRole("link", { name: "All API keys" }).click()
      await page.getByText("Keys of your account").waitFor()
    })
  })
})
