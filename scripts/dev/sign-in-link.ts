import type { Sandbox } from "./stack.ts"

/** A mailbox of the sandbox, whose mail anybody on this machine can read. */
const MAILBOX = "you@inbox.test"
const WITHIN_MS = 5_000

/** Requests a sign-in link as a visitor would and reads it from the sandbox's inbox. @returns null when none arrived */
export async function firstSignInLink(url: string, { dohUrl }: Sandbox): Promise<string | null> {
  const signal = AbortSignal.timeout(WITHIN_MS)
  try {
    const body = JSON.stringify({ email: MAILBOX })
    const headers = { "content-type": "application/json" }
    const asked = await fetch(`${url}/auth/request`, { method: "POST", headers, body, signal })
    if (!asked.ok) return null
    const inbox = new URL(`/sandbox/inbox?to=${MAILBOX}`, dohUrl)
    const messages = (await (await fetch(inbox, { signal })).json()) as readonly { raw: string }[]
    return /https?:\S+#\/sign-in\/\S+/.exec(messages.at(-1)?.raw ?? "")?.[0] ?? null
  } catch {
    return null
  }
}
