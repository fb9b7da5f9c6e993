import { z } from "@hono/zod-openapi"
import { KEY_SCOPES } from "../../domain/accounts/key-restrictions.ts"
import { KEY_LIFE_DAYS } from "../../domain/oauth/grants.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { decideDeviceSignIn, findDeviceSignIn } from "../../services/oauth/device.ts"

const endpoint = endpointsOf("sign-in")

const userCode = z
  .string()
  .max(20)
  .regex(/^[A-Za-z -]{8,20}$/, "must be the eight letters that the program shows")
  .openapi({ description: "The code that the program shows; spaces and case do not matter", example: "WDJB-MJHT" })

const approve = z.boolean().openapi({ description: "False refuses the program for good", example: true })

/** What a program gets by an approval. */
const grantFields = {
  name: z.string().openapi({ description: "What the program calls itself: not verified", example: "my-laptop" }),
  scopes: z.array(z.enum(KEY_SCOPES)).openapi({ description: "Scopes of the key that the program gets" }),
  lifetime_days: z.int().openapi({ description: "How long the key works", example: KEY_LIFE_DAYS }),
}

const showDevice = endpoint("session", "GET /oauth/device", {
  operationId: "showDeviceSignIn",
  summary: "Show the program behind a code",
  description:
    "Returns what the program asks for that shows this code, as `mailverdict login` does. Nothing is decided. Needs a session.",
  query: z.object({ user_code: userCode }),
  answer: z.object({ user_code: z.string(), ...grantFields, requested_at: z.iso.datetime() }),
  problems: [404],
  async handle(c) {
    const { user_code: typed } = c.req.valid("query")
    const { name, scopes, createdAt } = await findDeviceSignIn(c.var.ctx, { caller: member(c), typed })
    const requested = scopes.split(" ")
    return {
      user_code: typed,
      name,
      scopes: KEY_SCOPES.filter((scope) => requested.includes(scope)),
      lifetime_days: KEY_LIFE_DAYS,
      requested_at: iso(createdAt),
    }
  },
})

const decideDevice = endpoint("session", "POST /oauth/device", {
  operationId: "decideDeviceSignIn",
  summary: "Approve or refuse a program",
  description:
    "Decides about the program that shows this code. An approved one gets a restricted key of this account, once. The key is listed by GET /keys.",
  json: z.object({ user_code: userCode, approve }),
  answer: z.object({ state: z.enum(["approved", "denied"]) }),
  problems: [404],
  async handle(c) {
    const { user_code: typed, approve } = c.req.valid("json")
    await decideDeviceSignIn(c.var.ctx, { caller: member(c), typed, approve })
    return { state: approve ? ("approved" as const) : ("denied" as const) }
  },
})

export const OAUTH_CONSENT_ENDPOINTS: readonly Endpoint[] = [showDevice, decideDevice]
