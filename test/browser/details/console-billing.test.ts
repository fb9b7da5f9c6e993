import { beforeAll, describe, expect, test } from "vitest"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  saveScreenshot,
  type Visitor,
  type VisitorOptions,
} from "../../support/stack/browser.ts"
import { signInByMail } from "../../support/stack/sign-in-by-mail.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

const CHECKOUT = "https://checkout.stripe.test/"
const PORTAL = "https://billing.stripe.test/"
const UNSOLD = {
  plans: [
    { name: "free", monthly_limit: 100, rate_per_min: 10, price: null, adds: ["100 credits a month"] },
    { name: "pro", monthly_limit: 5_000, rate_per_min: 60, price: null, adds: ["5,000 credits a month"] },
  ].map((plan) => ({ ...plan, can_be_bought: false })),
  credit_packs: [],
}

describeInBrowser("plans and billing", ({ withVisitor: asVisitor }) => {
  let key: TestKey
  beforeAll(async () => {
    key = await newKey("free")
  })

  const withVisitor = (options: VisitorOptions, scenario: (visitor: Visitor) => Promise<void>) =>
    asVisitor({ elsewhere: /^https:\/\/\w+\.stripe\.test\//, ...options }, scenario)

  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    test("the page is accessible and fits", () =>
      withVisitor({ ...options, apiKey: key.secret }, async ({ page, goTo }) => {
        await goTo("billing")
        await page.getByText("€49.00 a month").waitFor()
        await page.getByLabel("Webhook URL").waitFor()
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `billing-${variant}`)
      }))

    test("without billing the page shows limits only", () =>
      withVisitor({ ...options, apiKey: key.secret }, async ({ page, goTo }) => {
        await page.route("**/billing/plans", (route) => route.fulfill({ json: UNSOLD }))
        await goTo("billing")
        await page.getByText("Nothing is for sale on this server").waitFor()
        await page.getByText("5,000 credits a month").waitFor()
        expect(await page.getByRole("button", { name: /Choose|Buy|invoices/ }).count()).toBe(0)
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `billing-unsold-${variant}`)
      }))
  })

  test.each([
    ["Choose Pro", CHECKOUT],
    ["Buy 500 credits", CHECKOUT],
  ])("%s opens the checkout page", (button, url) =>
    withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await page.route(`${url}**`, (route) => route.fulfill({ body: "the checkout page" }))
      await goTo("billing")
      await page.getByRole("button", { name: button }).click()
      await page.getByText("the checkout page").waitFor()
      expect(page.url()).toMatch(new RegExp(`^${url}cs_test_\\d+$`))
    }),
  )

  test("a key cannot open invoices; the page says to sign in by email", () =>
    withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("billing")
      await page.getByText("An API key cannot change a subscription").waitFor()
      await page.getByRole("link", { name: "Sign in by email" }).click()
      await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor()
    }))

  test("a session without a purchase learns that there are no invoices", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      await signInByMail(visitor)
      await goTo("billing")
      await page.getByRole("button", { name: "Change, cancel or see invoices" }).click()
      await page.getByRole("alert").getByText("This account has not bought anything yet.").waitFor()
    }))

  test("a subscriber changes the plan on the page of the payment processor", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      await signInByMail(visitor)
      const subscription = { plan: "pro", status: "past_due", period_end: "2030-05-17T12:00:00Z" }
      await page.route("**/billing/usage/*", (route) => route.fulfill({ json: { subscriptions: [subscription] } }))
      await page.route("**/billing/portal", (route) => route.fulfill({ json: { portal_url: `${PORTAL}cus_1` } }))
      await page.route(`${PORTAL}**`, (route) => route.fulfill({ body: "the page of invoices" }))
      await goTo("billing")
      await page.getByText("past due, this period ends on May 17, 2030").waitFor()
      await page.getByText("The last payment failed").waitFor()
      expect(await page.getByRole("button", { name: /Choose/ }).count()).toBe(0)
      await saveScreenshot(page, "billing-subscribed")
      await page.getByRole("button", { name: "Pay or change the card" }).click()
      await page.getByText("the page of invoices").waitFor()
    }))

  test("a payment in the mailbox's name is accepted or declined by its owner", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      const email = await signInByMail(visitor)
      const paid = { plan: "starter", credits: null, amount: 900, currency: "eur", subscription_status: "active" }
      const times = { paid_at: new Date(Date.now() - 3_600_000).toISOString(), payment: "a1B2c3D4" }
      const credits = { ...paid, plan: null, credits: 500, subscription_status: null }
      let offers = [
        { ...paid, ...times, offer_id: "offer_1" },
        { ...credits, ...times, offer_id: "offer_2" },
      ]
      await page.route("**/me/payment-offers", (route) => route.fulfill({ json: { email, offers } }))
      await page.route("**/me/payment-offers/*/*", (route) => {
        const [, id, verb] = /payment-offers\/(\w+)\/(\w+)$/.exec(route.request().url()) ?? []
        offers = offers.filter(({ offer_id }) => offer_id !== id)
        return route.fulfill({ json: { offer_id: id, account_id: "acc_1", status: `${verb}ed` } })
      })
      await goTo("billing")
      const [plan, pack] = [page.getByText("Someone paid for the Starter plan"), page.getByText("paid for 500 credits")]
      await plan.getByText("Accept it only if you expect it").waitFor()
      await plan.getByText("€9.00").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, "billing-offers")
      for (const [offer, verb] of [
        [plan, "Accept"],
        [pack, "Decline"],
      ] as const) {
        await page.getByRole("listitem").filter({ has: offer }).getByRole("button", { name: verb }).click()
        await page.getByRole("dialog").getByRole("button", { name: verb }).click()
        await offer.waitFor({ state: "detached" })
      }
      await page.getByText("Payments to accept").waitFor({ state: "detached" })
    }))

  test("alerts are saved; a wrong webhook URL is named", () =>
    withVisitor({ apiKey: key.secret }, async ({ page, goTo }) => {
      await goTo("billing")
      await page.getByLabel("Webhook URL").fill("not a url")
      await page.getByRole("button", { name: "Save alerts" }).click()
      await page.getByRole("alert").getByText("Webhook URL").waitFor()
      await page.getByLabel("Webhook URL").fill("")
      await page.getByLabel("Email").uncheck()
      await page.getByRole("button", { name: "Save alerts" }).press("Enter")
      await page.getByText("Saved").waitFor()
      const { body } = await call("GET", "/me/alerts", withKey(key))
      expect(body).toMatchObject({ mail: false, webhook_url: null })
    }))
})
