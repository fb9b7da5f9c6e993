import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { learnedStats } from "../../support/deps/learned-stats.ts"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  saveScreenshot,
  type Visitor,
} from "../../support/stack/browser.ts"
import { CUSTOMER_PAGES, examine } from "../../support/stack/console-pages.ts"
import { waitForJobEnd } from "../../support/stack/jobs.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

/** Pages without a suite of their own. test/browser/pages.test.ts opens all of them in the light scheme. */
const LOOKED_AT = CUSTOMER_PAGES.filter(([path]) =>
  /^(|sign-in|lists|keys|usage|suppression|webhooks|operator|fleet|model)$/.test(path),
)

describeInBrowser("pages", ({ visit, withVisitor }) => {
  let key: TestKey
  let jobId = ""
  beforeAll(async () => {
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

  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    let visitor: Visitor
    beforeAll(async () => {
      visitor = await visit({ ...options, apiKey: key.secret })
      await visitor.page.route("**/ml/stats/v2", (route) => route.fulfill({ json: learnedStats() }))
    })
    afterAll(() => visitor.leave())

    async function look(path: string, { name, text }: { name: string; text: string }) {
      await examine(visitor, { path, text, picture: `${name}-${variant}` })
      expect(visitor.troubles).toEqual([])
    }

    test.each(LOOKED_AT)("#/%s is accessible and fits", (hash, text) => look(hash, { name: hash || "verify", text }))

    test("a verdict is accessible and fits", async () => {
      await look("?email=anyone%40catch-all.test", { name: "verdict", text: "SMTP conversation" })
      for (const fold of ["Evidence", "SMTP conversation", "JSON"])
        await visitor.page.getByRole("heading", { name: fold, exact: true }).click()
      await expectAccessible(visitor.page)
    })

    test("a finished list is accessible and fits", async () => {
      await look(`lists/${jobId}`, { name: "list", text: "2 of 2 shown" })
      await visitor.page.locator(".u-over").first().waitFor()
    })
  })

  test("on a phone the menu opens, and closes after navigation", async () => {
    await withVisitor(VARIANTS.phone, async ({ page, goTo }) => {
      await goTo("")
      const link = page.getByRole("link", { name: "Suppression" })
      expect(await link.isVisible()).toBe(false)
      await page.getByRole("button", { name: "Menu" }).click()
      await expectAccessible(page)
      await saveScreenshot(page, "menu-phone")
      await link.click()
      await page.getByRole("heading", { name: "Suppression", level: 1 }).waitFor()
      expect(await link.isVisible()).toBe(false)
    })
  })

  test("a table that scrolls has a shadow and is focusable from its first render", async () => {
    // The narrowest window that shows the rows side by side: on a phone each row is a block, and nothing scrolls.
    const options = { viewport: { width: 530, height: 844 }, apiKey: key.secret }
    await withVisitor(options, async ({ page, goTo }) => {
      await page.addInitScript(`
      window.drawn = new Map()
      // Sizes are known after a layout, which may follow the change later: a style sheet can be on its way. The next
      // frame shows what was painted, after every other observer of sizes.
      const sizes = new ResizeObserver(() => requestAnimationFrame(() => {
        for (const box of document.querySelectorAll(".table-box"))
          if (box.scrollWidth > box.clientWidth && !drawn.has(box)) drawn.set(box, box.tabIndex)
      }))
      new MutationObserver(() => {
        for (const part of document.querySelectorAll(".table-box, .table-box > *")) sizes.observe(part)
      }).observe(document, { childList: true, subtree: true })`)
      await goTo("webhooks")
      await page.getByText("job.completed").first().waitFor()
      await expect.poll(() => page.evaluate("drawn.size")).toBeGreaterThan(0)
      const seen = "[...drawn].map(([box, tab]) => tab === 0 && getComputedStyle(box).boxShadow !== 'none')"
      expect(new Set((await page.evaluate(seen)) as boolean[])).toEqual(new Set([true]))
    })
  })

  test("a link followed at once after the first render opens its page", async () => {
    await withVisitor({ apiKey: key.secret }, async ({ page }) => {
      await page.addInitScript(`new MutationObserver((changes, observer) => {
      if (!document.querySelector("#console > *")) return
      observer.disconnect()
      location.hash = "#/lists"
    }).observe(document, { childList: true, subtree: true })`)
      await page.goto(`${inject("stackUrl")}/console/`)
      await page.getByText("Credits used").waitFor()
    })
  })

  test("long names fit on a phone, and a chart whose script is missing shows its table", async () => {
    await withVisitor({ ...VARIANTS.phone, apiKey: key.secret }, async ({ page, goTo }) => {
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
    })
  })

  test("a larger browser font size scales the text, and nothing is cut off", async () => {
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
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
    })
  })

  test("forced colors do not replace colors that carry meaning", async () => {
    await withVisitor({ apiKey: key.secret, forcedColors: "active" }, async ({ page, goTo }) => {
      await goTo("lists")
      const parts = ".bar > .tone-valid, .bar > .tone-invalid"
      await page.locator(parts).first().waitFor()
      const all = `Array.from(document.querySelectorAll("${parts}"), (one) => getComputedStyle(one).backgroundColor)`
      const colors = (await page.evaluate(all)) as string[]
      const canvas = await page.evaluate("getComputedStyle(document.body).backgroundColor")
      expect(new Set([...colors, canvas]).size).toBe(3)
    })
  })

  test("the chosen theme persists and applies to the reference", async () => {
    await withVisitor({}, async ({ page, goTo }) => {
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
    })
  })
})

describeInBrowser("missing access or data", ({ withVisitor }) => {
  test.each(["lists", "usage", "suppression", "webhooks", "lists/job_0123456789abcdef01234567"])(
    "#/%s requires a sign-in",
    async (hash) => {
      await withVisitor({}, async ({ page, goTo }) => {
        await goTo(hash)
        await page.getByText("Sign in to see this").first().waitFor()
        await expectAccessible(page)
      })
    },
  )

  test("an unknown job, an unknown page, no connection and a wrong key show different problems", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
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
    })
  })
})
