import { z } from "@hono/zod-openapi"
import type { UnconfirmedKey } from "../../adapters/store/accounts/unclaimed-accounts.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { component } from "../../http/fields.ts"
import { emailOf } from "../../services/accounts/identify.ts"
import {
  joinUnconfirmedKey,
  listUnconfirmedKeys,
  MAX_COUNTED,
  offerTo,
  revokeUnconfirmedKey,
} from "../../services/accounts/unconfirmed-keys.ts"
import { KeyId, last4 } from "./present-key.ts"

const endpoint = endpointsOf("keys")

const Unconfirmed = component("UnconfirmedKey", {
  key_id: z.string(),
  last4,
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable().openapi({ description: "Null before the first use" }),
  network: z.string().nullable().openapi({
    description:
      "Where the key was created: an IPv4 /24 or an IPv6 /48. Null for a key made with another key or by the operator",
    example: "203.0.113.0/24",
  }),
  requested_sign_in: z
    .boolean()
    .openapi({ description: "This key requested the link of this session, in the same browser" }),
  lineage_keys: z.int().openapi({ description: "Active keys that join together, this one included" }),
})

/** Without the key's name: a stranger may have chosen it to deceive. */
function presentUnconfirmed(key: UnconfirmedKey): z.infer<typeof Unconfirmed> {
  return {
    key_id: key.keyId,
    last4: key.last4,
    created_at: iso(key.createdAt),
    last_used_at: iso(key.lastUsed),
    network: key.network,
    requested_sign_in: key.requestedSignIn,
    lineage_keys: key.lineageKeys,
  }
}

const list = endpoint("session", "GET /me/unconfirmed-keys", {
  operationId: "listUnconfirmedKeys",
  summary: "List unconfirmed keys",
  description:
    "Returns keys that were made in the name of this mailbox, and the key that requested the sign-in link in the same browser. Join or revoke each. No proof connects these keys to the mailbox: any caller can name it. Join only a key that you made yourself. Needs a session: an API key is 403.",
  answer: z.object({
    email: z.string(),
    keys: z.array(Unconfirmed).openapi({
      description: "At most 100 active keys: the one that requested the sign-in first, then the newest",
    }),
    total: z.int().openapi({ description: `All unconfirmed keys, counted up to ${MAX_COUNTED}` }),
  }),
  async handle(c) {
    const caller = member(c)
    const { keys, total } = await listUnconfirmedKeys(c.var.ctx, offerTo(caller))
    return { email: emailOf(caller), keys: keys.map(presentUnconfirmed), total }
  },
})

const join = endpoint("session", "POST /me/unconfirmed-keys/{key_id}/join", {
  operationId: "joinUnconfirmedKey",
  summary: "Join an unconfirmed key",
  description:
    "Adds the key to the account, with its lineage, its usage and its data. Irreversible. The better plan of both applies to all keys. Needs a session: an API key is 403.",
  params: KeyId,
  answer: z.object({
    key_id: z.string(),
    account_id: z.string(),
    joined_keys: z.int().openapi({ description: "Keys of the lineage that joined, revoked ones included" }),
  }),
  problems: [404],
  async handle(c) {
    const [caller, { key_id }] = [member(c), c.req.valid("param")]
    const joined = await joinUnconfirmedKey(c.var.ctx, { caller, keyId: key_id })
    c.set("auditNote", { subject: key_id, details: { account: caller.accountId, keys: joined } })
    return { key_id, account_id: caller.accountId, joined_keys: joined }
  },
})

const revoke = endpoint("session", "DELETE /me/unconfirmed-keys/{key_id}", {
  operationId: "revokeUnconfirmedKey",
  summary: "Revoke an unconfirmed key",
  description:
    "Ends an unconfirmed key at once and for good. Use it for a key that you did not make. Other keys of its lineage keep working. Needs a session: an API key is 403.",
  params: KeyId,
  answer: z.object({ key_id: z.string(), revoked: z.literal(true) }),
  problems: [404],
  async handle(c) {
    const { key_id } = c.req.valid("param")
    await revokeUnconfirmedKey(c.var.ctx, { caller: member(c), keyId: key_id })
    return { key_id, revoked: true as const }
  },
})

export const unconfirmedKeyEndpoints: Endpoint[] = [list, join, revoke]
