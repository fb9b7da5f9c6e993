import { readFileSync } from "node:fs"
import { expect, inject, test } from "vitest"
import { newKey } from "../../support/stack/account.ts"
import { describeInBrowser, saveScreenshot } from "../../support/stack/browser.ts"
import { mailedToken } from "../../support/stack/mailed-link.ts"

const ROWS = 1_000

describeInBrowser("the console", ({ withVisitor }) => {
  test("verify an address by keyboard and see the evidence", () =>
    withVisitor({}, async ({ page, goTo }) => {
      await goTo("")
      await page.getByLabel("Email address").focus()
      await page.keyboard.type("alice@mailbox.test")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "The mail server confirmed the mailbox." }).waitFor()
      expect(await page.locator(".transcript").textContent()).toContain("RCPT TO:<alice@mailbox.test>")
      for (const fold of ["Evidence", "SMTP conversation"]) await page.getByRole("heading", { name: fold }).click()
      const ledger = page.getByRole("table", { name: "Evidence" })
      expect(await ledger.getByRole("row").filter({ hasText: "RCPT TO" }).textContent()).toContain("+31")
      await saveScreenshot(page, "verify")
      for (const [email, words] of [
        ["nobody@mailbox.test", "The server says that this mailbox does not exist."],
        ["alice@no-such-domain.test", "The domain does not exist"],
        ["alice.mailbox.test", "This is not an email address"],
        ["john.smith@catch-all.test", "The domain accepts every address"],
      ] as const) {
        await page.getByLabel("Email address").fill(email)
        await page.getByRole("button", { name: "Verify", exact: true }).click()
        await page.locator(".verdict", { hasText: email }).getByRole("heading", { name: words }).waitFor()
      }
    }))

  test("sign in by the emailed link; create, use and revoke a key; sign out", () =>
    withVisitor({}, async ({ page, goTo }) => {
      const email = `console-${crypto.randomUUID().slice(0, 8)}@inbox.test`
      await goTo("sign-in")
      await page.getByLabel("Your email address").fill(email)
      await page.getByRole("button", { name: "Email me a link" }).click()
      await page.getByText("Check your inbox").waitFor()
      const token = await mailedToken(email)
      await goTo(`sign-in/${token}`)
      await page.getByText("No lists yet").waitFor()
      expect(page.url()).not.toContain(token)
      await page.reload()
      await page.getByText(email).waitFor()

      await goTo("keys")
      await page.getByLabel("Name").fill("from the console")
      await page.getByRole("button", { name: "Create key" }).click()
      const secret = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
      const fetchAccount = () => fetch(`${inject("stackUrl")}/auth/me`, { headers: { "x-api-key": secret } })
      expect(await (await fetchAccount()).json()).toMatchObject({ email, signed_in_by: "key" })
      await saveScreenshot(page, "key-shown-once")
      await page.getByRole("button", { name: "I have saved it" }).click()
      expect(await page.getByText(secret).count()).toBe(0)

      await page.getByRole("button", { name: "Revoke" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
      await page.getByText("Revoked", { exact: true }).waitFor()
      expect((await fetchAccount()).status).toBe(401)

      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("link", { name: "Sign in", exact: true }).first().waitFor()
      await goTo(`sign-in/${token}`)
      await page.getByText("This link has expired or was already used").waitFor()
    }))

  test("a visitor without an account creates a key and uses it", () =>
    withVisitor({}, async ({ page, goTo }) => {
      await goTo("keys")
      await page.getByLabel("Name").fill("first key")
      await page.getByLabel("Your email address").fill("newcomer@inbox.test")
      await page.getByRole("button", { name: "Create key" }).click()
      await page.getByRole("button", { name: "Use it in this tab" }).click()
      await page.getByText("This tab uses the key now").waitFor()
      await page.getByRole("button", { name: "I have saved it" }).click()
      await page.getByRole("row").filter({ hasText: "first key" }).getByText("Active").waitFor()
      await page.getByText("newcomer@inbox.test").waitFor()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("link", { name: "Sign in", exact: true }).first().waitFor()
    }))

  test("a new key gets the plan of its account", async () => {
    const { secret } = await newKey("pro")
    await withVisitor({}, async ({ page, goTo, signInBy }) => {
      await signInBy(secret)
      await goTo("keys")
      await page.getByLabel("Name").fill("another")
      await page.getByRole("button", { name: "Create key" }).click()
      const created = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
      const me = await fetch(`${inject("stackUrl")}/auth/me`, { headers: { "x-api-key": created } })
      expect(await me.json()).toMatchObject({ tier: "pro" })
    })
  })

  test("rotating the key in use switches the tab to the new key", async () => {
    const { secret } = await newKey()
    await withVisitor({}, async ({ page, goTo, signInBy }) => {
      await signInBy(secret)
      await goTo("keys")
      await page.getByRole("button", { name: "Rotate" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click()
      const shown = (await page.getByRole("dialog").locator(".secret code").textContent()) ?? ""
      expect(shown).not.toBe(secret)
      await page.getByRole("button", { name: "I have saved it" }).click()
      for (const load of [() => page.locator("h1").waitFor(), () => page.reload()]) {
        await load()
        await page.getByText("Revoked", { exact: true }).waitFor()
        await page.getByText("Active", { exact: true }).waitFor()
      }
      expect(await page.evaluate("Object.values(sessionStorage)")).toEqual([shown])
    })
  })

  test("an invalid number of days is an error, not a permanent entry", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("suppression")
      await page.getByLabel("Addresses or domains, one per line").fill("someone@mailbox.test")
      for (const words of ["30 days", "1.5", "0", "1e1"]) {
        await page.getByLabel("Days").fill(words)
        await page.getByRole("button", { name: "Add", exact: true }).click()
        await page.getByRole("alert").getByText("whole number").waitFor()
      }
      await page.getByLabel("Days").fill(" 30 ")
      await page.getByRole("button", { name: "Add", exact: true }).click()
      await page.getByText("someone@mailbox.test is on your suppression list").waitFor()
      expect(await page.getByRole("alert").count()).toBe(0)
      const at = `${inject("stackUrl")}/suppression/check?email=someone@mailbox.test`
      const { suppressed_at, expires_at } = (await (
        await fetch(at, { headers: { "x-api-key": secret } })
      ).json()) as Record<string, string>
      expect(Date.parse(expires_at!) - Date.parse(suppressed_at!)).toBe(30 * 86_400_000)
    })
  })

  test("upload a list of 1,000 rows, follow it, search it and download it", async () => {
    const { secret } = await newKey()
    await withVisitor({}, async ({ page, signInBy }) => {
      await signInBy(secret)
      await page.locator("input[type=file]").setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer: list() })
      await page.getByRole("button", { name: "Verify the list" }).click()
      await page.getByRole("button", { name: "Stop the list" }).waitFor()
      // On a fast machine the list may already be done.
      const moves = '!document.querySelector("main progress") || document.querySelector("main progress").value > 0'
      await expect.poll(() => page.evaluate(moves)).toBe(true)
      await saveScreenshot(page, "list-under-way")
      await page.getByText("Average score").waitFor()
      await page.getByText(`${ROWS.toLocaleString("en")} of ${ROWS.toLocaleString("en")}`).waitFor()
      await page.getByText("the mail server reports that the mailbox does not exist").waitFor()
      await page.locator(".u-over").first().waitFor()
      await saveScreenshot(page, "list-done")

      await page.getByLabel("Show").selectOption("invalid")
      await page.getByText("25 of 100 shown").waitFor()
      await page.getByLabel("Address contains").fill("no-990@D")
      await page.getByText("1 of 1 shown").waitFor()
      await page.getByText("The file is not limited to “no-990@D”.").waitFor()
      await page.getByLabel("Show and download").selectOption("All rows")
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Download CSV" }).click()
      expect((await download).suggestedFilename()).toBe("list-all.csv")
      expect(await page.title()).toBe("list.csv · Mailverdict")
      const lines = readFileSync(await (await download).path(), "utf8")
        .trimEnd()
        .split("\r\n")
      expect(lines).toHaveLength(ROWS + 1)
      expect(lines[0]).toMatch(/^name,email,.*status/)
      expect(lines.filter((line) => /,invalid,/.test(line))).toHaveLength(100)
    })
  })
})

/** One mailbox in ten does not exist. Other suites use other domains of the sandbox. */
function list(): Buffer {
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const domain = `d${1_200 + (i % 800)}.test`
    return `Person ${i},${i % 10 === 0 ? "No" : "user"}-${i}@${domain}`
  })
  return Buffer.from(["name,email", ...rows, ""].join("\r\n"))
}
