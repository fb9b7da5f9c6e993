import { inject } from "vitest"

/** The token of the sign-in link last mailed to an address; empty when there is none. */
export async function mailedToken(email: string): Promise<string> {
  const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
  const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
  return /\/console\/#\/sign-in\/([\w-]+)/.exec(messages.at(-1)?.raw ?? "")?.[1] ?? ""
}
