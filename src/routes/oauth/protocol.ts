import { z } from "@hono/zod-openapi"
import type { Context } from "hono"
import {
  CLI_CLIENT_ID,
  DEVICE_CODE_MS,
  DEVICE_GRANT,
  KEY_LIFE_MS,
  OAuthError,
  POLL_SECONDS,
  shownUserCode,
} from "../../domain/oauth/grants.ts"
import { AppError } from "../../errors.ts"
import { clientIpOf } from "../../http/access.ts"
import { type AppEnv, type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { readBytes } from "../../http/request-body.ts"
import { registerClient } from "../../services/oauth/clients.ts"
import { checkResource } from "../../services/oauth/consent.ts"
import { beginDeviceSignIn } from "../../services/oauth/device.ts"
import {
  exchangeAuthorizationCode,
  type IssuedKey,
  pollDeviceCode,
  revokeBySecret,
} from "../../services/oauth/token.ts"
import { AuthorizationRequest } from "./consent.ts"

const endpoint = endpointsOf("oauth")

const MAX_FORM_BYTES = 10_000
const FORM = "application/x-www-form-urlencoded"

type Fields = Readonly<Record<string, string | undefined>>

/** The fields of a form (RFC 6749 appendix B). @throws AppError; OAuthError invalid_request for a repeated field */
async function readForm(c: Context<AppEnv>): Promise<Fields> {
  if (c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() !== FORM)
    throw new AppError("unsupported_media_type", `the request body must be ${FORM}`)
  const pairs = [...new URLSearchParams(new TextDecoder().decode(await readBytes(c, MAX_FORM_BYTES)))]
  const fields = Object.fromEntries(pairs)
  if (pairs.length !== Object.keys(fields).length) throw new OAuthError("invalid_request", "each field may appear once")
  return fields
}

/** Answers in the form of OAuth (RFC 6749 5.2). No cache stores it. Limits and outages answer as everywhere. */
function answering(answer: (c: Context<AppEnv>) => Promise<object>, status: 200 | 201 = 200) {
  return async function handleOAuth(c: Context<AppEnv>): Promise<Response> {
    c.header("cache-control", "no-store")
    try {
      return c.json(await answer(c), status)
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      return c.json({ error: error.code, error_description: error.message }, 400)
    }
  }
}

const form = { content: { [FORM]: { schema: {} } }, body: { maxBytes: MAX_FORM_BYTES, isStreamed: true } }

/** What a client states about itself. Everything else in a registration is ignored, as RFC 7591 2 allows. */
const ClientMetadata = z.looseObject({
  client_name: z.string().max(200).optional(),
  redirect_uris: z.array(z.string().max(1_000)).max(50).default([]),
})

const register = endpoint("public", "POST /oauth/register", {
  operationId: "oauthRegister",
  summary: "Register a client",
  description: "RFC 7591. A client is public, and nothing is stored.",
  json: ClientMetadata,
  async handle(c) {
    const { client_name: name, redirect_uris: redirectUris } = c.req.valid("json")
    return answering(async () => {
      const client = await registerClient(c.var.ctx, { name, redirectUris })
      return {
        client_id: client.clientId,
        client_name: client.name,
        redirect_uris: client.redirectUris,
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      }
    }, 201)(c)
  },
})

/** The parameters of an authorization request that the console reads. */
const KNOWN_PARAMETERS: readonly string[] = Object.keys(AuthorizationRequest.shape)

/**
 * Leads to the console's page, which checks the request. It leads nowhere else, whatever the request says.
 */
const authorize = endpoint("public", "GET /oauth/authorize", {
  operationId: "oauthAuthorize",
  summary: "Ask the user",
  description: "RFC 6749 4.1.1.",
  handle(c) {
    const given = [...new URL(c.req.url).searchParams].filter(([name]) => KNOWN_PARAMETERS.includes(name))
    return c.redirect(`/console/#/authorize?${new URLSearchParams(given)}`)
  },
})

const deviceAuthorization = endpoint("public", "POST /oauth/device_authorization", {
  operationId: "oauthDeviceAuthorization",
  summary: "Begin a sign-in by a code",
  description: "RFC 8628 3.1. `client_name` names the machine.",
  ...form,
  handle: answering(async (c) => {
    const { client_id: clientId, scope, client_name: name } = await readForm(c)
    const { ctx } = c.var
    const begun = await beginDeviceSignIn(ctx, { clientId, scope, name, clientIp: clientIpOf(c) })
    const userCode = shownUserCode(begun.userCode)
    const page = `${ctx.config.baseUrl}/console/#/device`
    return {
      device_code: begun.deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${userCode}`,
      expires_in: DEVICE_CODE_MS / 1_000,
      interval: POLL_SECONDS,
    }
  }),
})

const token = endpoint("public", "POST /oauth/token", {
  operationId: "oauthToken",
  summary: "Exchange a code for a restricted key",
  description: "RFC 6749 4.1.3 and RFC 8628 3.4.",
  ...form,
  handle: answering(async (c) => {
    const fields = await readForm(c)
    const issued = await issue(c, fields)
    c.set("auditNote", { actor: issued.accountId, subject: issued.keyId })
    return {
      access_token: issued.secret,
      token_type: "Bearer",
      expires_in: KEY_LIFE_MS / 1_000,
      scope: issued.scopes,
    }
  }),
})

async function issue(c: Context<AppEnv>, fields: Fields): Promise<IssuedKey> {
  const { ctx } = c.var
  const presented = { clientId: fields.client_id, clientIp: clientIpOf(c) }
  checkResource(ctx, fields.resource)
  switch (fields.grant_type) {
    case DEVICE_GRANT:
      if (fields.client_id !== CLI_CLIENT_ID)
        throw new OAuthError("unauthorized_client", `client_id: only ${CLI_CLIENT_ID} signs in by a code`)
      return pollDeviceCode(ctx, { ...presented, code: fields.device_code })
    case "authorization_code": {
      const { code, redirect_uri: redirectUri, code_verifier: verifier } = fields
      return exchangeAuthorizationCode(ctx, { ...presented, code, redirectUri, verifier })
    }
    default:
      throw new OAuthError("unsupported_grant_type", `grant_type: must be authorization_code or ${DEVICE_GRANT}`)
  }
}

const revoke = endpoint("public", "POST /oauth/revoke", {
  operationId: "oauthRevoke",
  summary: "Revoke a key by its secret",
  description: "RFC 7009. The answer is the same for an unknown key.",
  ...form,
  handle: answering(async (c) => {
    const { token: secret } = await readForm(c)
    if (secret === undefined) throw new OAuthError("invalid_request", "token: is required")
    const revoked = await revokeBySecret(c.var.ctx, { secret, clientIp: clientIpOf(c) })
    c.set("auditNote", revoked && { actor: revoked.accountId, subject: revoked.keyId })
    return {}
  }),
})

export const OAUTH_PROTOCOL: readonly Endpoint[] = [register, authorize, deviceAuthorization, token, revoke]
