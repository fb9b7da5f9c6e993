import type { CreateKeyInput } from "../operations.ts"
import { clientFor, readApiKey } from "./config.ts"
import { paint, print, report, type Terminal } from "./terminal.ts"

interface Options {
  readonly json?: boolean
}

/** `mailverdict find FIRST LAST DOMAIN`. */
export async function find(
  terminal: Terminal,
  { first, last, domain }: { first: string; last: string; domain: string },
  { json }: Options,
): Promise<number> {
  const found = await clientFor(terminal).call("findEmailV2", { first_name: first, last_name: last, domain })
  if (json) print(terminal, JSON.stringify(found))
  else if (!found.best_email) report(terminal, "No address found.")
  else
    for (const { email, confidence, verified } of found.candidates)
      print(
        terminal,
        `${email}  ${Math.round(confidence * 100)} %${verified ? paint(terminal, "green", "  verified") : ""}`,
      )
  return found.best_email ? 0 : 1
}

/** `mailverdict keys`. */
export async function listKeys(terminal: Terminal, { json }: Options): Promise<number> {
  const { keys } = await clientFor(terminal).call("listKeys", {})
  if (json) print(terminal, JSON.stringify(keys))
  else
    for (const key of keys) {
      const ended = key.expired ? paint(terminal, "yellow", "expired") : paint(terminal, "green", "active")
      const state = key.is_active ? ended : paint(terminal, "grey", "revoked")
      const limit = key.monthly_limit ?? "unlimited"
      print(terminal, `${key.key_id}  ${state}  ${key.tier}  ${key.credits_this_month}/${limit}  ${key.name}`)
    }
  return 0
}

/** `mailverdict keys create NAME EMAIL`: prints only the secret to stdout. */
export async function createKey(
  terminal: Terminal,
  { name, email }: { name: string; email: string },
  options: Pick<CreateKeyInput, "tier">,
): Promise<number> {
  const key = await clientFor(terminal).call("createKey", { name, owner_email: email, ...options })
  report(terminal, `${key.key_id}: ${key.warning}`)
  if (key.confirm) report(terminal, `It belongs to no account yet. Store it, then run: mailverdict sign-in ${email}`)
  print(terminal, key.api_key)
  return 0
}

/** `mailverdict keys revoke KEY_ID`. */
export async function revokeKey(terminal: Terminal, keyId: string): Promise<number> {
  await clientFor(terminal).call("revokeKey", { key_id: keyId })
  report(terminal, `${keyId} is revoked.`)
  return 0
}

/** `mailverdict sign-in EMAIL`: mails a sign-in link with the stored key, which the owner can then join or revoke. */
export async function requestSignIn(terminal: Terminal, email: string): Promise<number> {
  const { message } = await clientFor(terminal).call("requestSignIn", { email })
  report(terminal, message)
  if (readApiKey(terminal))
    report(terminal, "The page of the link shows your key: choose Join to add it to the account.")
  return 0
}

/** `mailverdict suppress EMAIL`. */
export async function suppress(
  terminal: Terminal,
  email: string,
  { reason }: { reason: "hard_bounce" | "soft_bounce" | "spam_complaint" | "unsubscribe" | "manual" },
): Promise<number> {
  const { message } = await clientFor(terminal).call("addSuppression", { email, reason })
  report(terminal, message)
  return 0
}
