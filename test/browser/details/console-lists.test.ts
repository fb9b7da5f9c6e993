import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { TABLE_LIMITS } from "../../../src/domain/lists/uploaded-file.ts"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { describeInBrowser, expectToFit, saveScreenshot, type Visitor } from "../../support/stack/browser.ts"
import { waitForJobEnd } from "../../support/stack/jobs.ts"

/** Three pages of API results. */
const ROWS = 2_100
const LONG = `${"a".repeat(64)}@${"verylonglabel".repeat(4)}.${"verylonglabel".repeat(4)}.d1999.test`
const temporary = [
  { status: 503, json: { detail: "the store does not answer" } },
  { status: 429, headers: { "retry-after": "1" }, json: { detail: "too many requests; retry in 1 seconds" } },
]

describeInBrowser("lists", ({ withVisitor: asVisitor }) => {
  let key: TestKey
  let jobId = ""
  const submit = async (emails: readonly string[], smtp: boolean) => {
    const { body } = await call<{ job_id: string }>(
      "POST",
      "/validate/bulk/async",
      withKey(key, postJson({ emails, smtp })),
    )
    return body.job_id
  }
  beforeAll(async () => {
    key = await newKey()
    const names = Array.from({ length: ROWS }, (_, i) => `user-${i}@d${1_000 + (i % 200)}.test`)
    jobId = await submit([...names, LONG], false)
    await waitForJobEnd(jobId, { "x-api-key": key.secret })
  })

  const withVisitor = (scenario: (visitor: Visitor) => Promise<void>) => asVisitor({ apiKey: key.secret }, scenario)

  test("a printed report uses the whole page width, and no column is cut off", () =>
    withVisitor(async ({ page, goTo }) => {
      // A4 without its margins.
      await page.setViewportSize({ width: 718, height: 1_000 })
      await goTo(`lists/${jobId}`)
      await page.getByText("25 shown").waitFor()
      await page.emulateMedia({ media: "print" })
      expect(await page.getByRole("button", { name: "Menu" }).isVisible()).toBe(false)
      const cut = "({ clientWidth, scrollWidth }) => scrollWidth > clientWidth"
      const names = `[...document.querySelectorAll(".table-box")].filter(${cut}).map((box) => box.ariaLabel)`
      expect(await page.evaluate(names)).toEqual([])
    }))

  test("a search finds a row far down and survives Back; a long address hides no column", () =>
    withVisitor(async ({ page, goTo }) => {
      await goTo(`lists/${jobId}`)
      await page.getByText("25 shown").waitFor()
      await page.getByLabel("Address contains").fill(`user-${ROWS - 1}@`)
      await page.getByText("1 of 1 shown").waitFor()
      await page.getByLabel("Show").selectOption("unknown")
      await page.getByRole("link", { name: `user-${ROWS - 1}@` }).click()
      await page.locator(".verdict").waitFor()
      await page.goBack()
      await page.getByText("1 of 1 shown").waitFor()
      expect(await page.getByLabel("Show").inputValue()).toBe("unknown")

      await page.getByLabel("Show").selectOption("All rows")
      await page.getByLabel("Address contains").fill("VeryLongLabel")
      const row = page.getByRole("row").filter({ hasText: LONG })
      await row.waitFor()
      await expectToFit(page)
      await saveScreenshot(page, "list-long-address")
      const [box, lastCell] = [
        await page.getByRole("region", { name: "Results" }).boundingBox(),
        row.getByRole("cell").last(),
      ]
      const cell = (await lastCell.boundingBox())!
      expect(cell.x + cell.width).toBeLessThanOrEqual(box!.x + box!.width)
    }))

  test("Show more adds rows and stays focused, even after the last row", () =>
    withVisitor(async ({ page, goTo }) => {
      await goTo(`lists/${jobId}?contains=user-20`)
      const more = page.getByRole("button", { name: "Show more" })
      for (const words of [
        "25 of 111 shown",
        "50 of 111 shown",
        "75 of 111 shown",
        "100 of 111 shown",
        "111 of 111 shown",
      ]) {
        await page.getByText(words).waitFor()
        if (!words.startsWith("111")) await more.press("Enter")
      }
      await more.and(page.locator(":focus[aria-disabled=true]")).waitFor()
    }))

  test("a page of rows that failed to load is requested again", () =>
    withVisitor(async ({ page, goTo }) => {
      await page.route(`**/jobs/${jobId}?*`, (route) => route.fulfill(temporary[0]), { times: 1 })
      await goTo(`lists/${jobId}`)
      const results = page.locator(".panel").filter({ has: page.getByLabel("Address contains") })
      await results.getByRole("button", { name: "Try again" }).press("Enter")
      await page.getByText("25 shown").waitFor()
      await page.locator("h2:focus", { hasText: "Results" }).waitFor()
      expect(await page.getByRole("alert").count()).toBe(0)
    }))

  test("a list is still followed when the service is unavailable, and the problem is shown", () =>
    withVisitor(async ({ page, goTo }) => {
      let requests = 0
      await page.route("**/bulk/status/*", (route) => {
        const trouble = temporary[requests++]
        return trouble ? route.fulfill(trouble) : route.continue()
      })
      await goTo(`lists/${jobId}`)
      await page.getByRole("alert").getByText("Service unavailable").waitFor()
      await page.getByRole("alert").getByText("Too many requests", { exact: true }).waitFor()
      await page.getByText("Average score").waitFor()
      expect(await page.getByRole("alert").count()).toBe(0)
    }))

  test("a file that is too large is not sent", () =>
    withVisitor(async ({ page, goTo }) => {
      let sent = 0
      await page.route("**/bulk/preview", (route) => {
        sent++
        return route.fulfill({ status: 503, json: { detail: "it was sent" } })
      })
      await goTo("lists")
      const choose = page.locator("input[type=file]")
      // A file on disk: Playwright does not have to send 20 MB to the browser.
      const folder = mkdtempSync(join(tmpdir(), "mailverdict-large-"))
      const file = join(folder, "list.csv")
      writeFileSync(file, Buffer.alloc(TABLE_LIMITS.bytes + 100_000, "a@b.test\n"))
      await choose.setInputFiles(file)
      await page.getByRole("alert").getByText("too large (20.1 MB, at most 20 MB)").waitFor()
      expect(sent).toBe(0)
      writeFileSync(file, "a@b.test\n")
      await choose.setInputFiles(file)
      await page.getByRole("alert").getByText("It was sent").waitFor()
      rmSync(folder, { recursive: true })
    }))

  test("a running list shows what is left, its results so far, and until when it retries", () =>
    withVisitor(async ({ page, goTo }) => {
      const { body } = await call<{ jobs: Record<string, unknown>[] }>("GET", "/bulk/jobs", withKey(key))
      const [started_at, retry, until] = [-600_000, 360_000, 7_200_000].map((ms) =>
        new Date(Date.now() + ms).toISOString(),
      )
      const counted = {
        total: 85,
        progress: 82,
        summary: { valid: 41, unknown: 41 },
        pending: 3,
        estimated_seconds: 30,
        next_attempt_at: null as unknown,
        retries_until: null as unknown,
      }
      let job = { ...body.jobs[0], ...counted, status: "running", partial: true, completed_at: null, started_at }
      await page.route("**/bulk/status/*", (route) => route.fulfill({ json: job }))
      await page.route("**/events", (route) => route.abort())
      await goTo(`lists/${jobId}`)
      await page.getByText("82 of 85").waitFor()
      await page.getByText(/^about 30 s left$/).waitFor()
      // A share is of the results so far.
      await page
        .getByRole("listitem")
        .filter({ hasText: /^Valid4150\.0%$/ })
        .waitFor()
      await page.getByText("Average score").waitFor()
      await page.getByRole("region", { name: "Results" }).waitFor()
      job = { ...job, next_attempt_at: retry, retries_until: until }
      await page
        .getByText(/3 addresses deferred by their mail servers, next attempt .*, last one .* at the latest/)
        .waitFor()
    }))

  test("a download that is cut off shows a problem and can be retried", () =>
    withVisitor(async ({ page, goTo }) => {
      await goTo(`lists/${jobId}`)
      await page.getByText("25 shown").waitFor()
      await page.evaluate(`Response.prototype.blob = () => Promise.reject(new TypeError("network error"))`)
      await page.getByRole("button", { name: "Download CSV" }).click()
      await page.getByRole("alert").getByText("cut off").waitFor()
      await page.getByRole("button", { name: "Download CSV" }).waitFor()
    }))

  test("a stopped list can be resumed", () =>
    withVisitor(async ({ page, goTo }) => {
      const id = await submit(
        [1, 2, 3].map((i) => `stopped-${i}@tempfail.test`),
        true,
      )
      await goTo(`lists/${id}`)
      await page.getByRole("button", { name: "Stop the list" }).click()
      await page.getByText("The list was stopped with 3 not verified.").waitFor()
      // Nothing was verified, so there is no report.
      await page.getByRole("heading", { name: "Results" }).waitFor()
      await page.waitForLoadState("networkidle")
      expect(await page.getByText("Average score").count()).toBe(0)
      await page.getByRole("button", { name: "Verify the rest" }).click()
      await page.getByRole("button", { name: "Stop the list" }).waitFor()
      expect(page.url()).not.toContain(id)
      await page.getByRole("button", { name: "Stop the list" }).click()
      await page.getByRole("button", { name: "Verify the rest" }).waitFor()
    }))

  test("lists have pages, and each list is identifiable", () =>
    withVisitor(async ({ page, goTo }) => {
      const { body } = await call<{ jobs: { job_id: string }[] }>("GET", "/bulk/jobs", withKey(key))
      const [job] = body.jobs
      await page.route("**/bulk/jobs?*", (route) => {
        const isFirst = !route.request().url().includes("cursor=")
        const name = isFirst ? "new" : "old"
        const jobs = [
          { ...job, job_id: `job_${name}`, file_name: `${name}.csv` },
          { ...job, job_id: `job_${name}_by_api`, file_name: null, submitted_at: "2026-11-26T16:28:00Z" },
        ]
        return route.fulfill({ json: { jobs, next_cursor: isFirst ? "1.job_new" : null } })
      })
      await goTo("lists")
      await page.getByRole("link", { name: "new.csv" }).waitFor()
      const older = page.getByRole("button", { name: "Older" })
      await older.focus()
      await page.keyboard.press("Enter")
      await page.getByRole("link", { name: "old.csv" }).waitFor()
      const nameless = page.getByRole("link", { name: /^List of Nov \d+, \d+:28/ })
      expect(await nameless.getAttribute("href")).toBe("#/lists/job_old_by_api")
      await page.getByText("Page 2").waitFor()
      await older.and(page.locator(":focus")).waitFor()
      await page.getByRole("button", { name: "Newer" }).click()
      await page.getByRole("link", { name: "new.csv" }).waitFor()
    }))

  test("a file dropped outside the zone does not leave the page", () =>
    withVisitor(async ({ page, goTo }) => {
      await goTo("lists")
      await page.getByText("Recent lists").waitFor()
      const drop = `document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true }))`
      expect(await page.evaluate(drop)).toBe(false)
    }))

  test("the monthly limit shows its wait in days, and one address is singular", () =>
    withVisitor(async ({ page, goTo }) => {
      const month = {
        status: 429,
        headers: { "retry-after": "755844" },
        json: { detail: "too many; retry in 755844 seconds" },
      }
      await page.route("**/bulk/upload?*", (route) => route.fulfill(month))
      await goTo("lists")
      const file = { name: "list.csv", mimeType: "text/csv", buffer: Buffer.from("email\na@mailbox.test") }
      await page.locator("input[type=file]").setInputFiles(file)
      await page.getByRole("button", { name: "Verify the list" }).click()
      await page.getByRole("alert").getByText("retry in 755844 seconds (8 days)").waitFor()
      const id = await submit(["one@mailbox.test"], false)
      await waitForJobEnd(id, { "x-api-key": key.secret })
      await goTo(`lists/${id}`)
      await page.getByText("1 address, submitted").waitFor()
      await page.getByRole("heading", { name: /^List of / }).waitFor()
    }))

  test("the list page waits for a slow response before the next request, and continues after a failure", () =>
    withVisitor(async ({ page, goTo }) => {
      await page.clock.install()
      const { body } = await call<{ jobs: object[] }>("GET", "/bulk/jobs", withKey(key))
      const running = { ...body.jobs[0], status: "running", completed_at: null }
      let requests = 0
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route("**/bulk/jobs?*", async (route) => {
        requests++
        if (requests === 1) return route.fulfill({ json: { jobs: [running], next_cursor: null } })
        if (requests > 2) return route.continue()
        await held
        await route.fulfill(temporary[0]).catch(() => {})
      })
      await goTo("lists")
      await page.getByRole("table").getByText("Running").waitFor()
      for (let i = 0; i < 5; i++) await page.clock.runFor(4_000)
      await expect.poll(() => requests).toBe(2)
      release()
      await page.getByRole("alert").getByText("Service unavailable").waitFor()
      await page.clock.runFor(4_000)
      await page.getByRole("table").getByText("Done", { exact: true }).first().waitFor()
      expect(await page.getByRole("alert").count()).toBe(0)
    }))
})
