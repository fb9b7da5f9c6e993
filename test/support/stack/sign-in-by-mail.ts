import type { Visitor } from "./browser.ts"
import { mailedToken } from "./mailed-link.ts"

/** Signs a visitor in by a mailed link to a new mailbox. @returns the mailbox */
export async function signInByMail({ page, goTo }: Visitor): Promise<string> {
  const email = `console-${crypto.randomUUID().slice(0, 8)}@inbox.test`
  await goTo("sign-in")
  await page.getByLabel("Your email address").fill(email)
  await page.getByRole("button", { name: "Email me a link" }).click()
  await page.getByText("Check your inbox").waitFor()
  await page.getByLabel("Code from the email").fill(await mailedToken(email))
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.locator(".account").getByText(email).waitFor({ state: "attached" })
  return email
}
