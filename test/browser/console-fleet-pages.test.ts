import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  expectAccessible,
  expectToFit,
  saveScreenshot,
  startBrowser,
  type Visitor,
  visit,
} from "../support/stack/browser.ts"
import { CHROMIUM } from "../support/stack/chromium.ts"
import { type LocalFleet, startLocalFleet } from "../support/stack/local-fleet.ts"
import { LOOKS } from "../support/stack/variants.ts"

describe.each(CHROMIUM ? [CHROMIUM] : [])("the pages of the fleet, with %s", (path) => {
  let browser: Browser
  let fleet: LocalFleet
  beforeAll(async () => {
    browser = await startBrowser(path)
    fleet = await startLocalFleet()
    await fleet.startNode({ id: "first", sourceIp: "127.0.0.1", region: "eu" })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await fleet.stop()
  })

  async function asOperator(options: object, scenario: (visitor: Visitor) => Promise<void>) {
    const visitor = await visit(browser, { ...options, home: fleet.stack.url })
    await visitor.goTo("operator")
    await visitor.page.getByLabel("Admin secret").fill(fleet.stack.secrets.adminSecret)
    await visitor.page.getByRole("button", { name: "Use it" }).click()
    await visitor.page.getByRole("link", { name: "Fleet", exact: true }).first().waitFor({ state: "attached" })
    await scenario(visitor).finally(() => visitor.leave())
    expect(visitor.troubles).toEqual([])
  }

  test("a node is added: names, commands with a token, and its arrival", { timeout: 60_000 }, () =>
    asOperator({}, async ({ page, goTo }) => {
      await goTo("fleet")
      await page.getByRole("button", { name: "Add a node" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name", { exact: true }).fill("joined")
      await dialog.getByLabel("Region").fill("us")
      await dialog.getByLabel("Host name").fill("probe1.mailverdict.test")
      await dialog.getByLabel("Sender address").fill("probe@mailverdict.test")
      await saveScreenshot(page, "fleet-add-node")
      await dialog.getByRole("button", { name: "Show the commands" }).click()
      await dialog.getByText("Waiting for joined to enroll").waitFor()
      await expectAccessible(page)
      await saveScreenshot(page, "fleet-add-node-commands")
      const command = (await dialog.locator("code").allTextContents()).find((text) => text.includes("--token"))!
      expect(command).toContain(`--edge ${fleet.stack.url} --token mvn_`)

      // The command as it is shown, but for what this machine lacks: the built bundle and a public host.
      const folder = mkdtempSync(join(tmpdir(), "mailverdict-add-node-"))
      const words = command.split(" ").slice(3)
      const url = words.indexOf("--url")
      const local = words.with(url + 1, "http://127.0.0.1:9")
      const settings = ["--settings", join(folder, "probe.env")]
      await promisify(execFile)(process.execPath, ["probe-node/main.ts", "enrol", ...settings, ...local])
      rmSync(folder, { recursive: true })
      await dialog.getByText("joined has enrolled.").waitFor()
      await dialog.getByRole("button", { name: "Close" }).click()
      await page.getByRole("article").filter({ hasText: "joined" }).getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByRole("article").filter({ hasText: "joined" }).waitFor({ state: "detached" })
    }),
  )

  test.each(LOOKS)("source addresses, pools and sender domains: %s", (name, look) =>
    asOperator(look, async ({ page, goTo }) => {
      await goTo("fleet")
      await page.getByRole("article").filter({ hasText: "first" }).waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `fleet ${name}`)
      await page.getByRole("navigation", { name: "Fleet" }).getByRole("link", { name: "Source addresses" }).click()
      await page.getByRole("region", { name: "Source addresses" }).getByText("127.0.0.1").waitFor()
      await page.getByLabel("Address", { exact: true }).fill("10.0.0.1")
      await page.getByRole("button", { name: "Register" }).click()
      await page
        .getByRole("alert")
        .getByText(/Address/)
        .waitFor()
      await page.getByLabel("Address", { exact: true }).fill("8.8.4.4")
      await page.getByLabel("Pool", { exact: true }).fill("warm")
      await page.getByRole("button", { name: "Register" }).click()
      await page.getByRole("region", { name: "Pools" }).getByText("warm").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `fleet-addresses ${name}`)

      await page.getByRole("navigation", { name: "Fleet" }).getByRole("link", { name: "Sender domains" }).click()
      await page.getByLabel("Domain").fill("mailverdict.test")
      await page.getByRole("button", { name: "Register" }).click()
      await page.getByRole("heading", { name: "mailverdict.test" }).waitFor()
      await page.getByText("SPF", { exact: true }).first().waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `fleet-domains ${name}`)
    }),
  )

  test.each(LOOKS)("a canary is added, watched and removed: %s", (name, look) =>
    asOperator(look, async ({ page, goTo }) => {
      await goTo("fleet/canaries")
      await page.getByText("No canaries yet").waitFor()
      await page.getByLabel("Existing address").fill("alice@mailbox.test")
      await page.getByLabel("Missing address").fill("nobody@another.test")
      await page.getByRole("button", { name: "Add", exact: true }).click()
      await page.getByRole("alert").waitFor()
      await page.getByLabel("Missing address").fill("nobody@mailbox.test")
      await page.getByRole("button", { name: "Add", exact: true }).click()
      await page.getByRole("heading", { name: "mx.mailbox.test" }).waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `fleet-canaries ${name}`)
      await page.getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog").getByText("Source addresses that it excluded are used again").waitFor()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByText("No canaries yet").waitFor()
    }),
  )
})
