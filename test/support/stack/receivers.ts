import type { Posted } from "../providers/inbound-signers.ts"
import { type TestKey, withKey } from "./account.ts"
import { call, postJson } from "./api.ts"

interface NewReceiver {
  readonly receiver_id: string
  readonly url: string
  readonly bounce_url: string | null
}
type Recorded = Readonly<Record<"processed" | "duplicates" | "ignored" | "unreadable", number>>

/** Creates a receiver of the key's account. */
export async function receiver(key: TestKey, provider: string, secret?: string): Promise<NewReceiver> {
  const init = withKey(key, postJson({ provider, ...(secret === undefined ? {} : { secret }) }))
  const { status, body } = await call<NewReceiver & Record<string, unknown>>("POST", "/webhooks/receivers", init)
  if (status !== 200) throw new Error(`no receiver: ${status} ${JSON.stringify(body)}`)
  return body
}

/** Posts as a provider does: to the given URL, with its user and password as a header. */
export async function send(url: string, { body, headers }: Posted) {
  const { pathname, search } = new URL(url)
  return call<Recorded & Record<string, unknown>>("POST", pathname, {
    method: "POST",
    at: pathname + search,
    body,
    headers,
  })
}
export const check = async (key: TestKey, email: string) =>
  (await call("GET", "/suppression/check", withKey(key, { at: `/suppression/check?email=${email}` }))).body
export const bounces = async (key: TestKey) => (await call("GET", "/bounce/stats", withKey(key))).body
export const receivers = async (key: TestKey) =>
  (await call<{ receivers: Record<string, unknown>[] }>("GET", "/webhooks/receivers", withKey(key))).body.receivers
