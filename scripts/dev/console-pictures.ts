import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { type Stack, startStack } from "./stack.ts"

/**
 * Takes the pictures of the console for the README and docs/console.md, in light and in dark colors, from a service of
 * its own. `CHROMIUM_PATH` names another browser than Debian's.
 */
const FOLDER = "docs/images"
/** Its mail server refuses our IP: the console explains why that says nothing about the mailbox. */
const ADDRESS = "alice@client-refused.test"
const LIST = ["alice", "support", "nobody", "full", "alice+news"].map((name) => `${name}@mailbox.test`)
const VIEWPORT = { width: 1120, height: 780 }
/** A picture above this size slows its page down. */
const MAX_BYTES = 200_000

const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-picture-"))
try {
  const stack = await startStack({
    port: 0,
    dataDir,
    sandbox: true,
    settings: {},
    build: true,
    onLog: () => undefined,
    onStep: (step) => console.log(`... ${step}`),
  })
  await takePictures(stack).finally(() => stack.stop())
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function takePictures({ url, secrets }: Stack): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium-headless-shell"
  // Chromium's sandbox needs rights that a container's root does not have.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, reducedMotion: "reduce" })
    await page.goto(`${url}/console/`)
    await verifyAddress(page)
    await take(page, "console")
    await signIn(page, url)
    await verifyList(page)
    await take(page, "list")
    await openNode(page, secrets.adminSecret)
    await take(page, "node")
  } finally {
    await browser.close()
  }
}

async function verifyAddress(page: Page): Promise<void> {
  const field = page.getByRole("textbox").first()
  await field.fill(ADDRESS)
  await field.press("Enter")
  await page.locator(".verdict", { hasText: ADDRESS }).waitFor()
  // Without the focus there is no blinking cursor, so two runs look the same.
  await field.blur()
}

async function signIn(page: Page, url: string): Promise<void> {
  const json = JSON.stringify({ name: "picture", owner_email: "someone@inbox.test" })
  const made = await fetch(`${url}/keys`, {
    method: "POST",
    body: json,
    headers: { "content-type": "application/json" },
  })
  const { api_key } = (await made.json()) as { api_key: string }
  await page.getByRole("link", { name: "Sign in", exact: true }).click()
  await page.getByLabel("API key").fill(api_key)
  await page.getByRole("button", { name: "Use the key" }).click()
}

async function verifyList(page: Page): Promise<void> {
  const csv = ["Email", ...LIST].join("\n")
  const file = { name: "customers.csv", mimeType: "text/csv", buffer: Buffer.from(csv) }
  await page.locator('input[type="file"]').first().setInputFiles(file)
  await page.getByRole("button", { name: "Verify the list" }).click()
  await page.getByRole("heading", { name: "customers.csv" }).waitFor()
  await page.getByRole("button", { name: /^Download CSV/ }).waitFor()
}

async function openNode(page: Page, adminSecret: string): Promise<void> {
  await page.getByRole("link", { name: "Operator", exact: true }).click()
  await page.getByLabel("Admin secret").fill(adminSecret)
  await page.getByRole("button", { name: "Use it" }).click()
  await page.getByRole("link", { name: "Fleet", exact: true }).first().click()
  await page.getByRole("link", { name: "local-1" }).click()
  await page.getByRole("heading", { name: "Self-check" }).waitFor()
}

async function take(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    const path = join(FOLDER, `${name}-${colorScheme}.png`)
    await page.screenshot({ path })
    const { size } = statSync(path)
    console.log(`${path}: ${Math.ceil(size / 1000)} KB`)
    if (size > MAX_BYTES) throw new Error(`${path}: ${size} bytes, at most ${MAX_BYTES}`)
  }
}
