import { readFileSync } from "node:fs"
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
import { waitForJobEnd } from "../../support/stack/jobs.ts"
import { LOOKS } from "../../support/stack/variants.ts"

const FIRST = ["alice@mailbox.test", "nobody@mailbox.test", "support@mailbox.test", "gone@mailbox.test"]
const SECOND = ["alice@mailbox.test", "nobody@mailbox.test", "anyone@catch-all.test", "broken address"]

describeInBrowser("the results of a list", ({ withVisitor: asVisitor }) => {
  let key: TestKey
  const jobs: string[] = []
  beforeAll(async () => {
    key = await newKey()
    for (const emails of [FIRST, SECOND]) {
      const body = new FormData()
      body.set("file", new Blob([emails.join("\n")]), "customers.txt")
      const answer = await call<{ job_id: string }>("POST", "/bulk/upload", withKey(key, { method: "POST", body }))
      jobs.push(answer.body.job_id)
      await waitForJobEnd(answer.body.job_id, { "x-api-key": key.secret })
    }
  })

  const withVisitor = (options: VisitorOptions, scenario: (visitor: Visitor) => Promise<void>) =>
    asVisitor({ apiKey: key.secret, ...options }, scenario)

  const results = ({ page }: Visitor) => page.getByRole("region", { name: "Results" })
  const emails = (visitor: Visitor) => results(visitor).locator("tbody td:first-child").allTextContents()

  test("a heading sorts up, down and not at all, and the URL keeps it", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      await goTo(`lists/${jobs[1]}`)
      await results(visitor).waitFor()
      await expect.poll(() => emails(visitor)).toEqual(SECOND)
      const score = results(visitor).getByRole("button", { name: "Score" })
      const header = results(visitor).getByRole("columnheader", { name: "Score" })
      await score.press("Enter")
      await expect.poll(() => header.getAttribute("aria-sort")).toBe("ascending")
      expect((await emails(visitor))[0]).toBe("broken address")
      await score.press("Enter")
      await expect.poll(async () => (await emails(visitor))[0]).toBe("alice@mailbox.test")
      await page.reload()
      await results(visitor).waitFor()
      await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending")
      await score.press("Enter")
      await expect.poll(() => emails(visitor)).toEqual(SECOND)
      expect(await header.getAttribute("aria-sort")).toBe("none")
    }))

  test.each(LOOKS)("a list is compared with the last one of the same name: %s", (name, look) =>
    withVisitor(look, async (visitor) => {
      const { page, goTo } = visitor
      await goTo(`lists/${jobs[1]}`)
      const tile = (title: string) => page.locator(".tile").filter({ hasText: title })
      await tile("Same result").getByText("2").waitFor()
      await tile("New addresses").getByText("2").waitFor()
      await tile("No longer in the list").getByText("2").waitFor()
      const changes = page.getByRole("region", { name: "Changed and new addresses" })
      await changes.getByRole("row").filter({ hasText: "anyone@catch-all.test" }).getByText("Accept-all").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `list-results ${name}`)
    }),
  )

  test("a file to send to has each address once; all rows and a running list say what the file has", () =>
    withVisitor({}, async ({ page, goTo }) => {
      const body = new FormData()
      body.set("file", new Blob(["alice@mailbox.test\nAlice@Mailbox.test\nnobody@mailbox.test\n"]), "twice.txt")
      const id = (await call<{ job_id: string }>("POST", "/bulk/upload", withKey(key, { method: "POST", body }))).body
        .job_id
      await waitForJobEnd(id, { "x-api-key": key.secret })
      const save = async (button: string) => {
        const download = page.waitForEvent("download")
        await page.getByRole("button", { name: button, exact: true }).click()
        const file = await download
        const rows = readFileSync(await file.path(), "utf8")
          .trimEnd()
          .split("\r\n")
          .slice(1)
        return [file.suggestedFilename(), ...rows.map((row) => row.split(",")[0])]
      }
      await goTo(`lists/${id}`)
      await page.getByText("The file has every row of the upload, with 1 duplicate.").waitFor()
      await page.getByLabel("Show and download").selectOption("Sendable")
      await page.getByText("duplicate rows are left out").waitFor()
      expect(await save("Download CSV")).toEqual(["twice-can_send.csv", "alice@mailbox.test"])
      const { body: job } = await call<object>(
        "GET",
        "/bulk/status/{job_id}",
        withKey(key, { at: `/bulk/status/${id}` }),
      )
      const running = { ...job, status: "running", partial: true, completed_at: null, progress: 1 }
      await page.route("**/bulk/status/*", (route) => route.fulfill({ json: running }))
      await page.route("**/events", (route) => route.abort())
      await page.reload()
      await page.getByText("The list still runs: the file has the results so far.").waitFor()
      expect((await save("Download CSV so far"))[0]).toBe("twice-can_send-partial.csv")
    }))

  test("the first list has nothing to compare with", () =>
    withVisitor({}, async ({ page, goTo }) => {
      await goTo(`lists/${jobs[0]}`)
      await page.getByRole("heading", { name: "Results" }).waitFor()
      await page.waitForLoadState("networkidle")
      expect(await page.getByText("Compare with an earlier list").count()).toBe(0)
    }))

  test("results arrive while the list runs, and filters and focus stay", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      const at = `/bulk/status/${jobs[1]}`
      const { body } = await call<object>("GET", "/bulk/status/{job_id}", withKey(key, { at }))
      const running = { status: "running", partial: true, completed_at: null, pending: 2, total: 4 }
      let job = { ...body, ...running, progress: 2 }
      let isLate = false
      await page.route("**/bulk/status/*", (route) => route.fulfill({ json: job }))
      await page.route("**/events", (route) => route.abort())
      await page.route(`**/jobs/${jobs[1]}?*`, async (route) => {
        const answer = await route.fetch()
        const page = (await answer.json()) as { results: object[] }
        await route.fulfill({ json: { ...page, results: isLate ? page.results : page.results.slice(0, 2) } })
      })
      await goTo(`lists/${jobs[1]}?contains=a`)
      await results(visitor).waitFor()
      await expect.poll(() => emails(visitor)).toEqual(SECOND.slice(0, 2))
      await page.getByText("so far: 2 of 4").waitFor()
      await page.getByLabel("Address contains").focus()
      isLate = true
      job = { ...job, progress: 3 }
      await expect.poll(() => emails(visitor)).toEqual(SECOND)
      expect(await page.getByLabel("Address contains").inputValue()).toBe("a")
      await page.getByLabel("Address contains").and(page.locator(":focus")).waitFor()
    }))
})
