import { expect, inject, test } from "vitest"
import { describeInBrowser, expectAccessible, saveScreenshot, type Visitor } from "../../support/stack/browser.ts"

describeInBrowser("sign-in with Google", ({ withVisitor: asVisitor }) => {
  const withVisitor = (scenario: (visitor: Visitor) => Promise<void>) =>
    asVisitor({ elsewhere: new RegExp(`^${inject("providerUrls").accounts}/auth`) }, scenario)

  const button = ({ page }: Visitor) => page.getByRole("button", { name: "Sign in with Google" })
  const home = () => `${inject("stackUrl")}/console/`

  test("leads to Google and back to the page that asked, without the token in the history", () =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      await goTo("usage")
      await page.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).click()
      await button(visitor).waitFor()
      await expectAccessible(page)
      await saveScreenshot(page, "sign-in-with-google")
      await button(visitor).click()
      await page.getByRole("heading", { name: "Usage", exact: true }).waitFor()
      await page.getByText("ida.google@gmail.com").first().waitFor()
      expect(page.url()).toBe(`${home()}#/usage`)
      await page.goBack()
      expect(page.url()).not.toContain("id_token")
    }))

  test.each([
    "https://evil.example/",
    "//evil.example",
    "#//evil.example",
    "javascript:alert(1)",
    "/validate?email=a@b.c",
  ])("a link with the return place %s leads to the console's own lists", (back) =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      await goTo(`sign-in?${new URLSearchParams({ back })}`)
      await button(visitor).click()
      await page.getByRole("heading", { name: "Lists", exact: true }).waitFor()
      expect(page.url()).toBe(`${home()}#/lists`)
    }),
  )

  test("what another site sends is not used: the tab began no sign-in with that state", () =>
    withVisitor(async ({ page }) => {
      for (const fragment of ["state=stolen&id_token=a.b.c", "state=stolen&error=access_denied"]) {
        await page.goto(`${home()}#${fragment}`)
        await page.getByText("This sign-in did not begin in this tab").waitFor()
        expect(page.url()).toBe(`${home()}#/sign-in/google`)
        await expectAccessible(page)
        await page.goto("about:blank")
      }
    }))

  test.each([
    [
      "the visitor refuses",
      (begun: { state: string }) => `state=${begun.state}&error=access_denied`,
      "You did not sign in",
    ],
    [
      "the token is of another sign-in",
      ({ state }: { state: string }) => `state=${state}&id_token=a.${btoa('{"nonce":"other"}')}.c`,
      "This sign-in did not begin in this tab",
    ],
  ])("no session when %s", (_, fragment, title) =>
    withVisitor(async (visitor) => {
      const { page, goTo } = visitor
      await goTo("sign-in")
      const leaving = page.waitForRequest((request) => request.url().includes("/auth?"))
      await page.route("**/auth?*", (route) => {
        const state = new URL(route.request().url()).searchParams.get("state") ?? ""
        return route.fulfill({ status: 302, headers: { location: `${home()}#${fragment({ state })}` } })
      })
      await button(visitor).click()
      await leaving
      await page.getByText(title).waitFor()
      await page.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).click()
      await button(visitor).waitFor()
    }),
  )
})
