import type { Locator } from "playwright-core"
import { expect, test } from "vitest"
import { newKey, withKey } from "../../support/stack/account.ts"
import { call, postJson } from "../../support/stack/api.ts"
import { describeInBrowser } from "../../support/stack/browser.ts"

describeInBrowser("by keyboard", ({ withVisitor }) => {
  const focused = (element: Locator) => element.and(element.page().locator(":focus"))

  test("closing a dialog restores the focus; if the button is gone, the heading gets it", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("keys")
      const rotate = page.getByRole("button", { name: "Rotate" })
      for (const leave of ["Cancel", "Escape"]) {
        await rotate.press("Enter")
        const dialog = page.getByRole("dialog")
        await dialog.waitFor()
        await focused(dialog.getByRole("button", { name: "Cancel" })).waitFor()
        if (leave === "Escape") await page.keyboard.press("Escape")
        else await dialog.getByRole("button", { name: leave }).press("Enter")
        await dialog.waitFor({ state: "detached" })
        await focused(rotate).waitFor()
      }
      await page.keyboard.press("Enter")
      await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).press("Enter")
      await page.getByText("Revoked", { exact: true }).waitFor()
      await page.getByRole("button", { name: "I have saved it" }).press("Enter")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      await focused(page.locator("h1")).waitFor()
    })
  })

  test.each(["Cancel", "Escape"])("a press right after %s opens the dialog again", async (leave) => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      await goTo("keys")
      await page.getByRole("button", { name: "Rotate" }).press("Enter")
      const cancel = page.getByRole("dialog").getByRole("button", { name: "Cancel" })
      await focused(cancel).waitFor()
      // Presses at the end of the first dialog, before the browser has reported it.
      await page.evaluate(`
      const dialog = document.querySelector("dialog")
      window.reported = new Promise((resolve) => dialog.addEventListener("close", resolve))
      const ended = new MutationObserver(() => {
        ended.disconnect()
        document.querySelector("table button").click()
      })
      ended.observe(dialog, { attributeFilter: ["open"] })`)
      if (leave === "Escape") await page.keyboard.press("Escape")
      else await cancel.press("Enter")
      await page.evaluate("reported.then(() => undefined)")
      await focused(cancel).waitFor()
    })
  })

  test("a removed button passes the focus to the heading, but only if it had the focus", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      const heading = focused(page.locator("h1"))
      await page.route("**/validate", (route) => route.abort())
      await goTo("?email=alice%40mailbox.test")
      const again = page.getByRole("button", { name: "Try again" })
      await again.waitFor()
      await page.unroute("**/validate")
      await again.press("Enter")
      await page.getByText("Safe to send to").waitFor()
      await heading.waitFor()

      await page.route("**/validate", async (route) => {
        const response = await route.fetch()
        await route.fulfill({ json: { ...(await response.json()), did_you_mean: "nobody@mailbox.test" } })
      })
      await page.reload()
      const meant = page.getByRole("button", { name: "nobody@mailbox.test" })
      await meant.press("Enter")
      await page.getByText("Do not send").waitFor()
      await heading.waitFor()

      // A click on the empty page removes the focus. It must not move to the heading.
      await meant.focus()
      await page.mouse.click(5, 500)
      await goTo("?email=alice%40mailbox.test")
      await page.getByText("Safe to send to").waitFor()
      expect(await heading.count()).toBe(0)
    })
  })

  test("a busy button stays focused and runs its action once", async () => {
    const { secret } = await newKey()
    await withVisitor({ apiKey: secret }, async ({ page, goTo }) => {
      let requests = 0
      let release = () => {}
      await page.route("**/suppression/check?*", async (route) => {
        requests++
        await new Promise<void>((resolve) => {
          release = resolve
        })
        await route.continue()
      })
      await goTo("suppression")
      await page.getByLabel("Address to check").fill("someone@mailbox.test")
      const check = page.getByRole("button", { name: "Check" })
      await check.press("Enter")
      await expect.poll(() => check.getAttribute("aria-disabled")).toBe("true")
      await check.press("Enter")
      await expect.poll(() => requests).toBe(1)
      release()
      await page.getByText("Not on the list").waitFor()
      await focused(check).waitFor()
      expect(requests).toBe(1)
    })
  })

  test("on a phone the menu also closes for a link to the current page", () =>
    withVisitor({ viewport: { width: 390, height: 844 } }, async ({ page, goTo }) => {
      await goTo("")
      await page.getByRole("button", { name: "Menu" }).click()
      const link = page.getByRole("link", { name: "Verify", exact: true })
      await link.click()
      expect(await link.isVisible()).toBe(false)
    }))

  test.each([768, 1280])("a long key name does not push its buttons out of view, %s px wide", async (width) => {
    const key = await newKey()
    const json = { name: `<b>${"x".repeat(90)}`, owner_email: "owner@mailbox.test" }
    await call("POST", "/keys", withKey(key, postJson(json)))
    const viewport = { width, height: 900 }
    await withVisitor({ apiKey: key.secret, viewport }, async ({ page, goTo }) => {
      await goTo("keys")
      const row = page.getByRole("row").filter({ hasText: json.name })
      const button = (await row.getByRole("button", { name: "Revoke" }).boundingBox())!
      const box = (await page.getByRole("region", { name: "Keys" }).boundingBox())!
      expect(button.x + button.width).toBeLessThanOrEqual(box.x + box.width)
    })
  })
})
