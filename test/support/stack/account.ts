import { inject } from "vitest"
import { makeSecret, SECRET_ENTROPY_BYTES } from "../../../src/domain/accounts/credentials.ts"
import { type CallInit, call, postJson } from "./api.ts"

export interface TestKey {
  readonly keyId: string
  readonly secret: string
}

/** A key of a new account, so that suites do not share limits. The operator creates tiers above free. */
export async function newKey(
  tier: "free" | "starter" | "pro" | "enterprise" = "enterprise",
  owner = "owner@mailbox.test",
): Promise<TestKey> {
  const init = postJson({ name: "test", owner_email: owner, tier })
  const { body, status } = await call<{ key_id: string; api_key: string }>("POST", "/keys", asAdmin(init))
  if (status !== 200) throw new Error(`cannot create a ${tier} key: ${status}`)
  return { keyId: body.key_id, secret: body.api_key }
}

/** The secret of a key that was never issued. Only the database can tell. */
export const inventedKey = () => makeSecret(crypto.getRandomValues(new Uint8Array(SECRET_ENTROPY_BYTES)))

/** The origin of a publishable key's pages. */
export const SHOP = "https://shop.example"

/** A publishable key of an account, for pages of SHOP unless stated otherwise. */
export async function newPublishableKey(owner: TestKey, settings: object = {}): Promise<TestKey> {
  const about = { name: "sign-up form", owner_email: "owner@mailbox.test", kind: "publishable" }
  const init = withKey(owner, postJson({ ...about, allowed_origins: [SHOP], ...settings }))
  const { body, status } = await call<{ key_id: string; api_key: string }>("POST", "/keys", init)
  if (status !== 200) throw new Error(`cannot create a publishable key: ${JSON.stringify(body)}`)
  return { keyId: body.key_id, secret: body.api_key }
}

export const asAdmin = (init: CallInit = {}): CallInit => ({
  ...init,
  headers: { ...init.headers, "x-admin-secret": inject("adminSecret") },
})

export const withKey = ({ secret }: TestKey, init: CallInit = {}): CallInit => ({
  ...init,
  headers: { ...init.headers, "x-api-key": secret },
})

/** Credits a key has used this month. */
export async function usedCredits(key: TestKey): Promise<number> {
  const { body } = await call<{ keys: { key_id: string; credits_this_month: number }[] }>("GET", "/keys", withKey(key))
  return body.keys.find(({ key_id }) => key_id === key.keyId)!.credits_this_month
}
