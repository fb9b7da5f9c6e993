import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, type TestOptions } from "vitest"
import { CHROMIUM } from "./chromium.ts"

/** Folder of the screenshots. */
export const SCREENSHOTS = join(tmpdir(), "mailverdict-console")

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** A visitor with a separate browser profile, and the errors in it. */
export interface Visitor {
  readonly page: Page
  /** Script errors, console errors and requests to other hosts. */
  readonly troubles: string[]
  /**
   * Opens a page of the console, such as `lists/job_1`, and waits until it has loaded.
   * @param options.isLoading the test delays an answer, so that only the title of the page is waited for
   */
  goTo(hash: string, options?: { isLoading?: boolean }): Promise<void>
  /** Enters an API key on the sign-in page and waits for the lists of its account. */
  signInBy(apiKey: string): Promise<void>
  leave(): Promise<void>
}

export interface VisitorOptions extends BrowserContextOptions {
  readonly apiKey?: string
  /** The URL of another stack. */
  readonly home?: string
  /** The URLs on other hosts that the scenario opens on purpose. */
  readonly elsewhere?: RegExp
}

interface BrowserTools {
  /** The browser of the suite, once it has started. */
  readonly browser: () => Browser
  /** Opens a profile. A test that calls this leaves by itself. */
  readonly visit: (options?: VisitorOptions) => Promise<Visitor>
  /** Runs a scenario in a profile of its own, and fails on any trouble in it. */
  readonly withVisitor: (options: VisitorOptions, scenario: (visitor: Visitor) => Promise<void>) => Promise<void>
}

/** A suite with a browser: started before its tests, closed after them. Without a browser it has no tests. */
export function describeInBrowser(name: string, suite: (tools: BrowserTools) => void, options: TestOptions = {}): void {
  describe.each(CHROMIUM ? [CHROMIUM] : [])(`${name}, with %s`, options, (executablePath) => {
    let browser: Browser
    beforeAll(async () => {
      mkdirSync(SCREENSHOTS, { recursive: true })
      // The sandbox of the browser needs rights that root in a container does not have.
      browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
    })
    afterAll(async () => {
      await Promise.all(browser.contexts().map(closeContext))
      await browser.close()
    })
    suite({
      browser: () => browser,
      visit: (options) => visit(browser, options),
      async withVisitor(options, scenario) {
        const visitor = await visit(browser, options)
        try {
          await scenario(visitor)
        } catch (error) {
          throw await withScreenshot(error as Error, visitor.page)
        } finally {
          await visitor.leave()
        }
        expect(visitor.troubles).toEqual([])
      },
    })
  })
}

const SNAPSHOT_LINES = 40

/** Adds to an error what the page showed at that moment: its texts, and the file of a picture. */
async function withScreenshot(error: Error, page: Page): Promise<Error> {
  const file = `failed-${crypto.randomUUID().slice(0, 8)}`
  // The page may be gone.
  const texts = await page
    .locator("main, body:not(:has(main))")
    .first()
    .ariaSnapshot({ timeout: 1_000 })
    .catch(() => "")
  await saveScreenshot(page, file).catch(() => undefined)
  const shown = texts.split("\n").slice(0, SNAPSHOT_LINES).join("\n")
  error.message += `\nThe page at that moment (${join(SCREENSHOTS, file)}.png):\n${shown}`
  return error
}

/** A route that still fetches would be rejected after its test, which ends the whole run. */
async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: "ignoreErrors" })))
  await context.close()
}

async function visit(browser: Browser, options: VisitorOptions = {}): Promise<Visitor> {
  const { apiKey, home = inject("stackUrl"), elsewhere, ...rest } = options
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    // A separate network for each visitor: limits per network also count the requests of other suites.
    extraHTTPHeaders: { "x-real-ip": `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}` },
    ...rest,
  })
  const page = await context.newPage()
  // Shorter than the limit of a test, so that a failure names the step that waits.
  page.setDefaultTimeout(100_000)
  const troubles: string[] = []
  page.on("pageerror", ({ message }) => troubles.push(message))
  page.on("console", (line) => {
    // The browser logs this line for every answer that is not a success.
    if (line.type() === "error" && !line.text().startsWith("Failed to load resource")) troubles.push(line.text())
  })
  page.on("request", (request) => {
    const url = request.url()
    if (!/^(blob|data):/.test(url) && !url.startsWith(`${home}/`) && !elsewhere?.test(url)) troubles.push(url)
  })
  if (apiKey) await page.addInitScript(`sessionStorage.setItem("mailverdict.api-key", ${JSON.stringify(apiKey)})`)
  const goTo = async (hash: string, { isLoading = false } = {}) => {
    // Navigates within the console: the console asks to confirm what an external link requests.
    if (!page.url().startsWith(`${home}/console/`)) await page.goto(`${home}/console/`)
    await page.goto(`${home}/console/#/${hash}`)
    await page.locator("h1").waitFor()
    // What has loaded moves what is below it, also between the press and the release of a click there.
    if (!isLoading) await page.locator("body:not(:has(.skeleton))").waitFor()
  }
  return {
    page,
    troubles,
    goTo,
    async signInBy(key) {
      await goTo("sign-in")
      await page.getByLabel("API key").fill(key)
      await page.getByRole("button", { name: "Use the key" }).click()
      await page.getByText("No lists yet").waitFor()
    },
    leave: () => closeContext(context),
  }
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** Fails on serious and critical axe violations. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  const run = 'axe.run(document, { resultTypes: ["violations"], selectors: false })'
  const { violations } = (await page.evaluate(run)) as { violations: Violation[] }
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("  ")}`)).toEqual([])
}

/** Fails when the page is wider than the window. */
export async function expectToFit(page: Page): Promise<void> {
  const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
  expect(await page.evaluate(beyond)).toBeLessThanOrEqual(0)
}

export async function saveScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}
