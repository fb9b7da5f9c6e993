import { inject } from "vitest"

/** The token of the sign-in link last mailed to an address; empty when there is none, or when it leads elsewhere. */
export async function mailedToken(email: string): Promise<string> {
  const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
  const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
  const [, token = ""] = (messages.at(-1)?.raw ?? "").split(`${inject("stackUrl")}/console/#/sign-in/`)
  return /^[\w-]*/.exec(token)![0]
}
