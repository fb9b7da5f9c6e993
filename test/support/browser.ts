import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { expect, inject } from "vitest"

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
/** The browser of the machine; scripts/ci-install.sh brings Debian's. */
export const CHROMIUM = [process.env.CHROMIUM_PATH ?? "", ...PATHS].find((path) => path !== "" && existsSync(path))

/** Where screenshots are left to be looked at. */
export const SCREENSHOTS = join(tmpdir(), "mailverdict-console")

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

export async function startBrowser(path: string): Promise<Browser> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  // Its sandbox wants rights that a container's root does not have.
  return chromium.launch({ executablePath: path, args: ["--no-sandbox"] })
}

/** A visitor with a browser profile of their own, and what went wrong in it. */
export interface Visitor {
  readonly page: Page
  /** Errors of scripts and of the console, and requests to other hosts. */
  readonly troubles: string[]
  /** Shows a page of the console: `lists/job_1`. */
  goTo(hash: string): Promise<void>
  /** Enters an API key on the sign-in page, and comes to the lists of its account. */
  signInBy(apiKey: string): Promise<void>
  leave(): Promise<void>
}

export async function visit(
  browser: Browser,
  options: BrowserContextOptions & { apiKey?: string } = {},
): Promise<Visitor> {
  const { apiKey, ...rest } = options
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    // From a network of their own: what is counted by network is counted for other suites too.
    extraHTTPHeaders: { "x-real-ip": `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}` },
    ...rest,
  })
  const page = await context.newPage()
  const home = inject("stackUrl")
  const troubles: string[] = []
  page.on("pageerror", ({ message }) => troubles.push(message))
  page.on("console", (line) => {
    // The browser says so of every answer that is not a success.
    if (line.type() === "error" && !line.text().startsWith("Failed to load resource")) troubles.push(line.text())
  })
  page.on("request", (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(`${home}/`)) troubles.push(request.url())
  })
  if (apiKey) await page.addInitScript(`sessionStorage.setItem("mailverdict.api-key", ${JSON.stringify(apiKey)})`)
  const goTo = async (hash: string) => {
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
    leave: () => context.close(),
  }
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** Holds a page to axe: nothing serious, nothing critical. @param runOnly the rules that count; all when left out */
export async function expectAccessible(page: Page, runOnly?: readonly string[]): Promise<void> {
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly })
  const run = `(() => { ${AXE}; return axe.run(document, ${options}) })()`
  const { violations } = (await page.evaluate(run)) as { violations: Violation[] }
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("  ")}`)).toEqual([])
}

/** Nothing sticks out of the window. */
export async function expectToFit(page: Page): Promise<void> {
  const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
  expect(await page.evaluate(beyond)).toBeLessThanOrEqual(0)
}

export async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}
