import { inject } from "vitest"

/** The token of the latest sign-in link mailed to an address; empty without one, or when the link has another base. */
export async function mailedToken(email: string): Promise<string> {
  const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
  const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
  const [, token = ""] = (messages.at(-1)?.raw ?? "").split(`${inject("stackUrl")}/console/#/sign-in/`)
  return /^[\w-]*/.exec(token)![0]
}
