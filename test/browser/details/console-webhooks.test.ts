import type { Page } from "playwright-core"
import { describe, expect, inject, test } from "vitest"
import type { Received } from "../../support/providers/hook-receiver.ts"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

const hook = (end = "") => `${inject("providerUrls").hooks}/${crypto.randomUUID().slice(0, 8)}${end}`
const sent = async (url: string) => (await (await fetch(url)).json()) as Received[]
const add = async (key: TestKey, url: string, events: readonly string[], description = "") => {
  const made = withKey(key, postJson({ url, events, description }))
  const { status, body } = await call<{ endpoint_id: string }>("POST", "/webhooks/endpoints", made)
  expect(status).toBe(200)
  return body.endpoint_id
}
const change = (key: TestKey, id: string, body: unknown) =>
  call("PATCH", "/webhooks/endpoints/{endpoint_id}", {
    ...withKey(key, postJson(body)),
    ...{ method: "PATCH", at: `/webhooks/endpoints/${id}` },
  })
const item = (page: Page, url: string) => page.getByRole("listitem", { name: url, exact: true })
const dialog = (page: Page) => page.getByRole("dialog")

describeInBrowser("webhooks", ({ withVisitor }) => {
  async function expectGood(page: Page, name: string) {
    await expectAccessible(page)
    await expectToFit(page)
    await saveScreenshot(page, name)
  }

  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    test("without a webhook there is one thing to do: add one", async () => {
      const { secret } = await newKey()
      await withVisitor({ ...options, apiKey: secret }, async ({ page, goTo }) => {
        await goTo("webhooks")
        await page.getByRole("heading", { name: "No webhooks yet" }).waitFor()
        await expectGood(page, `webhooks-empty-${variant}`)
        await page.getByRole("button", { name: "Add webhook" }).click()
        await dialog(page).waitFor()
        await expectGood(page, `webhooks-add-${variant}`)
      })
    })

    test("a sending provider gets a URL, which is shown once and can be removed", async () => {
      const { secret } = await newKey()
      await withVisitor({ ...options, apiKey: secret }, async ({ page, goTo }) => {
        await goTo("webhooks")
        await page.getByRole("link", { name: "Events from your sending provider" }).click()
        await page.getByText("None yet. Create a URL below").waitFor()
        await page.getByRole("button", { name: "Create the URL" }).click()
        await page.getByRole("alert").waitFor()
        await page.getByLabel("Provider").selectOption("Mailgun")
        await page.getByLabel("Webhook signing key").fill("0123456789abcdef0123456789abcdef")
        await page.getByRole("button", { name: "Create the URL" }).click()
        await dialog(page)
          .getByText(/\/webhooks\/mailgun\?t=/)
          .waitFor()
        await page.getByRole("button", { name: "I have saved it" }).click()
        await page.getByRole("cell", { name: "Mailgun" }).waitFor()
        await expectGood(page, `webhooks-incoming-${variant}`)
        await page.getByRole("button", { name: "Remove", exact: true }).click()
        await dialog(page).getByRole("button", { name: "Remove" }).click()
        await page.getByText("None yet. Create a URL below").waitFor()
      })
    })

    test("working, failing, disabled and paused webhooks, their tests and a delivery", async () => {
      const key = await newKey()
      const [good, failing, gone, paused] = [hook(), hook("/500"), hook("/410"), hook("/later")]
      await add(key, good, ["job.completed", "job.failed", "usage.threshold"], "CRM, production")
      await add(key, failing, ["job.completed"])
      await add(key, gone, ["verification.completed"])
      await change(key, await add(key, paused, ["job.partial"]), { paused: true })
      await withVisitor({ ...options, apiKey: key.secret }, async ({ page, goTo }) => {
        await goTo("webhooks")
        for (const url of [good, failing, gone]) {
          await item(page, url).getByRole("button", { name: "Send test" }).click()
          await item(page, url)
            .getByText(url === good ? "The test arrived" : "The test failed")
            .waitFor()
        }
        await item(page, good)
          .getByText(/^Answered 204, after \d+ ms\.$/)
          .waitFor()
        await item(page, failing)
          .getByText(/^Answered 500, after \d+ ms\. Next attempt in /)
          .waitFor()
        await item(page, gone)
          .getByText(/^Answered 410: asked for no more events, after \d+ ms\.$/)
          .waitFor()
        await item(page, failing).getByText("Failing", { exact: true }).waitFor()
        await item(page, gone).getByText("Disabled", { exact: true }).waitFor()
        await item(page, paused).getByText("Paused", { exact: true }).waitFor()
        await page.getByRole("button", { name: "Refresh" }).click()
        await page
          .getByRole("cell", { name: /webhook\.test/ })
          .nth(2)
          .waitFor()
        await expectGood(page, `webhooks-${variant}`)
        await item(page, failing).getByRole("link", { name: "See what was sent" }).click()
        await page.getByRole("heading", { name: "Test", exact: true }).waitFor()
        await page.getByText('"type": "webhook.test"').waitFor()
        await page
          .getByRole("cell", { name: /^Answered 500 ?after/ })
          .first()
          .waitFor()
        await expectGood(page, `webhooks-delivery-${variant}`)
      })
    })
  })

  test("a webhook is added by keyboard, paused, resumed, edited and removed", async () => {
    const { secret } = await newKey()
    const url = hook()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("webhooks")
      await page.getByRole("button", { name: "Add webhook" }).press("Enter")
      await page.getByLabel("URL").press("Enter")
      await dialog(page).getByRole("alert").getByText("URL: must be a URL").waitFor()
      await page.getByLabel("URL").fill("https://localhost/")
      await page.keyboard.press("Enter")
      await dialog(page).getByRole("alert").getByText("URL: names a host of a private network").waitFor()
      await page.getByLabel("URL").fill(url)
      for (const name of [/List finished/, /List failed/]) await page.getByLabel(name).press("Space")
      await page.getByLabel("URL").press("Enter")
      await dialog(page).getByText("Choose at least one event.").waitFor()
      await page.getByLabel(/Credits running out/).press("Space")
      await page.getByLabel("Note").fill("Alarms")
      await page.keyboard.press("Enter")
      const mine = item(page, url)
      await mine.getByText("Active", { exact: true }).waitFor()
      await mine.getByText("Alarms · Credits running out").waitFor()

      await mine.getByRole("button", { name: "Pause" }).click()
      await mine.getByText("It gets no events, and none later for the time of the pause.").waitFor()
      await mine.getByRole("button", { name: "Resume" }).click()
      await mine.getByRole("button", { name: "Pause" }).waitFor()

      await mine.getByRole("button", { name: "Edit" }).click()
      await page.getByLabel(/List finished/).check()
      await dialog(page).getByRole("button", { name: "Save" }).click()
      await mine.getByText("Alarms · Credits running out, List finished").waitFor()

      await mine.getByRole("button", { name: "Remove" }).click()
      await saveScreenshot(page, "webhooks-remove")
      await dialog(page).getByRole("button", { name: "Remove" }).click()
      await page.getByText("No webhooks yet").waitFor()
    })
  })

  test("the deliveries of one webhook are shown, and one is sent again", async () => {
    const key = await newKey()
    const [first, second] = [hook(), hook()]
    const ids = [await add(key, first, ["job.failed"]), await add(key, second, ["job.failed"])]
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("webhooks")
      for (const url of [first, second]) {
        await item(page, url).getByRole("button", { name: "Send test" }).click()
        await item(page, url).getByText("The test arrived").waitFor()
      }
      await item(page, second).getByRole("button", { name: "Deliveries" }).click()
      const rows = page.getByRole("region", { name: "Delivery log" }).getByRole("row")
      await expect.poll(() => rows.count()).toBe(2)
      await rows.getByText(second).waitFor()
      expect(page.url()).toContain(`webhook=${ids[1]}`)
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Deliveries")
      await rows.getByRole("button", { name: "Send again" }).click()
      await expect.poll(async () => (await sent(second)).length).toBe(2)
      await page.getByLabel("State").selectOption("Failed")
      await page.getByText("No such deliveries").waitFor()
      await page.reload()
      await page.getByText("No such deliveries").waitFor()
    })
  })

  test("a URL given with a list is among the other URLs", async () => {
    const key = await newKey()
    const [own, ofList] = [hook(), hook()]
    await add(key, own, ["job.completed"])
    const list = withKey(key, postJson({ emails: ["alice@mailbox.test"], webhook_url: ofList }))
    await call("POST", "/validate/bulk/async", list)
    await expect.poll(async () => (await sent(own)).length + (await sent(ofList)).length).toBe(2)
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("webhooks")
      await page.getByText(/100% of the last 24 hours' attempts succeeded/).waitFor()
      await page.getByRole("heading", { name: "Other URLs" }).click()
      const others = page.getByRole("region", { name: "Other URLs" })
      await others.getByText(ofList).waitFor()
      expect(await others.getByText(own).count()).toBe(0)
      await expectGood(page, "webhooks-of-lists")
    })
  })

  test("the secret is shown once with the code that verifies a signature", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("webhooks")
      await page.getByText("How to verify a signature").click()
      await page.getByText('import { Webhook } from "standardwebhooks"').waitFor()
      await page.getByRole("button", { name: "Show the secret" }).click()
      await dialog(page)
        .getByText(/^whsec_/)
        .waitFor()
      await page.getByRole("button", { name: "I have saved it" }).click()
      await page.getByText("It was shown. Rotate it if you lost it.").waitFor()
      await expectGood(page, "webhooks-secret")
    })
  })
})
