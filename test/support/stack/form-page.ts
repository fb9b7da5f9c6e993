import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { ASSETS } from "../../../scripts/build/built.ts"
import { type Given, type StubServer, startStub } from "../providers/stub-server.ts"

/** A site with a sign-up form. */
export interface FormSite {
  /** Its origin. */
  readonly origin: string
  stop(): Promise<void>
}

/**
 * Serves `/?key=<key>` with a form that has only the one script tag of docs/form-guard.md, in a strict policy. `service`
 * is the service that the script comes from, by default the running stack. A submitted form reaches `/submitted`.
 */
export async function startFormSite({ service = inject("stackUrl"), attributes = "" } = {}): Promise<FormSite> {
  const { url, stop } = await startStub(({ path, query }) => {
    if (path === "/submitted") return { status: 200, headers: { "content-type": "text/html" }, text: "Welcome" }
    const key = query.get("key") ?? ""
    const csp = `default-src 'none'; script-src ${service}; connect-src ${service}; form-action 'self'`
    const text = `<!doctype html><html lang="${query.get("lang") ?? "en"}"><title>Sign up</title><main>
      <h1>Sign up</h1>
      <form action="/submitted"><label>Email <input type="email" name="email"></label> <button>Join</button></form></main>
      <script src="${service}/form.js" data-key="${key}" ${attributes} defer></script></html>`
    return { status: 200, headers: { "content-type": "text/html", "content-security-policy": csp }, text }
  })
  return { origin: url, stop }
}

/** Starts a stub of the service that serves the built script. @param answer returns the response to a check of an address */
export function startFormService(answer: (email: string) => Given | Promise<Given>): Promise<StubServer> {
  const script = readFileSync(join(ASSETS, "form.js"), "utf8")
  const headers = { "content-type": "text/javascript", "access-control-allow-origin": "*" }
  return startStub(async ({ path, body }) => {
    if (path === "/form.js") return { status: 200, headers, text: script }
    const given = await answer((JSON.parse(body) as { email: string }).email)
    return { ...given, headers: { "access-control-allow-origin": "*", ...given.headers } }
  })
}
