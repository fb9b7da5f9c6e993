import { gzipSync } from "node:zlib"
import { describe, expect, inject, test } from "vitest"
import { newKey } from "../../support/stack/account.ts"
import { describeInBrowser, expectAccessible } from "../../support/stack/browser.ts"

const FIRST_VIEW_BYTES = 60_000

describe("the first load", () => {
  const get = async (path: string) => fetch(`${inject("stackUrl")}${path}`)

  test("the page has no inline script or style, and its files are cached forever", async () => {
    const page = await get("/console/")
    const html = await page.text()
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'self'/)
    expect(page.headers.get("content-security-policy")).not.toContain("unsafe")
    expect(page.headers.get("cache-control")).toBe("no-cache")
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/)
    for (const [, path] of html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g))
      expect((await get(path!)).headers.get("cache-control")).toContain("immutable")
  })

  test("it is a production build, even when NODE_ENV is test", async () => {
    const html = await (await get("/console/")).text()
    const scripts = [...html.matchAll(/src="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(scripts).toHaveLength(1)
    expect(await (await get(scripts[0]!)).text()).not.toContain(".tsx")
  })

  test.each([
    ["/", "/console/"],
    ["/console", "/console/"],
    ["/docs/", "/docs"],
  ])("%s redirects to %s", async (from, to) => {
    const answer = await fetch(`${inject("stackUrl")}${from}`, { redirect: "manual" })
    expect([answer.status, answer.headers.get("location")]).toEqual([302, to])
  })

  test("a missing file returns 404", async () => {
    expect((await get("/console/assets/none.js")).status).toBe(404)
  })
})

describeInBrowser("loading", ({ withVisitor }) => {
  test("the first view takes less than 60 KB compressed, and further pages are loaded when opened", async () => {
    await withVisitor({ apiKey: (await newKey()).secret }, async ({ page, goTo }) => {
      const sizes = new Map<string, Promise<number>>()
      page.on("response", (response) => {
        const path = new URL(response.url()).pathname
        if (path.startsWith("/console/"))
          sizes.set(
            path,
            response.body().then((body) => gzipSync(body).length),
          )
      })
      await goTo("")
      await page.getByText("Three things to try").waitFor()
      const total = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0)
      expect(total).toBeLessThan(FIRST_VIEW_BYTES)
      const before = sizes.size
      expect(before).toBeGreaterThanOrEqual(3)
      await goTo("keys")
      await page.getByText("Keys of your account").waitFor()
      expect(sizes.size).toBeGreaterThan(before)
      await page.route("**/webhooks-page*", (route) => route.fulfill({ status: 404 }))
      await goTo("webhooks")
      await page.getByText("This page could not be loaded").waitFor()
      await expectAccessible(page)
      await Promise.all(sizes.values())
    })
  })
})
