import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { BrowserContextOptions, Page } from "playwright-core"
import { afterEach, beforeAll, describe, expect, inject, test } from "vitest"
import { ASSETS } from "../../../scripts/build/built.ts"
import { openFormDemo } from "../../../scripts/dev/form-demo.ts"
import { newKey, newPublishableKey, type TestKey, withKey } from "../../support/stack/account.ts"
import { call } from "../../support/stack/api.ts"
import { describeInBrowser, expectAccessible, expectToFit, saveScreenshot } from "../../support/stack/browser.ts"
import { type FormSite, startFormService, startFormSite } from "../../support/stack/form-page.ts"
import { LOOKS } from "../../support/stack/variants.ts"

const MAX_GZIP_BYTES = 6_000

test("the script is smaller than 6 KB, compressed", () => {
  expect(gzipSync(readFileSync(join(ASSETS, "form.js"))).length).toBeLessThan(MAX_GZIP_BYTES)
})

describeInBrowser("a sign-up form", ({ browser }) => {
  let owner: TestKey
  const sites: FormSite[] = []
  const pages: Page[] = []
  const troubles: string[] = []

  beforeAll(async () => {
    owner = await newKey()
  })
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.context().close()))
    await Promise.all(sites.splice(0).map((site) => site.stop()))
    expect(troubles.splice(0)).toEqual([])
  })

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    // No added headers: the browser would send a preflight for them. Each test has a key of its own instead.
    const page = await (await browser().newContext(options)).newPage()
    pages.push(page)
    page.on("pageerror", ({ message }) => troubles.push(message))
    page.on("console", (line) => {
      if (/content security policy/i.test(line.text())) troubles.push(line.text())
    })
    await page.goto(url)
    return page
  }

  async function startSite(options: Parameters<typeof startFormSite>[0] = {}): Promise<FormSite> {
    const site = await startFormSite(options)
    sites.push(site)
    return site
  }

  /** Opens the form of a site with a key of its own. */
  async function openForm({ attributes = "", lang = "en", settings = {} } = {}): Promise<Page> {
    const { origin } = await startSite({ attributes })
    const key = await newPublishableKey(owner, { allowed_origins: [origin], ...settings })
    return open(`${origin}/?key=${key.secret}&lang=${lang}`)
  }

  const field = (page: Page) => page.getByLabel("Email")
  const hint = (page: Page) => page.locator(".mailverdict-hint")

  /** Types an address and leaves the field, until the hint shows a text: a busy machine may be too slow at first. */
  async function typeUntil(page: Page, email: string, text: string | RegExp): Promise<void> {
    await field(page).fill(email)
    const shown = async () => {
      const hinted = await hint(page).textContent()
      await field(page).focus()
      await page.keyboard.press("Tab")
      return hinted
    }
    await expect.poll(shown, { interval: 400 }).toMatch(text)
  }

  test("helps when the field loses the focus, and takes the suggestion by keyboard", async () => {
    const page = await openForm()
    await page.evaluate(`addEventListener("mailverdict:result", ({ detail }) => {
      window.result = { ...detail, movesFocus: document.activeElement.closest(".mailverdict-hint") !== null }
    })`)
    await typeUntil(page, "alice@gmial.com", "This address looks mistyped. Did you mean alice@gmail.com?")
    expect(await page.evaluate("window.result")).toMatchObject({
      action: "fix",
      email: "alice@gmial.com",
      movesFocus: false,
    })
    // The suggestion stands before the next control.
    await page.getByRole("button", { name: "Join" }).focus()
    await page.keyboard.press("Shift+Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Did you mean alice@gmail.com?")
    const describedBy = await field(page).getAttribute("aria-describedby")
    expect(await page.locator(`#${describedBy}`).getAttribute("role")).toBe("status")
    await expectAccessible(page)
    await page.keyboard.press("Enter")
    expect(await field(page).inputValue()).toBe("alice@gmail.com")
    expect(await page.evaluate("document.activeElement.name")).toBe("email")
    expect([await hint(page).textContent(), await field(page).getAttribute("aria-describedby")]).toEqual(["", null])
  })

  test("speaks the language of the page", async () => {
    const page = await openForm({ lang: "ja" })
    await typeUntil(page, "alice@null-mx.test", "このドメインではメールを受信できません。")
    expect(await hint(page).getAttribute("lang")).toBe("ja")
  })

  test("stops the submit of a blocked address with data-block only", async () => {
    for (const attributes of ["data-block", ""]) {
      const page = await openForm({ attributes })
      await typeUntil(page, "alice@mailinator.com", /permanent email address/)
      await page.getByRole("button", { name: "Join" }).click()
      if (attributes === "") {
        await page.getByText("Welcome").waitFor()
        continue
      }
      expect(new URL(page.url()).pathname).toBe("/")
      expect(await field(page).getAttribute("aria-invalid")).toBe("true")
      await typeUntil(page, "support@mailbox.test", /shared mailbox/)
      await page.getByRole("button", { name: "Join" }).click()
      await page.getByText("Welcome").waitFor()
    }
  })

  test.each([
    ["silent", () => new Promise<never>(() => undefined)],
    ["broken", async () => ({ status: 500, text: "oops" })],
    ["no service at all", async () => ({ status: 200, text: "<html>" })],
  ])("is submitted when the service is %s", async (_, answer) => {
    const service = await startFormService(answer)
    sites.push({ origin: service.url, stop: () => service.stop() })
    const { origin } = await startSite({ service: service.url, attributes: "data-block" })
    const page = await open(`${origin}/?key=mv_pk_x`)
    await field(page).fill("alice@mailinator.com")
    await page.keyboard.press("Tab")
    await expect.poll(() => service.calls).toContain("POST /form/verify")
    await page.getByRole("button", { name: "Join" }).click()
    await page.getByText("Welcome").waitFor()
  })

  test("asks once about a value, and not at all about an empty field", async () => {
    const page = await openForm()
    const asked: string[] = []
    page.on("request", (request) => {
      if (request.url().includes("/form/verify")) asked.push(`${request.method()} ${request.postData()}`)
    })
    await field(page).focus()
    await page.keyboard.press("Tab")
    await typeUntil(page, "support@mailbox.test", /shared mailbox/)
    const before = asked.length
    await typeUntil(page, "alice@null-mx.test", /cannot receive/)
    await typeUntil(page, "support@mailbox.test", /shared mailbox/)
    const about = (email: string) => asked.filter((one) => one.includes(email)).length
    expect([about("support@mailbox.test"), about('""')]).toEqual([before, 0])
    expect(asked.every((one) => one.startsWith("POST "))).toBe(true)
  })

  describe("a hostile page on another origin, with the stolen key", () => {
    test("reads nothing and uses nothing, whatever it sends", async () => {
      const { origin } = await startSite()
      const key = await newPublishableKey(owner, { allowed_origins: ["https://shop.example"] })
      // A page without a policy of its own.
      const page = await open(`${inject("providerUrls").hooks}/hostile`)
      expect(new URL(page.url()).origin).not.toBe(origin)
      const tried = await page.evaluate(attempts, { home: inject("stackUrl"), key: key.secret })
      expect(tried).toEqual(tried.map(() => "nothing"))
      expect(tried.length).toBeGreaterThan(5)
      const { body } = await call<{ keys: object[] }>("GET", "/keys", withKey(owner))
      expect(body.keys).toContainEqual(expect.objectContaining({ key_id: key.keyId, used_today: 0 }))
    })

    test("floods the form's own site with at most its visitor's limit", async () => {
      const { origin } = await startSite()
      const settings = { allowed_origins: [origin], visitor_per_minute: 5, daily_budget: 100 }
      const key = await newPublishableKey(owner, settings)
      const page = await open(`${origin}/?key=${key.secret}`)
      const url = `${inject("stackUrl")}/form/verify?api_key=${key.secret}`
      const flood = `Promise.all(Array.from({ length: 60 }, (_, n) => fetch(${JSON.stringify(url)},
        { method: "POST", body: JSON.stringify({ email: "alice+" + n + "@mailbox.test" }) }).then(({ status }) => status)))`
      const statuses = (await page.evaluate(flood)) as number[]
      expect(statuses.filter((status) => status === 200)).toHaveLength(5)
      expect(statuses.filter((status) => status === 429)).toHaveLength(55)
      // The script pauses without an error, and the form still works.
      await field(page).fill("alice@gmial.com")
      await page.getByRole("button", { name: "Join" }).click()
      await page.getByText("Welcome").waitFor()
    })
  })

  describe.each(LOOKS)("the page of the sandbox, %s", (name, look) => {
    test("shows each action, is accessible and fits", async () => {
      const stack = { url: inject("stackUrl"), sandbox: inject("sandbox") }
      const url = await openFormDemo({ ...stack, adminSecret: inject("adminSecret") }, inject("dataDir"))
      const page = await open(url!, look)
      const answers = [
        ["alice@gmial.com", "fix"],
        ["support@mailbox.test", "warn"],
        ["nobody@mailbox.test", "block"],
        ["alice@mailbox.test", "ok"],
      ] as const
      for (const [email, action] of answers) {
        const shown = async () => {
          const result = (await page.locator("#result").textContent())!
          await page.getByRole("button", { name: email, exact: true }).click()
          return JSON.parse(result.replace(/^The.*/, "{}")) as object
        }
        await expect.poll(shown, { interval: 400 }).toMatchObject({ email, action })
        await expectAccessible(page)
        await expectToFit(page)
        await saveScreenshot(page, `form-demo-${action}-${name.replace(", ", "-")}`)
      }
    })
  })
})

/** Runs in the hostile page. @returns for each attempt "nothing", or what it read */
async function attempts({ home, key }: { home: string; key: string }): Promise<string[]> {
  const json = { "content-type": "application/json" }
  const form = { method: "POST", body: JSON.stringify({ email: "alice@mailbox.test" }) }
  const tries: [string, RequestInit][] = [
    [`/form/verify?api_key=${key}`, form],
    ["/form/verify", { ...form, headers: { ...json, "x-api-key": key } }],
    ["/form/verify", { ...form, headers: { ...json, authorization: `Bearer ${key}` } }],
    [`/form/verify?api_key=${key}`, { ...form, credentials: "include" }],
    [`/form/verify?api_key=${key}`, { ...form, mode: "no-cors" }],
    [`/form/verify?api_key=${key}`, { ...form, referrerPolicy: "no-referrer" }],
    ...[
      "/usage",
      "/keys",
      "/auth/me",
      "/me/recent-verifications",
      "/plans",
      "/validate/fast?email=alice@mailbox.test",
    ].map((path): [string, RequestInit] => [path, { headers: { "x-api-key": key } }]),
  ]
  return Promise.all(
    tries.map(async ([path, init]) => {
      const answer = await fetch(home + path, init).catch(() => null)
      const text = answer?.ok ? await answer.text() : ""
      return text === "" ? "nothing" : text
    }),
  )
}
