import { expect, inject, onTestFinished, test } from "vitest"
import { newKey } from "../../support/stack/account.ts"
import { describeInBrowser, expectAccessible } from "../../support/stack/browser.ts"
import { startLocalFleet } from "../../support/stack/local-fleet.ts"

describeInBrowser("the fleet", ({ withVisitor }) => {
  test("the operator sees the fleet without an account, and the secret is not stored", async () => {
    await withVisitor({}, async ({ page, goTo }) => {
      await goTo("fleet")
      for (const [secret, status] of [
        ["wrong", 403],
        [inject("adminSecret"), 200],
      ] as const) {
        const answer = page.waitForResponse(async (response) => {
          const asked = response.request()
          return asked.url().includes("/admin/users") && (await asked.headerValue("x-admin-secret")) === secret
        })
        await page.getByLabel("Admin secret").fill(secret)
        await page.getByRole("button", { name: "Use it" }).click()
        expect((await answer).status()).toBe(status)
        if (status === 403) await page.getByRole("alert").getByText("Not allowed").waitFor()
      }
      await page.getByLabel("Domain").fill("mailbox.test")
      await page.getByRole("button", { name: "Explain" }).click()
      await page.getByRole("region", { name: "Candidate nodes" }).getByText("local-1").waitFor()
      await page.getByText(/^local-1 has the lowest cost/).waitFor()
      await expectAccessible(page)
      const mark = { "mailverdict.operator": "1" }
      expect(await page.evaluate("[{ ...sessionStorage }, { ...localStorage }]")).toEqual([mark, {}])
    })
  })

  test("a customer without nodes sees an explanation, and becomes the operator by the admin secret", async () => {
    await withVisitor({ apiKey: (await newKey()).secret }, async ({ page, goTo }) => {
      await goTo("fleet")
      await page.getByText("No nodes of your own").waitFor()
      expect(await page.getByText("local-1").count()).toBe(0)
      await page.getByLabel("Admin secret").fill(inject("adminSecret"))
      await page.getByRole("button", { name: "Use it" }).click()
      await page.getByText("local-1").first().waitFor()
    })
  })

  test("the operator drains the node of `npm start` and resumes it", async () => {
    const fleet = await startLocalFleet({ PROBE_NODES: "" })
    onTestFinished(() => fleet.stop())
    await withVisitor({ home: fleet.stack.url }, async ({ page, goTo }) => {
      const state = async () => {
        const headers = { "x-admin-secret": fleet.stack.secrets.adminSecret }
        const { body } = await fleet.call<{ nodes: { state: string }[] }>("GET", "/fleet/nodes", { headers })
        return body.nodes[0]!.state
      }
      await goTo("fleet")
      await page.getByLabel("Admin secret").fill(fleet.stack.secrets.adminSecret)
      await page.getByRole("button", { name: "Use it" }).click()
      const row = page.getByRole("region", { name: "Nodes" }).getByRole("row").filter({ hasText: "local-1" })
      await row.getByText("Healthy", { exact: true }).waitFor()
      await row.getByRole("link", { name: "local-1" }).click()
      await page.getByRole("heading", { level: 1, name: "local-1" }).waitFor()
      await page.getByText("It gets probes.", { exact: true }).waitFor()
      await page.getByText("The setting PROBE_NODES lists this node").waitFor()
      await page.getByRole("button", { name: "Drain" }).click()
      await page.getByRole("dialog").getByText("It stays drained until you resume it").waitFor()
      await expectAccessible(page)
      await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click()
      await page.getByText("Draining", { exact: true }).waitFor()
      await page.getByText("It gets no new probes until you resume it.").waitFor()
      expect(await state()).toBe("draining")
      await page.getByRole("button", { name: "Resume" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click()
      await page.getByText("Healthy", { exact: true }).waitFor()
      expect(await state()).toBe("healthy")
    })
  })
})
