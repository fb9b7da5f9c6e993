import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { newKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, saveScreenshot, type Visitor } from "../../support/stack/browser.ts"
import { becomeOperator, examine, OPERATOR_PAGES } from "../../support/stack/console-pages.ts"
import { waitForJobEnd } from "../../support/stack/jobs.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

describeInBrowser("the operator's pages", ({ visit, withVisitor }) => {
  let key: TestKey
  beforeAll(async () => {
    key = await newKey()
    const emails = ["alice@mailbox.test", "nobody@mailbox.test"]
    const submitted = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson({ emails })))
    await waitForJobEnd(submitted.body.job_id, { "x-api-key": key.secret })
  })

  describe.each(Object.entries(VARIANTS))("in %s", (variant, options) => {
    let visitor: Visitor
    beforeAll(async () => {
      visitor = await visit(options)
      await becomeOperator(visitor)
    })
    afterAll(() => visitor.leave())

    test.each(OPERATOR_PAGES)("#/%s is accessible and fits", async (path, text) => {
      await examine(visitor, { path, text, picture: `${path.replace("/", "-")}-${variant}` })
      expect(visitor.troubles).toEqual([])
    })
  })

  test("an account is found by its key, suspended and resumed, and its key revoked", async () => {
    await withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      await becomeOperator(visitor)
      await goTo("accounts")
      await page.getByLabel("Search").fill(key.keyId)
      await page.getByRole("button", { name: "Search" }).click()
      await page.getByRole("row").nth(2).waitFor({ state: "detached" })
      await page.getByRole("link", { name: "owner@mailbox.test" }).click()
      await page.getByText("The mailbox is not confirmed").waitFor()
      await expectAccessible(page)
      await saveScreenshot(page, "account-light")
      for (const [action, state] of [
        ["Suspend", 403],
        ["Resume", 200],
        ["Revoke", 401],
      ] as const) {
        await page.getByRole("button", { name: action, exact: true }).click()
        await page.getByRole("dialog").getByRole("button", { name: action, exact: true }).click()
        await page.getByRole("dialog").waitFor({ state: "detached" })
        const answer = await fetch(`${inject("stackUrl")}/usage`, { headers: { "x-api-key": key.secret } })
        expect(answer.status).toBe(state)
      }
    })
  })

  test("an own entry is added to the domain lists and removed", async () => {
    await withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      await becomeOperator(visitor)
      await goTo("list-data")
      await page.getByLabel("Domain").fill("console-entry.test")
      await page.getByRole("button", { name: "Add", exact: true }).click()
      const row = page.getByRole("row").filter({ hasText: "console-entry.test" })
      await row.getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await row.waitFor({ state: "detached" })
    })
  })

  test("outside operator mode a page asks for the secret, and leaving the mode hides the pages", async () => {
    await withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      await goTo("accounts")
      await page.getByLabel("Admin secret").waitFor()
      expect(await page.getByRole("link", { name: "Accounts" }).count()).toBe(0)
      await becomeOperator(visitor)
      await page.getByRole("navigation").getByRole("link", { name: "Accounts" }).click()
      await page.getByText("All accounts").waitFor()
      await page.getByRole("button", { name: "Leave operator mode" }).click()
      await page.getByLabel("Admin secret").waitFor()
    })
  })
})
