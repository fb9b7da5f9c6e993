import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { startStack } from "./stack.ts"

/**
 * Takes the README's two pictures of the console, in light and in dark colors, from a service of its own.
 * `CHROMIUM_PATH` names another browser than Debian's.
 */
const FOLDER = "docs/images"
const ADDRESS = "alice@mailbox.test"
const VIEWPORT = { width: 1120, height: 700 }
/** A picture above this size slows the README down. */
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
  await takePictures(stack.url).finally(() => stack.stop())
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function takePictures(url: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium"
  // Chromium's sandbox needs rights that a container's root does not have.
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, reducedMotion: "reduce" })
    await page.goto(`${url}/console/`)
    const field = page.getByRole("textbox").first()
    await field.fill(ADDRESS)
    await field.press("Enter")
    await page.locator(".verdict", { hasText: ADDRESS }).waitFor()
    // Without the focus there is no blinking cursor, so two runs look the same.
    await field.blur()
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      const path = join(FOLDER, `console-${colorScheme}.png`)
      await page.screenshot({ path })
      const { size } = statSync(path)
      console.log(`${path}: ${Math.ceil(size / 1000)} KB`)
      if (size > MAX_BYTES) throw new Error(`${path}: ${size} bytes, at most ${MAX_BYTES}`)
    }
  } finally {
    await browser.close()
  }
}
