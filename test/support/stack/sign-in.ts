import { inject } from "vitest"
import { callUnchecked, postJson } from "./api.ts"

let networks = 0

/** Signs in by a mailed link from a separate network, with a new session each time. @returns the session token */
export async function sessionOf(email: string): Promise<string> {
  const init = postJson({ email })
  const headers = { ...init.headers, "x-real-ip": `10.78.${networks >> 8}.${networks++ & 255}` }
  const asked = await callUnchecked("/auth/request", { ...init, headers })
  if (asked.status !== 200) throw new Error(`no sign-in link: ${asked.status} ${asked.text}`)
  const inbox = new URL(`/sandbox/inbox?to=${encodeURIComponent(email)}`, inject("sandbox").dohUrl)
  const messages = (await (await fetch(inbox)).json()) as { raw: string }[]
  const token = /#\/sign-in\/([\w-]+)/.exec(messages.at(-1)?.raw ?? "")?.[1] ?? ""
  const { status, body } = await callUnchecked<{ session_token: string }>("/auth/verify", postJson({ token }))
  if (status !== 200) throw new Error(`the link did not sign in: ${status}`)
  return body.session_token
}
