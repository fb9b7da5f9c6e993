import { expect, inject, test } from "vitest"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { CALLBACK, exchangeCode, postForm, registerProgram } from "../../support/stack/oauth-client.ts"
import { signInByMail } from "../../support/stack/sign-in-by-mail.ts"
import { VARIANTS } from "../../support/stack/variants.ts"

const ELSEWHERE = new RegExp(`^${CALLBACK}`)

describeInBrowser("the sign-in of programs", ({ withVisitor }) => {
  test.each(Object.entries(VARIANTS))("a program is connected after the consent, in %s", (variant, options) =>
    withVisitor({ ...options, elsewhere: ELSEWHERE }, async (visitor) => {
      const { page } = visitor
      const program = await registerProgram("Claude")
      const email = await signInByMail(visitor)
      await page.route(`${CALLBACK}*`, (route) =>
        route.fulfill({ contentType: "text/html", body: "<h1>Connected</h1>" }),
      )
      await page.goto(`${inject("stackUrl")}/oauth/authorize?${new URLSearchParams(program.request)}`)
      await page.getByRole("heading", { level: 1, name: "Connect a program" }).waitFor()
      const main = page.getByRole("main")
      await main.getByText("Claude (not verified)").waitFor()
      await main.getByText("a program on this device (127.0.0.1:33418) (not verified)").waitFor()
      await main.locator(".facts").getByText(email).waitFor()
      expect(await main.getByRole("listitem").allTextContents()).toEqual([
        "Verify: Verify single addresses and check domains.",
        "Lists: Verify lists and download their results.",
        "Find: Find a person’s address and a domain’s formats.",
        "Suppression: Read and change the suppression list.",
      ])
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, `connect-${variant}`)
      await main.getByRole("button", { name: "Approve" }).click()
      await page.getByRole("heading", { name: "Connected" }).waitFor()
      const back = new URL(page.url()).searchParams
      expect(back.get("state")).toBe(program.request.state)
      expect((await exchangeCode(program, back.get("code") ?? "")).status).toBe(200)

      await visitor.goTo("keys")
      const row = page.getByRole("row").filter({ hasText: "Claude" })
      await row.getByText(/^Verify, Lists, Find, and Suppression only, until /).waitFor()
    }),
  )

  test("a refusal and an invalid request send no code", () =>
    withVisitor({ elsewhere: ELSEWHERE }, async (visitor) => {
      const { page, goTo } = visitor
      const { request } = await registerProgram()
      await signInByMail(visitor)
      await goTo(`authorize?${new URLSearchParams({ ...request, redirect_uri: "https://evil.example/" })}`)
      await page.getByRole("alert").getByText("the program did not register it").waitFor()
      expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0)
      await expectAccessible(page)
      await page.route(`${CALLBACK}*`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Refused</h1>" }))
      await goTo(`authorize?${new URLSearchParams(request)}`)
      await page.getByRole("button", { name: "Refuse" }).click()
      await page.getByRole("heading", { name: "Refused" }).waitFor()
      expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied")
    }))

  test("a code of the command line is entered, shown with its rights, and approved", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      const asked = { client_id: "mailverdict-cli", client_name: "laptop", scope: "verify" }
      const begun = await postForm("/oauth/device_authorization", asked, { "x-real-ip": "10.79.2.1" })
      await signInByMail(visitor)
      await goTo("device?code=BBBB-BBBB")
      await page.getByRole("button", { name: "Continue" }).click()
      await page.getByText("no program waits with this code").waitFor()
      await expectAccessible(page)
      await page.getByLabel("Code").fill(String(begun.body.user_code).toLowerCase())
      await page.keyboard.press("Enter")
      await page.getByText("laptop (not verified)").waitFor()
      await page.locator(".facts").getByText(String(begun.body.user_code)).waitFor()
      await page.getByText("If another person sent you this code, refuse").waitFor()
      await expectAccessible(page)
      await expectToFit(page)
      await saveScreenshot(page, "device")
      await page.getByRole("button", { name: "Approve" }).click()
      await page.getByText("The program signs in within seconds.").waitFor()
      await expectAccessible(page)
    }))

  test("without a session, the page leads to the sign-in and back", () =>
    withVisitor({}, async (visitor) => {
      const { page, goTo } = visitor
      const { request } = await registerProgram()
      await goTo(`authorize?${new URLSearchParams(request)}`)
      await page.getByText("Sign in to see this").waitFor()
      const link = page.getByRole("main").getByRole("link", { name: "Sign in" })
      expect(await link.getAttribute("href")).toContain(encodeURIComponent("#/authorize?client_id="))
    }))
})
