import { readFileSync } from "node:fs"
import { expect, inject, test } from "vitest"
import { STRIPE } from "../support/providers/stripe-server.ts"
import { describeInBrowser } from "../support/stack/browser.ts"
import { Walker } from "../support/stack/console-journey.ts"
import { Customer } from "../support/stack/customer.ts"
import { mailedToken } from "../support/stack/mailed-link.ts"
import { LOOKS } from "../support/stack/variants.ts"

const CHECKOUT = "https://checkout.stripe.test/"

describeInBrowser("a customer in the console", ({ withVisitor }) => {
  test.each(LOOKS)("from the first address to the deleted account, by clicks alone: %s", async (look, options) => {
    await withVisitor({ ...options, locale: "en-US", elsewhere: new RegExp(`^${CHECKOUT}`) }, async (visitor) => {
      const { page } = visitor
      const walker = new Walker(visitor, `customer ${look}`)
      const customer = new Customer()
      const { email } = customer

      await page.goto(`${inject("stackUrl")}/console/`)
      await walker.see("Three things to try")
      await walker.check("welcome")
      await page.getByRole("link", { name: "nobody@mailbox.test" }).click()
      await page.locator(".verdict").getByText("Invalid").first().waitFor()
      await walker.check("an address")

      await walker.open("API keys")
      await page.getByLabel("Name", { exact: true }).fill("newsletter")
      await page.getByLabel("Your email address").fill(email)
      await walker.click("Create key")
      await walker.dialog.getByRole("button", { name: "Use it in this tab" }).click()
      await walker.dialog.getByText("This tab uses the key now").waitFor()
      await walker.check("the first key")
      await walker.dialog.getByRole("button", { name: "I have saved it" }).click()

      await walker.open("Account")
      await walker.click("Email me a sign-in link")
      await walker.see("Check your inbox")
      await walker.check("a link to confirm")
      // A click on the link in the mail.
      await page.goto("about:blank")
      await page.goto(`${inject("stackUrl")}/console/#/sign-in/${await mailedToken(email)}`)
      await walker.see("Unconfirmed keys")
      await walker.check("unconfirmed keys")
      await walker.confirm("Join")
      await page.getByRole("row").filter({ hasText: "newsletter" }).getByText("Active").waitFor()

      await walker.open("Lists")
      await walker.click("Try a list of sandbox addresses")
      await walker.see(/6 rows/)
      await walker.check("a list before it starts")
      await walker.click("Verify the list")
      await page.getByText("Average score").waitFor()
      await walker.see("fewer than 30 mailboxes are known to exist or not")
      await page.getByLabel("Show", { exact: false }).first().selectOption("invalid")
      await walker.see("nobody@mailbox.test")
      await walker.check("the results of a list")
      const download = page.waitForEvent("download")
      await walker.click("Download CSV")
      expect(readFileSync(await (await download).path(), "utf8")).toMatch(/^Name,Email,/)

      await walker.open("Plans and billing")
      await walker.see("€49.00 a month")
      await walker.check("plans")
      await page.route(`${CHECKOUT}**`, (route) => route.fulfill({ body: "the checkout page" }))
      await walker.click("Choose Pro")
      await walker.see("the checkout page")
      const id = page.url().slice(CHECKOUT.length)
      const accountId = await accountOf(email)
      const payer = { customer: `cus_of_${id}`, metadata: { account_id: accountId, product: "pro" } }
      const checkout = { ...payer, id, object: "checkout.session", client_reference_id: accountId }
      await customer.pay("checkout.session.completed", { ...checkout, payment_status: "paid" }, 1)
      const items = { data: [{ price: { id: STRIPE.prices.pro }, current_period_end: 1_900_000_000 }] }
      const subscription = { ...payer, id: `sub_${id}`, object: "subscription", status: "active", items }
      await customer.pay("customer.subscription.created", subscription, 2)
      await page.goBack()
      await walker.open("Plans and billing")
      await page.locator(".plan.current").getByText("Pro", { exact: true }).waitFor()
      await walker.check("the plan after the payment")

      await walker.open("API keys")
      await page.getByRole("link", { name: "newsletter" }).click()
      await walker.see("All API keys")
      await walker.check("a key")
      await walker.click("Rotate")
      await walker.dialog.getByRole("button", { name: "Rotate" }).click()
      await walker.dialog.getByRole("button", { name: "I have saved it" }).click()

      await walker.open("Suppression")
      await page.getByLabel("Addresses or domains, one per line").fill("angry@mailbox.test")
      await walker.click("Add")
      await walker.see("angry@mailbox.test is on your suppression list")
      await walker.check("suppression")

      await walker.open("Usage")
      await walker.see("By API key")
      await walker.check("usage")

      await walker.open("Audit trail")
      for (const text of ["API key rotated", "Plan changed", "Signed in", "API key joined"]) await walker.see(text)
      await walker.check("audit trail")

      await walker.open("Account")
      const exported = page.waitForEvent("download")
      await walker.click("Export the account")
      expect(JSON.parse(readFileSync(await (await exported).path(), "utf8"))).toMatchObject({ email })
      await customer.pay("customer.subscription.deleted", { ...subscription, status: "canceled" }, 3)
      await walker.click("Delete the account")
      await walker.dialog.getByLabel("Type your mailbox").fill(email)
      await walker.check("the end")
      await walker.dialog.getByRole("button", { name: "Delete the account" }).click()
      await walker.dialog.waitFor({ state: "detached" })
      await walker.open("Usage")
      await walker.see("Sign in to see this")
      await walker.check("after the end")
    })
  })
})

/** The account of a mailbox, as the operator finds it. */
async function accountOf(email: string): Promise<string> {
  const headers = { "x-admin-secret": inject("adminSecret") }
  const answer = await fetch(`${inject("stackUrl")}/admin/users?search=${encodeURIComponent(email)}`, { headers })
  const { users } = (await answer.json()) as { users: { account_id: string; email: string | null }[] }
  return users.find((user) => user.email === email)!.account_id
}
