import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { learnedStats } from "../support/deps/learned-stats.ts"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import {
  expectAccessible,
  expectToFit,
  saveScreenshot,
  startBrowser,
  type Visitor,
  visit,
} from "../support/stack/browser.ts"
import { CHROMIUM } from "../support/stack/chromium.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"
import { VARIANTS } from "../support/stack/variants.ts"

/** [page, text that shows it is loaded] */
const PAGES = [
  ["", "Three things to try"],
  ["sign-in", "Mail me a link"],
  ["lists", "Credits used"],
  ["keys", "Keys of your account"],
  ["usage", "By API key"],
  ["suppression", "On the list"],
  ["webhooks", "job.completed"],
  ["operator", "Do you run this service?"],
  ["fleet", "Service"],
  ["model", "Calibration"],
] as const

describe.each(CHROMIUM ? [CHROMIUM] : [])("pages with %s", (path) => {
  let browser: Browser
  let key: TestKey
  let jobId = ""
  beforeAll(async () => {
    browser = await startBrowser(path)
    key = await newKey()
    const body = {
      emails: ["alice@mailbox.test", "nobody@mailbox.test"],
      webhook_url: `${inject("providerUrls").hooks}/ok`,
    }
    const submitted = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson(body)))
    jobId = submitted.body.job_id
    const suppressed = { email: "gone@mailbox.test", reason: "unsubscribe" }
    await call("POST", "/suppression/add", withKey(key, postJson(suppressed)))
    await call("GET", "/validate", withKey(key, { at: "/validate?email=alice@mailbox.test" }))
    await waitForJobEnd(jobId, { "x-api-key": key.secret })
  })
  afterAll(() => browser.close())

  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    let visitor: Visitor
    beforeAll(async () => {
      visitor = await visit(browser, { ...options, apiKey: key.secret })
      await visitor.page.route("**/ml/stats/v2", (route) => route.fulfill({ json: learnedStats() }))
    })
    afterAll(() => visitor.leave())

    async function examine(hash: string, { name, text }: { name: string; text: string }) {
      const { page, goTo, troubles } = visitor
      await goTo(hash)
      await page.locator("main").getByText(text).first().waitFor()
      await page.locator(".skeleton").first().waitFor({ state: "detached" })
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `${name}-${variant}`)
      expect(troubles).toEqual([])
    }

    test.each(PAGES)("#/%s is accessible and fits", (hash, text) => examine(hash, { name: hash || "verify", text }))

    test("a verdict is accessible and fits", async () => {
      await examine("?email=anyone%40catch-all.test", { name: "verdict", text: "SMTP conversation" })
      for (const fold of ["Evidence", "SMTP conversation", "JSON"])
        await visitor.page.getByRole("heading", { name: fold, exact: true }).click()
      await expectAccessible(visitor.page)
    })

    test("a finished list is accessible and fits", async () => {
      await examine(`lists/${jobId}`, { name: "list", text: "2 of 2 shown" })
      await visitor.page.locator(".u-over").first().waitFor()
    })
  })

  test("on a phone the menu opens, and closes after navigation", async () => {
    const { page, goTo, leave } = await visit(browser, VARIANTS.phone)
    await goTo("")
    const link = page.getByRole("link", { name: "Suppression" })
    expect(await link.isVisible()).toBe(false)
    await page.getByRole("button", { name: "Menu" }).click()
    await expectAccessible(page)
    await saveScreenshot(page, "menu-phone")
    await link.click()
    await page.getByRole("heading", { name: "Suppression", level: 1 }).waitFor()
    expect(await link.isVisible()).toBe(false)
    await leave()
  })

  test("a table that scrolls has a shadow and is focusable from its first render", async () => {
    const { page, goTo, leave } = await visit(browser, { ...VARIANTS.phone, apiKey: key.secret })
    await page.addInitScript(`
      window.drawn = new Map()
      new MutationObserver(() => {
        for (const box of document.querySelectorAll(".table-box"))
          if (box.scrollWidth > box.clientWidth && !drawn.has(box)) drawn.set(box, box.tabIndex)
      }).observe(document, { childList: true, subtree: true })`)
    await goTo("webhooks")
    await page.getByText("job.completed").first().waitFor()
    const seen = "[...drawn].map(([box, tab]) => tab === 0 && getComputedStyle(box).boxShadow !== 'none')"
    expect(new Set((await page.evaluate(seen)) as boolean[])).toEqual(new Set([true]))
    await leave()
  })

  test("a link followed at once after the first render opens its page", async () => {
    const { page, leave, troubles } = await visit(browser, { apiKey: key.secret })
    await page.addInitScript(`new MutationObserver((changes, observer) => {
      if (!document.querySelector("#console > *")) return
      observer.disconnect()
      location.hash = "#/lists"
    }).observe(document, { childList: true, subtree: true })`)
    await page.goto(`${inject("stackUrl")}/console/`)
    await page.getByText("Credits used").waitFor()
    expect(troubles).toEqual([])
    await leave()
  })

  test("long names fit on a phone, and a chart whose script is missing shows its table", async () => {
    const { page, goTo, leave, troubles } = await visit(browser, { ...VARIANTS.phone, apiKey: key.secret })
    const long = "x".repeat(63)
    const lengthen = (path: string, names: RegExp) =>
      page.route(path, async (route) => {
        const text = await (await route.fetch()).text()
        await route.fulfill({ body: text.replaceAll(names, `$&${long}`) })
      })
    await lengthen("**/regions/health", /"(region|version|detail)":"/g)
    await lengthen("**/me/stats", /"domain":"/g)
    await goTo("fleet")
    await page.getByText("No nodes of your own").waitFor()
    await expectToFit(page)
    await page.getByLabel("Admin secret").fill(inject("adminSecret"))
    await page.getByRole("button", { name: "Use it" }).click()
    await page.getByRole("cell", { name: long }).first().waitFor()
    await expectToFit(page)
    await page.route("**/uPlot*", (route) => route.fulfill({ status: 404 }))
    await page.reload()
    await goTo("usage")
    await page.getByText(long).first().waitFor()
    await page.getByRole("columnheader", { name: "Malformed" }).waitFor()
    await expectToFit(page)
    await lengthen("**/auth/me", /"email":"/g)
    await page.reload()
    await goTo("sign-in")
    await page.getByRole("status").getByText(long).waitFor()
    await expectToFit(page)
    await goTo("lists")
    const sizes = await page.getByRole("columnheader", { name: "State" }).boundingBox()
    expect(sizes!.x + sizes!.width).toBeLessThanOrEqual(VARIANTS.phone.viewport.width)
    expect(troubles).toEqual([])
    await leave()
  })

  test("a larger browser font size scales the text, and nothing is cut off", async () => {
    const { page, goTo, leave } = await visit(browser, { apiKey: key.secret })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32 } })
    for (const hash of ["lists", "?email=anyone%40catch-all.test"]) {
      await goTo(hash)
      await page.getByText(hash === "lists" ? "Credits used" : "SMTP conversation").waitFor()
      expect(await page.evaluate("getComputedStyle(document.body).fontSize")).toBe("30px")
      await expectToFit(page)
      const cut = ".side > *, .side a, .transcript .speaker"
      const isCut = "({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1"
      expect(await page.evaluate(`[...document.querySelectorAll("${cut}")].filter(${isCut}).length`)).toBe(0)
    }
    await leave()
  })

  test("forced colors do not replace colors that carry meaning", async () => {
    const { page, goTo, leave } = await visit(browser, { apiKey: key.secret, forcedColors: "active" })
    await goTo("lists")
    const parts = ".bar > .tone-valid, .bar > .tone-invalid"
    await page.locator(parts).first().waitFor()
    const all = `Array.from(document.querySelectorAll("${parts}"), (one) => getComputedStyle(one).backgroundColor)`
    const colors = (await page.evaluate(all)) as string[]
    const canvas = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    expect(new Set([...colors, canvas]).size).toBe(3)
    await leave()
  })

  test("the chosen theme persists and applies to the reference", async () => {
    const { page, goTo, leave } = await visit(browser)
    await goTo("")
    const background = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    const light = await background()
    await page.getByRole("button", { name: "Dark" }).click()
    const dark = await background()
    expect(dark).not.toBe(light)
    await page.reload()
    await page.locator("h1").waitFor()
    expect(await background()).toBe(dark)
    await page.getByRole("link", { name: "API reference" }).click()
    await page.waitForURL("**/docs")
    await page.locator("body.dark-mode").waitFor()
    await leave()
  })
})

describe.each(CHROMIUM ? [CHROMIUM] : [])("missing access or data, with %s", (path) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(path)
  })
  afterAll(() => browser.close())

  test.each(["lists", "usage", "suppression", "webhooks", "lists/job_0123456789abcdef01234567"])(
    "#/%s requires a sign-in",
    async (hash) => {
      const { page, goTo, troubles, leave } = await visit(browser)
      await goTo(hash)
      await page.getByText("Sign in to see this").first().waitFor()
      await expectAccessible(page)
      await leave()
      expect(troubles).toEqual([])
    },
  )

  test("an unknown job, an unknown page, no connection and a wrong key show different problems", async () => {
    const { secret } = await newKey()
    const { page, goTo, leave } = await visit(browser, { apiKey: secret })
    await goTo("lists/job_0123456789abcdef01234567")
    await page.getByRole("alert").getByText("Not found").waitFor()
    await goTo("nowhere")
    await page.getByText("Page not found").waitFor()
    await page.route("**/suppression/stats", (route) => route.abort())
    await goTo("suppression")
    await page.getByRole("alert").getByText("No connection").waitFor()
    await expectAccessible(page)
    await saveScreenshot(page, "no-connection")
    await page.unroute("**/suppression/stats")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("On the list").waitFor()
    await goTo("sign-in")
    await page.getByLabel("API key").fill("mv_live_wrong")
    await page.getByRole("button", { name: "Use the key" }).click()
    await page.getByRole("alert").waitFor()
    await leave()
  })
})
