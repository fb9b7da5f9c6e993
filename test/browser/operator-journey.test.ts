import { afterAll, beforeAll, expect, test } from "vitest"
import { describeInBrowser } from "../support/stack/browser.ts"
import { Walker } from "../support/stack/console-journey.ts"
import { type LocalFleet, startLocalFleet } from "../support/stack/local-fleet.ts"
import { LOOKS } from "../support/stack/variants.ts"

interface Made {
  readonly key_id: string
  readonly api_key: string
}

describeInBrowser("an operator in the console", ({ withVisitor }) => {
  let fleet: LocalFleet
  beforeAll(async () => {
    // The node of `npm start`, which the operator drains.
    fleet = await startLocalFleet({ PROBE_NODES: "" })
  })
  afterAll(async () => {
    await fleet.stop()
  })

  test.each(LOOKS)("from the secret to the audit trail, by clicks alone: %s", async (look, options) => {
    const owner = `owner-${crypto.randomUUID().slice(0, 6)}@mailbox.test`
    const asked = { body: { name: "their key", owner_email: owner }, headers: { "x-real-ip": "192.0.2.9" } }
    const key = (await fleet.call<Made>("POST", "/keys", asked)).body
    const statusOfKey = async () =>
      (await fetch(`${fleet.stack.url}/usage`, { headers: { "x-api-key": key.api_key } })).status
    const emails = ["alice@mailbox.test", "nobody@mailbox.test"]
    await fleet.call("POST", "/validate/bulk/async", { body: { emails }, headers: { "x-api-key": key.api_key } })
    await withVisitor({ ...options, locale: "en-US", home: fleet.stack.url }, async (visitor) => {
      const { page } = visitor
      const walker = new Walker(visitor, `operator ${look}`)

      await page.goto(`${fleet.stack.url}/console/`)
      const menu = page.getByRole("button", { name: "Menu" })
      if (await menu.isVisible()) await menu.click()
      await page.getByRole("link", { name: "Operator" }).click()
      await page.getByLabel("Admin secret").fill(fleet.stack.secrets.adminSecret)
      await walker.click("Use it")
      await walker.see("Customers and their keys")
      await walker.check("operator mode")

      await walker.open("Fleet")
      await walker.check("the fleet")
      await page.getByRole("link", { name: "local-1" }).click()
      await page.getByRole("button", { name: "Drain" }).click()
      await walker.dialog.getByRole("button", { name: "Drain" }).click()
      await page.getByText("Draining", { exact: true }).waitFor()
      await walker.check("a drained node")
      await page.getByRole("button", { name: "Resume" }).click()
      await walker.dialog.getByRole("button", { name: "Resume" }).click()
      await page.getByText("Healthy", { exact: true }).waitFor()
      await page.getByRole("link", { name: "All nodes" }).click()
      for (const [title, text] of [
        ["Source addresses", "Pools"],
        ["Canaries", "Add a canary"],
        ["Sender domains", "Register a domain"],
      ] as const) {
        await page.getByRole("navigation", { name: "Fleet" }).getByRole("link", { name: title }).click()
        await walker.see(text)
        await walker.check(title.toLowerCase())
      }

      await walker.open("Accounts")
      await page.getByLabel("Search").fill(key.key_id)
      await walker.click("Search")
      await page.getByRole("link", { name: owner }).click()
      await walker.see("The mailbox is not confirmed")
      await walker.check("an account")
      await walker.confirm("Suspend")
      await walker.see("Suspended since")
      expect(await statusOfKey()).toBe(403)
      await walker.confirm("Resume")
      await expect.poll(statusOfKey).toBe(200)
      await page.getByRole("link", { name: "Jobs of this account" }).click()
      await walker.see("Jobs of one account")
      await walker.check("jobs of an account")

      await walker.open("Domain lists")
      await page.getByLabel("Domain").fill("throwaway.test")
      await walker.click("Add")
      const entry = page.getByRole("row").filter({ hasText: "throwaway.test" })
      await entry.waitFor()
      await walker.check("domain lists")
      await entry.getByRole("button", { name: "Remove" }).click()
      await walker.dialog.getByRole("button", { name: "Remove" }).click()
      await entry.waitFor({ state: "detached" })

      for (const [title, text] of [
        ["Model", "Calibration"],
        ["Metrics", "Requests by route"],
        ["Errors", "By route and status"],
        ["Settings", "ADMIN_SECRET"],
        ["Service audit trail", "Account suspended"],
      ] as const) {
        await walker.open(title)
        await walker.see(text)
        await walker.check(title.toLowerCase())
      }

      await walker.open("Accounts")
      await page.getByLabel("Search").fill(owner)
      await walker.click("Search")
      await page.getByRole("link", { name: owner }).click()
      await walker.confirm("Revoke")
      expect(await statusOfKey()).toBe(401)
      await walker.confirm("Erase")
      await walker.see("All accounts")
      if (await menu.isVisible()) await menu.click()
      await page.getByRole("button", { name: "Leave operator mode" }).click()
      await page.getByLabel("Admin secret").waitFor()
      await walker.check("after operator mode")
    })
  })
})
