import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { expect, inject } from "vitest"

/** Folder of the screenshots. */
export const SCREENSHOTS = join(tmpdir(), "mailverdict-console")

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

export async function startBrowser(path: string): Promise<Browser> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  // The sandbox of the browser needs rights that root in a container does not have.
  return chromium.launch({ executablePath: path, args: ["--no-sandbox"] })
}

/** A visitor with a separate browser profile, and the errors in it. */
export interface Visitor {
  readonly page: Page
  /** Script errors, console errors and requests to other hosts. */
  readonly troubles: string[]
  /** Opens a page of the console, such as `lists/job_1`. */
  goTo(hash: string): Promise<void>
  /** Enters an API key on the sign-in page and waits for the lists of its account. */
  signInBy(apiKey: string): Promise<void>
  leave(): Promise<void>
}

/** @param options with the URL of another stack as `home` */
export async function visit(
  browser: Browser,
  options: BrowserContextOptions & { apiKey?: string; home?: string } = {},
): Promise<Visitor> {
  const { apiKey, home = inject("stackUrl"), ...rest } = options
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    // A separate network for each visitor: limits per network also count the requests of other suites.
    extraHTTPHeaders: { "x-real-ip": `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}` },
    ...rest,
  })
  const page = await context.newPage()
  // Shorter than the limit of a test, so that a failure names the step that waits.
  page.setDefaultTimeout(15_000)
  const troubles: string[] = []
  page.on("pageerror", ({ message }) => troubles.push(message))
  page.on("console", (line) => {
    // The browser logs this line for every answer that is not a success.
    if (line.type() === "error" && !line.text().startsWith("Failed to load resource")) troubles.push(line.text())
  })
  page.on("request", (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(`${home}/`)) troubles.push(request.url())
  })
  if (apiKey) await page.addInitScript(`sessionStorage.setItem("mailverdict.api-key", ${JSON.stringify(apiKey)})`)
  const goTo = async (hash: string) => {
    // Navigates within the console: the console asks to confirm what an external link requests.
    if (!page.url().startsWith(`${home}/console/`)) await page.goto(`${home}/console/`)
    await page.goto(`${home}/console/#/${hash}`)
    await page.locator("h1").waitFor()
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
    async leave() {
      // A route that still fetches would be rejected after its test, which ends the whole run.
      await Promise.all(context.pages().map((one) => one.unrouteAll({ behavior: "ignoreErrors" })))
      await context.close()
    },
  }
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** Fails on serious and critical axe violations. @param exclude selectors of what is not ours to mend */
export async function expectAccessible(page: Page, exclude: readonly string[] = []): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  const run = `axe.run(${JSON.stringify({ exclude })}, { resultTypes: ["violations"], selectors: false })`
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
