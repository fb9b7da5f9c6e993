import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Stack } from "./stack.ts"

const WITHIN_MS = 5_000

interface Stored {
  readonly key: string
  readonly origin: string
}

/**
 * Prepares the sign-up form of the sandbox: it creates a publishable key for the sandbox's origin at the first start, and
 * hands it to the sandbox. @returns the URL of the page; null when the service refuses
 */
export async function openFormDemo(
  { url, sandbox, adminSecret }: Pick<Stack, "url" | "sandbox"> & { readonly adminSecret: string },
  dataDir: string,
): Promise<string | null> {
  if (!sandbox) return null
  const page = new URL("/form-demo", sandbox.dohUrl)
  const file = join(dataDir, "form-demo.json")
  const post = async (to: string | URL, body: object, headers: Record<string, string> = {}) => {
    const init = { method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(WITHIN_MS) }
    const answer = await fetch(to, { ...init, headers: { "content-type": "application/json", ...headers } })
    if (!answer.ok) throw new Error(`${new URL(to).pathname}: ${answer.status}`)
    return answer
  }
  const createKey = async (about: object, headers: Record<string, string>) => {
    const body = { name: "form demo", owner_email: "demo@inbox.test", tier: "pro", ...about }
    return ((await (await post(`${url}/keys`, body, headers)).json()) as { api_key: string }).api_key
  }
  try {
    const stored = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Stored) : null
    let key = stored?.origin === page.origin ? stored.key : null
    if (key === null) {
      const owner = await createKey({}, { "x-admin-secret": adminSecret })
      const about = { kind: "publishable", allowed_origins: [page.origin], live_timeout_ms: 3_000 }
      key = await createKey(about, { "x-api-key": owner })
      writeFileSync(file, JSON.stringify({ key, origin: page.origin } satisfies Stored))
    }
    await post(page, { api: url, key })
    return page.href
  } catch {
    return null
  }
}
