import type { Page } from "playwright-core"
import { afterEach, describe, expect, test } from "vitest"
import type { Given } from "../../support/providers/stub-server.ts"
import { describeInBrowser } from "../../support/stack/browser.ts"
import { startFormService, startFormSite } from "../../support/stack/form-page.ts"

const TYPO = "alice@gmial.com"
const REFUSED = "nobody@mailbox.test"
const CHECK = "POST /form/verify"

const answerTo = (action: string, reason: string, message: string | null, suggestion: string | null = null) => {
  const suggestion_label = suggestion && `Did you mean ${suggestion}?`
  return { status: 200, json: { action, reason, message, suggestion, suggestion_label, lang: "en" } }
}
const ANSWERS: Readonly<Record<string, Given>> = {
  [TYPO]: answerTo("fix", "typo", "Mistyped.", "alice@gmail.com"),
  [REFUSED]: answerTo("block", "no_mailbox", "No such mailbox."),
  "slow@dns.test": answerTo("ok", "no_answer", null),
}
const OK = answerTo("ok", "accepted", null)
const answer = (email: string) => ANSWERS[email] ?? OK
const silent = () => new Promise<never>(() => undefined)

describeInBrowser("the script of a form", ({ browser }) => {
  const ends: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  /** Opens a form whose service gives the answers. @param init a script that runs before those of the page */
  async function open({
    answers = answer as Parameters<typeof startFormService>[0],
    attributes = "",
    key = "k",
    init = "",
  } = {}) {
    const service = await startFormService(answers)
    const site = await startFormSite({ service: service.url, attributes })
    const page = await browser().newPage()
    ends.push(() => page.close(), site.stop, service.stop)
    await page.addInitScript(init)
    await page.goto(`${site.origin}/?key=${key}`)
    return { page, checks: () => service.calls.filter((call) => call === CHECK).length }
  }

  const field = (page: Page) => page.getByLabel("Email")
  const hint = (page: Page) => page.locator(".mailverdict-hint")
  const join = (page: Page) => page.getByRole("button", { name: "Join" })
  const isSubmitted = (page: Page) => page.getByText("Welcome").waitFor()

  async function leaveField(page: Page, email: string): Promise<void> {
    await field(page).fill(email)
    await page.keyboard.press("Tab")
  }

  test("sends one request for one check, which ends with change and blur", async () => {
    const { page, checks } = await open()
    await field(page).pressSequentially(TYPO)
    await page.keyboard.press("Tab")
    await hint(page).getByText("Mistyped.").waitFor()
    expect(checks()).toBe(1)
  })

  test("sends an address without an answer once for several blurs", async () => {
    const { page, checks } = await open({
      init: "addEventListener('mailverdict:result', () => { window.results = 1 })",
    })
    await leaveField(page, "slow@dns.test")
    await page.waitForFunction("window.results === 1")
    await field(page).focus()
    await page.keyboard.press("Tab")
    await leaveField(page, TYPO)
    await hint(page).getByText("Mistyped.").waitFor()
    expect(checks()).toBe(2)
  })

  test("moves nothing during a slow press on the button", async () => {
    const { page } = await open()
    await field(page).pressSequentially(TYPO)
    const { x, y } = (await join(page).boundingBox())!
    await page.mouse.move(x + 5, y + 5)
    const answered = page.waitForResponse(/form\/verify/)
    await page.mouse.down()
    await (await answered).finished()
    // The script has read that answer when the page has read a later one and drawn again.
    await page.evaluate(
      "fetch(document.scripts[0].src, { cache: 'reload' }).then((later) => later.text()).then(() => new Promise(requestAnimationFrame))",
    )
    expect(await hint(page).textContent()).toBe("")
    await page.mouse.up()
    await isSubmitted(page)
  })

  describe("with data-block", () => {
    const attributes = "data-block"

    test("stops Enter with a refused mailbox", async () => {
      const { page } = await open({ attributes })
      await field(page).pressSequentially(REFUSED)
      await page.keyboard.press("Enter")
      await hint(page).getByText("No such mailbox.").waitFor()
      expect(await page.evaluate("[document.activeElement.name, document.forms[0].ariaBusy]")).toEqual(["email", null])
      expect(new URL(page.url()).pathname).toBe("/")
      await field(page).fill("alice@mailbox.test")
      await page.keyboard.press("Enter")
      await isSubmitted(page)
    })

    test("checks a field that a script filled and that never had the focus", async () => {
      const { page } = await open({ attributes })
      await page.evaluate(`document.forms[0].email.value = "${REFUSED}"; document.forms[0].requestSubmit()`)
      await hint(page).getByText("No such mailbox.").waitFor()
      expect(new URL(page.url()).pathname).toBe("/")
    })

    test("submits by the pressed button after the hold when the service is silent", async () => {
      const { page } = await open({ attributes, answers: silent })
      await page.evaluate("Object.assign(document.querySelector('button'), { name: 'plan', value: 'pro' })")
      await field(page).pressSequentially(REFUSED)
      await join(page).click({ noWaitAfter: true })
      expect(await page.evaluate("document.forms[0].ariaBusy")).toBe("true")
      await isSubmitted(page)
      expect(new URL(page.url()).searchParams.get("plan")).toBe("pro")
    })

    test.each([
      ["a button without validation", "document.querySelector('button').formNoValidate = true"],
      ["a disabled field", "document.forms[0].email.disabled = true"],
      ["a read-only field", "document.forms[0].email.readOnly = true"],
    ])("leaves %s to the page, as the browser's own validation does", async (_, change) => {
      const { page } = await open({ attributes })
      await leaveField(page, REFUSED)
      await hint(page).getByText("No such mailbox.").waitFor()
      await page.evaluate(change)
      await join(page).click()
      await isSubmitted(page)
    })

    test("submits a form whose button the page changed during the hold, and guards the next submit", async () => {
      const { page } = await open({ attributes, answers: silent })
      await page.evaluate(`addEventListener("submit", (event) => { event.preventDefault(); window.submits = 1 })`)
      await field(page).pressSequentially(REFUSED)
      await join(page).click()
      await page.evaluate("document.querySelector('button').type = 'button'")
      await expect.poll(() => page.evaluate("window.submits")).toBe(1)
      expect(await page.evaluate("document.forms[0].requestSubmit(), document.forms[0].ariaBusy")).toBe("true")
    })

    test("guards a form with a field named elements", async () => {
      const { page } = await open({ attributes })
      await page.evaluate(`(() => {
        document.forms[0].insertAdjacentHTML("beforeend", "<input name=elements>")
        document.forms[0].email.value = "${REFUSED}"
        document.forms[0].requestSubmit()
      })()`)
      await hint(page).getByText("No such mailbox.").waitFor()
    })

    test("drops a held submit when the visitor edits the address", async () => {
      const { page, checks } = await open({
        attributes,
        answers: (email) => (email === TYPO ? answer(email) : silent()),
        // On a busy machine the edit may take longer than the hold.
        init: "const begin = setTimeout; window.setTimeout = (work, ms) => begin(work, ms === 1_500 ? 60_000 : ms)",
      })
      await field(page).pressSequentially(REFUSED)
      await page.keyboard.press("Enter")
      await expect.poll(checks).toBe(1)
      await field(page).fill(TYPO)
      await page.keyboard.press("Tab")
      await hint(page).getByText("Mistyped.").waitFor()
      await page.waitForFunction("document.forms[0].ariaBusy === null")
      expect([new URL(page.url()).pathname, checks()]).toEqual(["/", 2])
    })
  })

  test("reports that it is ready to a component that mounts first", async () => {
    const attach = "Mailverdict.attach(document.querySelector('input'), { key: 'k' })"
    const { page } = await open({ key: "", init: `document.addEventListener("mailverdict:ready", () => ${attach})` })
    await leaveField(page, TYPO)
    await hint(page).getByText("Mistyped.").waitFor()
  })

  test("checks a field once when a page has two copies of the script, or attaches it again", async () => {
    const { page, checks } = await open()
    await field(page).focus()
    await page.evaluate(`new Promise((onload) => {
      const { src, dataset } = document.querySelector("script")
      const copy = Object.assign(document.createElement("script"), { src, onload })
      copy.dataset.key = dataset.key
      document.head.append(copy)
    })`)
    await page.evaluate("Mailverdict.attach(document.querySelector('input'))")
    await leaveField(page, TYPO)
    await hint(page).getByText("Mistyped.").waitFor()
    expect([checks(), await hint(page).count()]).toEqual([1, 1])
  })

  test("checks no field for several addresses", async () => {
    const { page, checks } = await open()
    await page.evaluate("document.querySelector('input').multiple = true")
    await leaveField(page, "a@mailbox.test, b@mailbox.test")
    await page.evaluate("document.querySelector('input').multiple = false")
    await leaveField(page, TYPO)
    await hint(page).getByText("Mistyped.").waitFor()
    expect(checks()).toBe(1)
  })

  test("checks no half typed address when the visitor leaves the window", async () => {
    const { page, checks } = await open()
    await field(page).pressSequentially("ali")
    await page.evaluate(`(() => {
      document.hasFocus = () => false
      for (const type of ["change", "blur"]) document.activeElement.dispatchEvent(new Event(type))
      delete document.hasFocus
    })()`)
    await leaveField(page, TYPO)
    await hint(page).getByText("Mistyped.").waitFor()
    expect(checks()).toBe(1)
  })

  test("holds no field that left the page", async () => {
    const { page } = await open({ attributes: "data-block" })
    const devtools = await page.context().newCDPSession(page)
    await leaveField(page, TYPO)
    await hint(page).getByText("Mistyped.").waitFor()
    await page.evaluate(`(() => {
      window.left = new WeakRef(document.querySelector("input"))
      document.forms[0].remove()
    })()`)
    await hint(page).waitFor({ state: "detached" })
    await expect
      .poll(async () => {
        await devtools.send("HeapProfiler.collectGarbage")
        return page.evaluate("left.deref() === undefined")
      })
      .toBe(true)
  })

  test("shows the message below a form that is a row", async () => {
    const { page } = await open()
    await page.evaluate("document.forms[0].style.display = 'flex'")
    await leaveField(page, TYPO)
    await hint(page).getByText("Mistyped.").waitFor()
    const [form, message] = [(await page.locator("form").boundingBox())!, (await hint(page).boundingBox())!]
    expect(message.y).toBeGreaterThanOrEqual(form.y + form.height)
    expect(message.width).toBe(form.width)
  })

  test("has a suggestion that does not look like the page's buttons", async () => {
    const { page } = await open({
      init: `const sheet = new CSSStyleSheet()
        sheet.replaceSync("button, form button { background: blue; text-transform: uppercase; width: 100% }")
        document.adoptedStyleSheets.push(sheet)`,
    })
    await leaveField(page, TYPO)
    await hint(page).getByRole("button").waitFor()
    const style = "(({ backgroundColor, textTransform }) => [backgroundColor, textTransform])"
    const shown = await page.evaluate(`${style}(getComputedStyle(document.querySelector(".mailverdict-hint button")))`)
    expect(shown).toEqual(["rgba(0, 0, 0, 0)", "none"])
  })

  test("clears the message when the form is reset, and leaves the page's own aria-invalid", async () => {
    const { page } = await open()
    await page.evaluate("document.forms[0].email.ariaInvalid = 'true'")
    await leaveField(page, REFUSED)
    await hint(page).getByText("No such mailbox.").waitFor()
    await page.evaluate("document.forms[0].reset()")
    await expect.poll(() => hint(page).textContent()).toBe("")
    expect(await field(page).getAttribute("aria-invalid")).toBe("true")
  })

  test("leaves the aria-invalid that the page sets while the message is shown", async () => {
    const { page } = await open()
    await leaveField(page, REFUSED)
    await hint(page).getByText("No such mailbox.").waitFor()
    await page.evaluate("document.forms[0].email.ariaInvalid = 'spelling'")
    await field(page).fill("alice@mailbox.test")
    await expect.poll(() => hint(page).textContent()).toBe("")
    expect(await field(page).getAttribute("aria-invalid")).toBe("spelling")
  })

  test("says once in the console what to check when the browser hides a refusal", async () => {
    const refusal = { status: 403, headers: { "access-control-allow-origin": "https://other.example" }, json: {} }
    const { page } = await open({ answers: () => refusal })
    const warnings: string[] = []
    page.on("console", (line) => {
      if (line.type() === "warning") warnings.push(line.text())
    })
    for (const email of ["a@mailbox.test", "b@mailbox.test"]) {
      const failed = page.waitForEvent("requestfailed")
      await leaveField(page, email)
      await failed
    }
    await expect.poll(() => warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`allowed_origins contain ${new URL(page.url()).origin}`)
  })
})
