import { describe, expect, test } from "vitest"
import { PORTALS } from "../../support/providers/connected-tools.ts"
import { newKey } from "../../support/stack/account.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { CONNECTIONS, connect, post, syncAtItsEnd } from "../../support/stack/integration-calls.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

const hubspot = (token: string) => ({ provider: "hubspot", credentials: { access_token: token } })

/** [tool, its form's text] */
const FORMS = [
  ["hubspot", "The token of a private app or a service key"],
  ["salesforce", "From the connected app, under Manage Consumer Details"],
  ["mailchimp", "It ends with the data center, such as -us21"],
  ["klaviyo", "It starts with pk_"],
  ["slack", "It starts with xoxb-"],
  ["zapier", "The URL is the secret"],
] as const

describeInBrowser("integrations", ({ withVisitor }) => {
  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    test("without an integration, the page is accessible and fits", async () => {
      const { secret } = await newKey()
      await withVisitor({ ...options, apiKey: secret }, async ({ page, goTo }) => {
        await goTo("integrations")
        await page.getByText("No integrations yet").waitFor()
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `integrations-empty-${variant}`)
      })
    })

    test("working, failing and tested integrations are accessible and fit", async () => {
      const key = await newKey()
      const [first] = [await connect(key, CONNECTIONS.mailchimp!)]
      await post(key, "/integrations/mailchimp/sync", { integration_id: first, restart: true })
      await syncAtItsEnd(key)
      const down = await connect(key, { ...hubspot(PORTALS.page), name: "CRM" })
      await post(key, "/integrations/test", { integration_id: down }).catch(() => null)
      await withVisitor({ ...options, apiKey: key.secret }, async ({ page, goTo }) => {
        await goTo("integrations")
        const failing = page.getByRole("region", { name: "CRM" })
        await failing.getByText("Not working", { exact: true }).waitFor()
        await failing.getByText(/unreadable answer/).waitFor()
        const working = page.getByRole("region", { name: "mailchimp" })
        await working.getByRole("heading", { name: "Mailchimp", exact: true }).waitFor()
        await working.getByText("4 contacts read").waitFor()
        await working.getByRole("button", { name: "Test" }).click()
        await working.getByText("The test succeeded").waitFor()
        await working.getByText("Events", { exact: true }).click()
        await working.getByText("Sync completed").first().waitFor()
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `integrations-${variant}`)
      })
    })
  })

  test.each(FORMS)("the form of %s has a hint and is accessible", async (provider, hint) => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo(`integrations?provider=${provider}`)
      await page.getByText(hint).waitFor()
      await expectAccessible(page)
      await saveScreenshot(page, `integrations-form-${provider}`)
    })
  })

  test("a tool is tested, connected, verified with progress and removed", async () => {
    const key = await newKey()
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("integrations")
      await page.getByLabel("Name", { exact: true }).fill("Our CRM")
      await page.getByLabel("Access token").fill("pat-na1-wrong")
      await page.getByRole("button", { name: "Test first" }).click()
      await page.getByRole("alert").waitFor()
      await page.getByLabel("Access token").fill(PORTALS.empty)
      await page.getByRole("button", { name: "Test first" }).click()
      await page.getByRole("region", { name: "Requests of the test" }).getByText("GET").first().waitFor()
      await page.getByRole("button", { name: "Connect" }).click()
      const card = page.getByRole("region", { name: "Our CRM" })
      await card.waitFor()
      expect(await page.getByLabel("Access token").inputValue()).toBe("")
      await card.getByRole("button", { name: "Verify contacts" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Verify contacts" }).click()
      await card.getByText("Nothing was written: the provider has no contacts with an address.").waitFor()
      await card.getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByText("No integrations yet").waitFor()
    })
  })

  test("removing an integration names the sync that it ends", async () => {
    const key = await newKey()
    await connect(key, { ...hubspot(PORTALS.down), name: "Our CRM" })
    await post(key, "/integrations/hubspot/sync", { restart: true })
    await withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("integrations")
      const card = page.getByRole("region", { name: "Our CRM" })
      await card.getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog").getByText("Its sync is under way. It ends here.").waitFor()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByText("Removed, and its sync has ended").waitFor()
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
      await page.getByText("No integrations yet").waitFor()
    })
  })

  test("a problem names the field of the form", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("integrations?provider=mailchimp")
      await page.getByLabel("API key of Mailchimp").fill("without-a-center-")
      await page.getByLabel("Audience ID").fill("a1b2c3")
      await page.getByRole("button", { name: "Connect" }).click()
      await page.getByRole("alert").getByText("API key of Mailchimp: must end with the data center").waitFor()
    })
  })
})
