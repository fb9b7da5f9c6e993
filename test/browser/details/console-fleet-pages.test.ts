import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { generateKeyPair } from "../../../schema/wire/keys.ts"
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  saveScreenshot,
  type Visitor,
} from "../../support/stack/browser.ts"
import { type LocalFleet, startLocalFleet } from "../../support/stack/local-fleet.ts"
import { LOOKS } from "../../support/stack/variants.ts"

describeInBrowser("the pages of the fleet", ({ withVisitor }) => {
  let fleet: LocalFleet
  beforeAll(async () => {
    fleet = await startLocalFleet()
    await fleet.startNode({ id: "first", sourceIp: "127.0.0.1", region: "eu" })
    await fleet.startNode({ id: "second", sourceIp: "127.0.0.2", region: "us" })
    await fleet.startNode({ id: "unfit", sourceIp: "127.0.0.1", region: "us", env: { PROBE_HELO: "mx.mailbox.test" } })
    const headers = { "x-admin-secret": fleet.stack.secrets.adminSecret }
    await fleet.call("POST", "/fleet/nodes/{node_id}/drain", { at: "/fleet/nodes/second/drain", headers })
  })
  afterAll(async () => {
    await fleet.stop()
  })

  const asOperator = (options: object, scenario: (visitor: Visitor) => Promise<void>) =>
    withVisitor({ ...options, home: fleet.stack.url }, async (visitor) => {
      await visitor.goTo("operator")
      await visitor.page.getByLabel("Admin secret").fill(fleet.stack.secrets.adminSecret)
      await visitor.page.getByRole("button", { name: "Use it" }).click()
      await visitor.page.getByRole("link", { name: "Fleet", exact: true }).first().waitFor({ state: "attached" })
      await scenario(visitor)
    })

  test("a node is added: names, commands with a token, and its arrival", () =>
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
      const command = (await dialog.locator("code").allTextContents()).find((text) => text.includes("--edge"))!
      expect(command).toContain(`--edge ${fleet.stack.url} --token-file - --id joined`)
      const token = (await dialog.locator("code").allTextContents()).find((text) => text.startsWith("mvn_"))!

      // The command as it is shown, but for what this machine lacks: the built bundle and a public host.
      const folder = mkdtempSync(join(tmpdir(), "mailverdict-add-node-"))
      const words = command.split(" ").slice(3)
      const url = words.indexOf("--url")
      const local = words.with(url + 1, "http://127.0.0.1:9")
      const settings = ["--settings", join(folder, "probe.env")]
      const enrolling = promisify(execFile)(process.execPath, ["probe-node/main.ts", "enrol", ...settings, ...local])
      enrolling.child.stdin?.end(`${token}\n`)
      await enrolling
      rmSync(folder, { recursive: true })
      await dialog.getByText("joined has enrolled.").waitFor()
      await dialog.getByRole("button", { name: "Close" }).click()
      await page.getByRole("link", { name: "joined" }).click()
      await page.getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog").getByText("To use it again, enroll it with a new token.").waitFor()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByRole("link", { name: "first" }).waitFor()
      expect(await page.getByRole("link", { name: "joined" }).count()).toBe(0)
    }))

  test.each(LOOKS)("a node is found by search and state, and its page says how it is: %s", (name, look) =>
    asOperator(look, async ({ page, goTo }) => {
      await goTo("fleet")
      const rows = page.getByRole("region", { name: "Nodes" }).getByRole("row")
      await rows.filter({ hasText: "first" }).getByText("127.0.0.1").waitFor()
      const check = async (step: string) => {
        await page.locator(".skeleton").first().waitFor({ state: "detached" })
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `${step} ${name}`)
      }
      await check("fleet")
      await page.getByLabel("Search").fill("127.0.0.2")
      await rows.filter({ hasText: "second" }).waitFor()
      expect(await rows.filter({ hasText: "first" }).count()).toBe(0)
      await page.getByLabel("Search").fill("nothing")
      await page.getByText("No node matches").waitFor()
      await page.getByRole("button", { name: "Show all nodes" }).click()
      await page.getByLabel("State").selectOption("draining")
      await rows.filter({ hasText: "second" }).waitFor()
      expect(await rows.filter({ hasText: "first" }).count()).toBe(0)
      await check("fleet-filtered")

      await goTo("fleet/nodes/none")
      await page.getByText("No node none").waitFor()
      await page.getByRole("link", { name: "All nodes" }).first().click()
      await rows
        .filter({ hasText: "unfit" })
        .getByText(/^\d problems?$/)
        .waitFor()
      await page.getByRole("link", { name: "unfit" }).click()
      await page.getByText("Its doctor found it unfit.").waitFor()
      await page.getByText("What to do:").first().waitFor()
      const severities = await page.locator(".findings .badge").allTextContents()
      const order = ["Failed", "Warning", "No result"]
      expect(severities[0]).toBe("Failed")
      expect(severities).toEqual(severities.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
      await check("fleet-node-unfit")
      await page.getByRole("link", { name: "All nodes" }).click()
      await page.getByRole("link", { name: "first" }).click()
      await page.getByRole("region", { name: "Source addresses" }).getByText("127.0.0.1").waitFor()
      await check("fleet-node")

      await page.getByRole("button", { name: "Rotate the key" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText(/keygen first\.\d{4}-\d\d-\d\d/).waitFor()
      await dialog.getByLabel("Public key").fill("wrong")
      await dialog.getByRole("button", { name: "Register the key" }).click()
      await dialog.getByRole("alert").getByText("Public key").waitFor()
      await check("fleet-node-key")
      const { publicKey } = await generateKeyPair(`first.${crypto.randomUUID().slice(0, 8)}`)
      await dialog.getByLabel("Public key").fill(publicKey)
      await dialog.getByRole("button", { name: "Register the key" }).click()
      await dialog.getByText(/The old key works until/).waitFor()
      await check("fleet-node-key-registered")
      await dialog.getByRole("button", { name: "Done" }).click()
      await page.getByText(publicKey.split(":")[0]!).waitFor()
    }),
  )

  test.each(LOOKS)("answers by receiving operator, side by side and by day: %s", (name, look) =>
    asOperator(look, async ({ page, goTo }) => {
      const asked: string[] = []
      await page.route("**/fleet/answers?*", (route) => {
        const days = new URL(route.request().url()).searchParams.get("days")!
        asked.push(days)
        return route.fulfill({ json: answersOf(Number(days)) })
      })
      await goTo("fleet")
      const panel = page.locator("section.panel").filter({ hasText: "Answers by receiving operator" })
      await panel.getByText("As a table").click()
      const table = panel.getByRole("table")
      const row = (title: string) => table.getByRole("row").filter({ hasText: title })
      await row("Google").getByText("910").waitFor()
      expect(await table.getByRole("row").count()).toBe(9)
      expect(await row("Others").getByRole("cell").allTextContents()).toEqual(["Others", "14", "7", "7", "0", "28"])
      await row("Microsoft 365").getByText("350").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `fleet-answers ${name}`)
      await panel.getByLabel("Show").selectOption("30")
      await row("Google").getByText("3,900").waitFor()
      await panel.getByRole("combobox", { name: "Operator" }).selectOption("google")
      await panel.getByText("As a table").click()
      expect(await table.getByRole("row").count()).toBe(31)
      expect(asked).toEqual(["7", "30"])
      expect(page.url()).toContain("days=30&operator=google")
      await expectAccessible(page)
      await saveScreenshot(page, `fleet-answers-by-day ${name}`)
    }),
  )

  test.each(LOOKS)("source addresses, pools and sender domains: %s", (name, look) =>
    asOperator(look, async ({ page, goTo }) => {
      await goTo("fleet")
      await page.getByRole("link", { name: "first" }).waitFor()
      await page.getByRole("navigation", { name: "Fleet" }).getByRole("link", { name: "Source addresses" }).click()
      await page.getByRole("region", { name: "Source addresses" }).getByText("127.0.0.2").waitFor()
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
      await page.getByText("SPF record", { exact: true }).first().waitFor()
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

/** An answer of `/fleet/answers`: counts of a busy fleet, the same each day. */
function answersOf(days: number) {
  const to = Date.UTC(2026, 10, 24)
  const dates = Array.from({ length: days }, (_, n) =>
    new Date(to - (days - 1 - n) * 86_400_000).toISOString().slice(0, 10),
  )
  const operators = {
    google: [100, 20, 8, 2],
    outlook: [60, 20, 4, 16],
    yahoo: [30, 10, 5, 1],
    microsoft365: [50, 9, 3, 3],
    gmx: [8, 2, 1, 0],
    orange: [5, 2, 1, 0],
    icloud: [4, 2, 1, 0],
    seznam: [1, 1, 1, 0],
    other: [1, 0, 0, 0],
  }
  const answers = dates.flatMap((date) =>
    Object.entries(operators).map(([operator, [accepted, refused, deferred, blocked]]) => {
      return { date, operator, accepted, refused, deferred, blocked }
    }),
  )
  return { from: dates[0], to: dates.at(-1), answers }
}
