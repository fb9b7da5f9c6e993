import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"

/** What the page is filled in with. */
export interface FormDemo {
  /** Origin of the service. */
  readonly api: string
  /** A publishable key for pages of this server. */
  readonly key: string
}

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/form-demo": ["page.html", "text/html; charset=utf-8"],
  "/form-demo/page.css": ["page.css", "text/css; charset=utf-8"],
  "/form-demo/page.js": ["page.js", "text/javascript; charset=utf-8"],
}

/**
 * Answers with a file of the sign-up form that shows `/form.js` on another origin than the service. Its content security
 * policy has only what docs/form-guard.md asks for. @returns false for another path, and before there is a key
 */
export function answerFormDemo(path: string, response: ServerResponse, demo: FormDemo | null): boolean {
  const [file, type] = FILES[path] ?? []
  if (!file || !type || !demo) return false
  const { api, key } = demo
  const text = readFileSync(new URL(`form-demo/${file}`, import.meta.url), "utf8")
  response
    .writeHead(200, {
      "content-type": type,
      "content-security-policy": `default-src 'none'; script-src 'self' ${api}; connect-src ${api}; style-src 'self'; img-src data:`,
    })
    .end(text.replaceAll("{api}", api).replaceAll("{key}", key))
  return true
}

/** Reads what `npm start` hands over. Null when it is not an origin with a publishable key. */
export function readFormDemo(text: string): FormDemo | null {
  const { api, key } = JSON.parse(text) as Partial<FormDemo>
  const isValid = api !== undefined && URL.parse(api)?.origin === api && /^mv_pk_\w+$/.test(key ?? "")
  return isValid ? { api, key: key! } : null
}
