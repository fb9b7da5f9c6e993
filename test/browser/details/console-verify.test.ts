import { expect, inject, test } from "vitest"
import { describeInBrowser, type Visitor } from "../../support/stack/browser.ts"

const [MISSING, EXISTING] = ["nobody@mailbox.test", "alice@mailbox.test"]
const linkTo = (email: string) => `?email=${encodeURIComponent(email)}`

describeInBrowser("verifying one address", ({ withVisitor: asVisitor }) => {
  let visitor: Visitor

  const withVisitor = (scenario: (visitor: Visitor) => Promise<void>) =>
    asVisitor({}, (one) => {
      visitor = one
      return scenario(one)
    })

  const verdictOn = (email: string) => visitor.page.locator(".verdict", { hasText: email }).waitFor()
  const entered = () => visitor.page.getByLabel("Email address").inputValue()

  test("the URL holds the address: a reload, a link and Back show the same verdict", () =>
    withVisitor(async ({ page, goTo }) => {
      await goTo(linkTo(MISSING))
      await verdictOn(MISSING)
      await page.getByLabel("Email address").fill(EXISTING)
      await page.getByRole("button", { name: "Verify", exact: true }).click()
      await verdictOn(EXISTING)
      await page.reload()
      await verdictOn(EXISTING)
      await page.goBack()
      await verdictOn(MISSING)
      expect(await entered()).toBe(MISSING)
      await page.getByRole("link", { name: "Verify", exact: true }).click()
      await page.getByText("Three things to try").waitFor()
      expect(await entered()).toBe("")
    }))

  test("a link from outside fills the form; the address is verified after a confirmation", () =>
    withVisitor(async ({ page }) => {
      await page.goto(`${inject("stackUrl")}/console/#/${linkTo(EXISTING)}`)
      await page.getByText("Not verified yet").waitFor()
      expect(await entered()).toBe(EXISTING)
      await page.getByRole("button", { name: "Verify", exact: true }).click()
      await verdictOn(EXISTING)
      await page.reload()
      await verdictOn(EXISTING)
    }))

  test("a check that did not run is unknown", () =>
    withVisitor(async ({ page, goTo }) => {
      const checks = page.locator(".panel").filter({ has: page.getByRole("heading", { name: "Checks", exact: true }) })
      for (const [email, words] of [
        [EXISTING, /Accept-all·no(?!t)/],
        ["alice@refused.test", /Accept-all·unknown/],
        ["alice.mailbox.test", /AddressmalformedSyntax✗bad: malformed$/],
      ] as const) {
        await goTo(linkTo(email))
        await page.locator(".verdict", { hasText: email }).waitFor()
        expect(await checks.textContent()).toMatch(words)
      }
    }))

  test("an unknown result has no grade, and each result says what it cost", () =>
    withVisitor(async ({ page, goTo }) => {
      const verdict = page.locator(".verdict")
      await goTo(linkTo("alice@client-refused.test"))
      await verdict.getByText("No grade:").getByText("nothing is known").waitFor()
      await verdict.getByText("It used no credit.").waitFor()
      await page.getByText("refused our probe with 554").waitFor()
      await page.getByText("the domain's mail hosts are not listed").first().waitFor()
      await goTo(linkTo("fresh-cost@d0980.test"))
      await verdict.getByText("It used 1 credit.").waitFor()
    }))

  test.each(["no_probe_node", "disposable"])(
    "a response without a probe node says so, with %s as its main risk",
    (risk) =>
      withVisitor(async ({ page, goTo }) => {
        const email = "alice@refused.test"
        await page.route("**/validate", async (route) => {
          const response = await route.fetch()
          const answer = await response.json()
          answer.deliverability_score.primary_risk = risk
          answer.explanation.transcript = []
          for (const entry of answer.explanation.ledger) if (entry.fact === "status") entry.rule = "no_probe_node"
          await route.fulfill({ response, json: answer })
        })
        await goTo(linkTo(email))
        await verdictOn(email)
        expect(await page.locator("main").textContent()).not.toMatch(/could not be reached|sent no reply/)
        expect(await page.getByText("No probe node was available, so the mail server was not contacted").count()).toBe(
          2,
        )
      }),
  )

  test("a late response does not replace a newer one", () =>
    withVisitor(async ({ page, goTo }) => {
      const [held, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await page.route("**/validate", async (route) => {
        if (!route.request().postData()?.includes(MISSING)) return route.continue()
        const answer = await route.fetch()
        await held.promise
        // The page may have ended the request.
        await route.fulfill({ response: answer }).catch(() => undefined)
        answered.resolve()
      })
      await goTo(linkTo(MISSING), { isLoading: true })
      await page.getByText("Probing").waitFor()
      await goTo(linkTo(EXISTING))
      await verdictOn(EXISTING)
      held.resolve()
      await answered.promise
      await page.evaluate(
        "fetch(location.href).then((later) => later.text()).then(() => new Promise(requestAnimationFrame))",
      )
      await verdictOn(EXISTING)
      expect(await entered()).toBe(EXISTING)
    }))

  test("Try again repeats a failed verification, and only the verdict is announced", () =>
    withVisitor(async ({ page, goTo }) => {
      await page.route("**/validate", (route) =>
        route.fulfill({
          status: 429,
          headers: { "retry-after": "7" },
          json: { detail: "too many; retry in 7 seconds" },
        }),
      )
      await goTo(linkTo(EXISTING))
      await page.getByRole("alert").getByText("retry in 7 seconds").waitFor()
      await page.unroute("**/validate")
      await page.getByRole("button", { name: "Try again" }).click()
      await verdictOn(EXISTING)
      const spoken = await page.locator("main [aria-live]").textContent()
      expect(spoken).toContain("Safe to send to")
      expect(spoken).not.toContain("RCPT TO")
    }))
})
