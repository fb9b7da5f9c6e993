import { expect, test } from "vitest"
import { newKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  saveScreenshot,
  type Visitor,
} from "../../support/stack/browser.ts"
import { LOOKS } from "../../support/stack/variants.ts"

const FILE = [
  "Name,Old address,Address",
  ...Array.from({ length: 60 }, (_, n) => `Person ${n},p${n}@d1849.test,user${n}@d0962.test`),
].join("\n")

describeInBrowser("starting a list", ({ withVisitor }) => {
  const choose = ({ page }: Visitor, text: string, name = "customers.csv") =>
    page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) })
  const jobsOf = async (key: Parameters<typeof withKey>[0]) =>
    (await call<{ jobs: object[] }>("GET", "/bulk/jobs", withKey(key))).body.jobs

  test.each(LOOKS)("a file is shown with its cost before it is verified: %s", async (name, look) => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret, ...look }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("lists")
      await choose(visitor, FILE)
      await page.getByText("60 addresses, at most 60 credits.").waitFor()
      expect(await page.getByRole("row").count()).toBeGreaterThanOrEqual(6)
      await page.getByLabel("Email column").selectOption("Address")
      await page.locator("td.picked", { hasText: "user0@d0962.test" }).waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `list-preview ${name}`)
      expect(await jobsOf(key)).toEqual([])

      await page.getByRole("button", { name: "Verify a sample (at most 30 credits)" }).click()
      await page.getByText("The whole list of 60 addresses is expected to be").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `list-sample ${name}`)
      expect(await jobsOf(key)).toEqual([])

      await page.getByRole("button", { name: "Verify the list" }).click()
      await page.getByRole("heading", { name: "customers.csv" }).waitFor()
      await page.getByText("60 addresses, submitted").waitFor()
    })
  })

  test("addresses can be pasted", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("lists")
      await page.getByText("Paste addresses instead").click()
      await page.getByLabel("Addresses, one per line").fill("user1@d0963.test\nuser2@d0963.test\n")
      await page.getByRole("button", { name: "Continue" }).click()
      await page.getByText("2 addresses, at most 2 credits.").waitFor()
      expect(await page.getByRole("columnheader").count()).toBe(0)
      await page.getByRole("button", { name: "Verify the list" }).click()
      await page.getByRole("heading", { name: "Pasted addresses", exact: true }).waitFor()
    })
  })

  test("the columns of a file without a header are numbered", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      await visitor.goTo("lists")
      await choose(visitor, "Ann,user1@d0966.test\nBob,user2@d0966.test\n")
      await visitor.page.getByRole("columnheader", { name: "Column 2", exact: true }).waitFor()
    })
  })

  test("the sandbox has a list to try", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("lists")
      await page.getByRole("button", { name: "Try a list of sandbox addresses" }).click()
      await page.getByRole("heading", { name: "sandbox.csv" }).waitFor()
      await page.getByRole("button", { name: "Choose another file" }).click()
      await page.getByText("Drop a CSV, Excel or text file here").waitFor()
    })
  })

  test("a list that can cost more than what is left leads to the plans", async () => {
    const key = await newKey("free")
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("lists")
      await choose(visitor, Array.from({ length: 150 }, (_, n) => `user${n}@d0964.test`).join("\n"), "all.csv")
      await page.getByText("This list can cost 150 credits, and you have 100 left").waitFor()
      await page.getByRole("main").getByRole("link", { name: "Plans and billing" }).waitFor()
    })
  })

  test("a list is found by its file name, and the link keeps the search", async () => {
    const key = await newKey()
    for (const name of ["spring.csv", "Summer 1.csv", "summer-2.csv"]) {
      const body = new FormData()
      body.set("file", new Blob(["user1@d0965.test"]), name)
      await call("POST", "/bulk/upload", withKey(key, { method: "POST", body }))
    }
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("lists")
      await page.getByRole("link", { name: "spring.csv" }).waitFor()
      await page.getByLabel("File name contains").fill("SUMMER")
      await page.getByLabel("File name contains").press("Enter")
      await page.getByRole("link", { name: "spring.csv" }).waitFor({ state: "detached" })
      const names = await page.getByRole("link", { name: /summer/i }).allInnerTexts()
      expect(names).toEqual(["summer-2.csv", "Summer 1.csv"])
      await page.reload()
      await page.getByRole("link", { name: "summer-2.csv" }).waitFor()
      await page.getByLabel("File name contains").fill("autumn")
      await page.getByRole("button", { name: "Search" }).click()
      await page.getByText("No file name contains “autumn”.").waitFor()
      await expectAccessible(page)
      await page.getByRole("button", { name: "Show all" }).click()
      await page.getByRole("link", { name: "spring.csv" }).waitFor()
    })
  })

  test("a file without a recognized email column is shown, and the reader chooses the column", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("lists")
      await choose(visitor, "Name,City\nAnn,Rome\n")
      await page.getByText("The column “Name” has no valid address").waitFor()
      await page.getByLabel("Email column").selectOption("City")
      await page.getByText("The column “City” has no valid address").waitFor()
      await expectAccessible(page)
      expect(await jobsOf(key)).toEqual([])
    })
  })

  test("what is left out, repeated or damaged is said before the start", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("lists")
      const rows = [
        "Report",
        "",
        "Owner,Mail",
        "rep@d0994.test,user1@d0994.test",
        '"x\0","user2@d0994.test; user3@d0994.test"',
      ]
      await choose(visitor, rows.join("\n"))
      await page.getByText("3 addresses, at most 3 credits.").waitFor()
      await page.getByText("1 row above the column names is left out.").waitFor()
      await page.getByText("One cell has several addresses. Each address gets a row of its own.").waitFor()
      await page.getByText("“Owner” also has addresses, which are not verified.").waitFor()
      await page.getByText("One character could not be read as utf-8, and is shown as �.").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
    })
  })

  test("a text in an unknown encoding is read in the one that the reader names", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("lists")
      const buffer = Buffer.from("c8ecff3bcfeef7f2e00ac8e2e0ed3b75736572314064303939342e746573740a", "hex")
      await page.locator("input[type=file]").setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer })
      await page.getByText("The text is neither UTF-8 nor Windows-1252").waitFor()
      await page.getByLabel("Encoding of the text").selectOption("Cyrillic (Windows-1251)")
      await page.getByText("1 address, at most 1 credit.").waitFor()
      await page.getByRole("cell", { name: "Иван" }).waitFor()
      await page.getByRole("button", { name: "Verify the list" }).click()
      await page.getByRole("heading", { name: "list.csv" }).waitFor()
    })
  })

  test("an unreadable file is refused before anything is stored", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async (visitor) => {
      await visitor.goTo("lists")
      await choose(visitor, `a,b\n"${"x".repeat(70_000)}`)
      await visitor.page.getByRole("alert").getByText("quote").waitFor()
      expect(await jobsOf(key)).toEqual([])
    })
  })
})
