import { expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  saveScreenshot,
  type Visitor,
} from "../../support/stack/browser.ts"
import { LOOKS } from "../../support/stack/variants.ts"

describeInBrowser("suppression", ({ withVisitor }) => {
  const add = (key: TestKey, entry: object) =>
    call("POST", "/suppression/add", withKey(key, postJson({ reason: "manual", ...entry })))
  const table = ({ page }: Visitor) => page.getByRole("table")
  const emails = async ({ page }: Visitor) => page.locator("tbody tr td:first-child").allTextContents()

  test.each(LOOKS)("the list is browsed, filtered and found in: %s", async (name, look) => {
    const key = await newKey()
    const body = Array.from({ length: 60 }, (_, n) => `person${n}@d1851.test\n`).join("")
    const init = withKey(key, { method: "POST", at: "/suppression/import?reason=unsubscribe", body })
    const headers = { ...init.headers, "content-type": "text/csv" }
    expect((await call("POST", "/suppression/import", { ...init, headers })).body).toMatchObject({ added: 60 })
    await add(key, { domain: "blocked.test", reason: "manual" })
    await add(key, { email: "angry@d0972.test", reason: "spam_complaint", source: "abuse desk" })
    await add(key, { email: "soon@d0972.test", reason: "soft_bounce", expires_in_days: 7 })
    await withVisitor({ apiKey: key.secret, ...look }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("suppression")
      await page.getByText("Every address at blocked.test").waitFor()
      expect((await emails(visitor)).slice(0, 3)).toEqual([
        "soon@d0972.test",
        "angry@d0972.test",
        "Every address at blocked.test",
      ])
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `suppression ${name}`)
      await page.getByRole("button", { name: "Older" }).click()
      await page.getByText("Page 2").waitFor()

      await page.getByLabel("Reason").last().selectOption("spam_complaint")
      await expect.poll(() => emails(visitor)).toEqual(["angry@d0972.test"])
      await page.reload()
      await expect.poll(() => emails(visitor)).toEqual(["angry@d0972.test"])
      await page.getByLabel("Reason").last().selectOption("All")

      for (const [entered, found] of [
        ["person7@d1851.test", ["person7@d1851.test"]],
        ["blocked.test", ["Every address at blocked.test"]],
        ["*@blocked.test", ["Every address at blocked.test"]],
      ] as const) {
        await page.getByLabel("Address or domain", { exact: true }).fill(entered)
        await page.getByRole("button", { name: "Search" }).click()
        await expect.poll(() => emails(visitor)).toEqual(found)
      }
      await page.getByLabel("Address or domain", { exact: true }).fill("nobody@d1851.test")
      await page.getByRole("button", { name: "Search" }).click()
      await page.getByText("No entry matches").waitFor()
      await page.getByLabel("Address or domain", { exact: true }).fill("d1851")
      await page.getByRole("button", { name: "Search" }).click()
      await page.getByRole("alert").getByText("Enter the whole address or the whole domain").waitFor()
      await page.getByLabel("Address or domain", { exact: true }).fill("no address@")
      await page.getByRole("button", { name: "Search" }).click()
      await page.getByRole("alert").getByText("Address or domain").waitFor()
    })
  })

  test("dates bound the list, and the last day counts as a whole", async () => {
    const key = await newKey()
    await add(key, { email: "today@d0973.test" })
    const today = new Date().toISOString().slice(0, 10)
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("suppression")
      await page.getByLabel("Added from").fill(today)
      await page.getByLabel("Added until").fill(today)
      await expect.poll(() => emails(visitor)).toEqual(["today@d0973.test"])
      await page.getByLabel("Added from").fill("2001-01-01")
      await page.getByLabel("Added until").fill("2001-12-31")
      await page.getByText("No entry matches").waitFor()
    })
  })

  test("an entry is removed after a confirmation that says what follows", async () => {
    const key = await newKey()
    await add(key, { email: "bounced@d0974.test", reason: "hard_bounce" })
    await add(key, { domain: "gone.test" })
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("suppression")
      await table(visitor)
        .getByRole("row", { name: /bounced/ })
        .getByRole("button", { name: "Remove" })
        .click()
      await page.getByRole("dialog").getByText("What you reported about it is withdrawn, too.").waitFor()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await expect.poll(() => emails(visitor)).toEqual(["Every address at gone.test"])
      await table(visitor).getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByText("The list is empty").waitFor()
      await expectAccessible(page)
    })
  })

  test("several addresses and domains are added at once, and a faulty line is named", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("suppression")
      await page
        .getByLabel("Addresses or domains, one per line")
        .fill("one@d0975.test\ncompetitor.test\n@spam.test\nnot an address@\n")
      await page.getByLabel("Days").fill("10")
      await page.getByRole("button", { name: "Add", exact: true }).click()
      await page.getByText("3 added, 0 updated, 0 known, 1 rejected").waitFor()
      await page.getByText("not an address@: not an address").waitFor()
      expect(await page.getByLabel("Addresses or domains, one per line").inputValue()).toBe("not an address@")
      await expect
        .poll(async () => (await emails(visitor)).toSorted())
        .toEqual(["Every address at competitor.test", "Every address at spam.test", "one@d0975.test"])
      await saveScreenshot(page, "suppression added")
      await page.getByLabel("Addresses or domains, one per line").fill("*@whole.test")
      await page.getByRole("button", { name: "Add", exact: true }).click()
      await page.getByText("whole.test is on your suppression list").waitFor()
    })
  })

  test.each(LOOKS)("a file is shown before it is imported: %s", async (name, look) => {
    const key = await newKey()
    const lines = ["Name;Email;reason", ...Array.from({ length: 30 }, (_, n) => `P${n};p${n}@d0976.test;unsubscribe`)]
    const buffer = Buffer.from(
      [...lines, "Broken;not an address;manual", "Odd;odd@d0976.test;asked by phone"].join("\n"),
    )
    await withVisitor({ apiKey: key.secret, ...look }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("suppression")
      await page.locator("input[type=file]").setInputFiles({ name: "left.csv", mimeType: "text/csv", buffer })
      await page.getByText("32 rows. Read from it: Email, reason.").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `suppression-import ${name}`)
      await page.getByRole("button", { name: "Import", exact: true }).click()
      await page.getByText("31 added, 0 updated, 0 known, 1 rejected").waitFor()
      await page.getByText("asked by phone: 1 row").waitFor()
      await page.getByTitle("asked by phone").waitFor()
      await page.getByText("Row 32:").waitFor()
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Export CSV" }).click()
      expect((await download).suggestedFilename()).toBe("suppressions.csv")
    })
  })
})
