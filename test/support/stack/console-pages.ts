import { inject } from "vitest"
import { expectAccessible, expectToFit, saveScreenshot, type Visitor } from "./browser.ts"

/** Pages of a customer: [path, text that shows that the page is loaded]. */
export const CUSTOMER_PAGES = [
  ["", "Three things to try"],
  ["sign-in", "Mail me a link"],
  ["lists", "Credits used"],
  ["find", "Find an address"],
  ["domain", "set up for mail"],
  ["keys", "Keys of your account"],
  ["usage", "By API key"],
  ["suppression", "On the list"],
  ["webhooks", "job.completed"],
  ["webhooks/incoming", "Connect a provider"],
  ["integrations", "No integrations yet"],
  ["billing", "€49.00 a month"],
  ["account", "Email me a sign-in link"],
  ["data", "Erase"],
  ["audit", "Events"],
  ["authorize", "Sign in by email to decide"],
  ["device", "Sign in by email to decide"],
  ["operator", "Do you run this service?"],
  ["fleet", "Service"],
  ["model", "Calibration"],
] as const

/** Pages of the operator, as above. */
export const OPERATOR_PAGES = [
  ["operator", "Customers and their keys"],
  ["accounts", "owner@mailbox.test"],
  ["all-jobs", "Found so far"],
  ["list-data", "Your own entries"],
  ["metrics", "Requests by route"],
  ["errors", "By route and status"],
  ["settings", "ADMIN_SECRET"],
  ["trail", "intact"],
  ["fleet/addresses", "how mail operators treat them"],
  ["fleet/canaries", "Canaries"],
  ["fleet/domains", "Sender domains"],
] as const

export async function becomeOperator({ page, goTo }: Visitor): Promise<void> {
  await goTo("operator")
  await page.getByLabel("Admin secret").fill(inject("adminSecret"))
  await page.getByRole("button", { name: "Use it" }).click()
  await page.getByText("Customers and their keys").waitFor()
}

/** Opens a page and checks that it is loaded, accessible and not wider than the window. Saves a picture. */
export async function examine(
  { page, goTo }: Visitor,
  { path, text, picture }: { path: string; text: string; picture: string },
): Promise<void> {
  await goTo(path)
  await page.locator("main").getByText(text).first().waitFor()
  await page.locator(".skeleton").first().waitFor({ state: "detached" })
  await expectAccessible(page)
  await expectToFit(page)
  await saveScreenshot(page, picture)
}
