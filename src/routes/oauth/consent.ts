import { z } from "@hono/zod-openapi"
import { KEY_SCOPES } from "../../domain/accounts/key-restrictions.ts"
import { KEY_LIFE_DAYS, OAuthError, readUserCode, shownUserCode } from "../../domain/oauth/grants.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { decideAuthorization, readAuthorizationRequest } from "../../services/oauth/consent.ts"
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
      user_code: shownUserCode(readUserCode(typed) ?? typed),
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

const parameter = (max: number, description: string) => z.string().max(max).openapi({ description })

/** An authorization request, as the program made it. The service checks it, not its form. */
export const AuthorizationRequest = z.object({
  client_id: parameter(2_000, "Of POST /oauth/register"),
  redirect_uri: parameter(1_000, "A registered one; on a loopback address the port may differ"),
  response_type: parameter(40, "`code`"),
  code_challenge: parameter(200, "PKCE (RFC 7636)").optional(),
  code_challenge_method: parameter(40, "`S256`").optional(),
  scope: parameter(200, "Scopes with spaces between them. All of MCP when left out").optional(),
  resource: parameter(1_000, "The URL of `/mcp` (RFC 8707)").optional(),
  state: parameter(2_000, "Returned to the program as it is").optional(),
})

const showAuthorization = endpoint("session", "GET /oauth/authorization", {
  operationId: "showAuthorization",
  summary: "Show the program that asks",
  description:
    "Checks the authorization request of an agent or another program, and returns what it asks for. Nothing is decided. Needs a session.",
  query: AuthorizationRequest,
  answer: z.object({
    ...grantFields,
    redirect_host: z.string().openapi({
      description: "Where the program gets its code: a host, or in words a program on the user's device. Not verified",
      example: "claude.ai",
    }),
  }),
  problems: [400],
  async handle(c) {
    const asked = await asProblem(readAuthorizationRequest(c.var.ctx, c.req.valid("query")))
    const { name, redirect, scopes } = asked
    return { name, redirect_host: redirect, scopes: [...scopes], lifetime_days: KEY_LIFE_DAYS }
  },
})

const decideAuthorizationRequest = endpoint("session", "POST /oauth/authorization", {
  operationId: "decideAuthorization",
  summary: "Approve or refuse the program that asks",
  description:
    "Returns the URL that leads the browser back to the program: with a code for a restricted key of this account, or with the refusal. The code works once, for two minutes.",
  json: AuthorizationRequest.extend({ approve }),
  answer: z.object({ redirect_to: z.string().openapi({ description: "Open it in the browser that asked" }) }),
  problems: [400],
  async handle(c) {
    const { approve: isApproved, ...request } = c.req.valid("json")
    const decision = { caller: member(c), request, approve: isApproved }
    return { redirect_to: await asProblem(decideAuthorization(c.var.ctx, decision)) }
  },
})

/** An error of OAuth is for the user here, because the console shows it. @throws AppError bad_request */
function asProblem<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof OAuthError ? new AppError("bad_request", error.message) : error
  })
}

export const OAUTH_CONSENT_ENDPOINTS: readonly Endpoint[] = [
  showDevice,
  decideDevice,
  showAuthorization,
  decideAuthorizationRequest,
]
