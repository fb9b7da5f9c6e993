import { readFileSync } from "node:fs"
import { build } from "esbuild"
import type { Page } from "playwright-core"
import { afterEach, beforeAll, expect, inject, test } from "vitest"
import { type StubServer, startStub } from "../../support/providers/stub-server.ts"
import { newKey, newPublishableKey, type TestKey } from "../../support/stack/account.ts"
import { describeInBrowser } from "../../support/stack/browser.ts"
import { startFormService } from "../../support/stack/form-page.ts"
import { PROJECT } from "../../support/stack/guide-steps.ts"

// The component of docs/form-guard.md, as it is there, in a page that React renders.

const GUIDE = readFileSync(new URL("../../../docs/form-guard.md", import.meta.url), "utf8")
const COMPONENT = /^## React$.*?^```jsx\n(.*?)^```$/ms.exec(GUIDE)![1]!
const KEY = "mv_pk_…"
const PAGE = `
  import { StrictMode } from "react"
  import { createRoot } from "react-dom/client"
  const form = <form action="/submitted"><label>Email <EmailField /></label> <button>Join</button></form>
  createRoot(document.querySelector("main")).render(<StrictMode>{form}</StrictMode>)`

/** Builds the page with a key in place of the guide's. Preact has React's interface. */
async function buildPage(key: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `${COMPONENT.replace(KEY, key)}${PAGE}`, loader: "jsx", resolveDir: PROJECT },
    bundle: true,
    write: false,
    jsx: "automatic",
    alias: { react: "preact/compat", "react-dom": "preact/compat" },
  })
  return outputFiles[0]!.text
}

describeInBrowser("the component of the guide for React", ({ browser }) => {
  let owner: TestKey
  const servers: StubServer[] = []
  const pages: Page[] = []

  beforeAll(async () => {
    owner = await newKey()
  })
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.context().close()))
    await Promise.all(servers.splice(0).map(({ stop }) => stop()))
  })

  /** Opens the form with a key of its own. @returns the page, and what `onResult` has logged */
  async function openForm({ service = inject("stackUrl"), loadsFirst = "form.js" } = {}) {
    let app = ""
    const scripts = [`<script src="${service}/form.js" defer></script>`, `<script src="/app.js" defer></script>`]
    const ordered = loadsFirst === "form.js" ? scripts : scripts.toReversed()
    const site = await startStub(({ path }) => {
      if (path === "/app.js") return { status: 200, headers: { "content-type": "text/javascript" }, text: app }
      const text = path === "/" ? `<html lang="en"><title>Sign up</title><main></main>${ordered.join("")}` : "Welcome"
      return { status: 200, headers: { "content-type": "text/html" }, text: `<!doctype html>${text}` }
    })
    servers.push(site)
    const { secret } = await newPublishableKey(owner, { allowed_origins: [site.url] })
    app = await buildPage(secret)
    const page = await (await browser().newContext()).newPage()
    pages.push(page)
    const logged: string[] = []
    page.on("console", (line) => line.type() === "log" && logged.push(line.text()))
    await page.goto(site.url)
    return { page, logged }
  }

  /** Types an address and leaves the field, until the component has its result: a busy machine may be too slow at first. */
  async function typeUntil({ page, logged }: Awaited<ReturnType<typeof openForm>>, email: string, result: string) {
    await page.getByLabel("Email").fill(email)
    const last = async () => {
      await page.getByLabel("Email").focus()
      await page.keyboard.press("Tab")
      return logged.at(-1)
    }
    await expect.poll(last, { interval: 400 }).toBe(result)
  }

  test("offers the address that was meant, when it mounts before the script has loaded", async () => {
    const form = await openForm({ loadsFirst: "app.js" })
    await typeUntil(form, "alice@gmial.com", "fix typo")
    await form.page.getByRole("button", { name: "Did you mean alice@gmail.com?" }).click()
    expect(await form.page.getByLabel("Email").inputValue()).toBe("alice@gmail.com")
  })

  test("stops the submit of an address that takes no mail", async () => {
    const form = await openForm()
    await typeUntil(form, "someone@mailinator.com", "block disposable")
    await form.page.getByRole("button", { name: "Join" }).click()
    await form.page.locator(".mailverdict-hint[data-action=block]").waitFor()
    expect(new URL(form.page.url()).pathname).toBe("/")
    await form.page.getByLabel("Email").fill("alice@mailbox.test")
    await form.page.getByRole("button", { name: "Join" }).click()
    await form.page.getByText("Welcome").waitFor()
  })

  test("submits without an answer of the service", async () => {
    const service = await startFormService(() => ({ status: 503, json: {} }))
    servers.push(service)
    const { page, logged } = await openForm({ service: service.url })
    await page.getByLabel("Email").fill("someone@mailinator.com")
    await page.getByRole("button", { name: "Join" }).click()
    await page.getByText("Welcome").waitFor()
    expect({ calls: service.calls, logged }).toMatchObject({ calls: ["GET /form.js", "POST /form/verify"], logged: [] })
  })
})
