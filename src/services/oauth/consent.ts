import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { sha256 } from "../../domain/accounts/crypto.ts"
import type { KeyScope } from "../../domain/accounts/key-restrictions.ts"
import { matchesRedirectUri, shownRedirect } from "../../domain/oauth/clients.ts"
import {
  AUTHORIZATION_CODE_MS,
  isChallenge,
  MCP_SCOPES,
  OAuthError,
  POLL_SECONDS,
  readScopes,
} from "../../domain/oauth/grants.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { findClient } from "./clients.ts"

/** The parameters of an authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2). */
export interface AuthorizationRequest {
  readonly client_id: string
  readonly redirect_uri: string
  readonly response_type: string
  readonly code_challenge?: string | undefined
  readonly code_challenge_method?: string | undefined
  readonly scope?: string | undefined
  readonly resource?: string | undefined
  readonly state?: string | undefined
}

/** What the user decides about. */
export interface Consent {
  /** The client's own claim, as its redirect URI is. */
  readonly name: string
  readonly redirect: string
  readonly scopes: readonly KeyScope[]
}

/** The URL that tokens are for (RFC 8707). */
export const resourceOf = ({ config }: Pick<Context, "config">): string => `${config.baseUrl}/mcp`

/**
 * Checks a request. Its errors are for the user: an unverified client gets no redirect without a click, which could lead
 * anywhere (RFC 9700 4.11.2). @throws OAuthError
 */
export async function readAuthorizationRequest(ctx: Context, request: AuthorizationRequest): Promise<Consent> {
  const { name, redirectUris } = await findClient(ctx, request.client_id)
  if (!redirectUris.some((registered) => matchesRedirectUri(request.redirect_uri, registered)))
    throw new OAuthError("invalid_request", "redirect_uri: the program did not register it")
  if (request.response_type !== "code") throw new OAuthError("unsupported_response_type", "response_type: must be code")
  if (request.code_challenge_method !== "S256" || !isChallenge(request.code_challenge))
    throw new OAuthError("invalid_request", "code_challenge: PKCE with S256 is required")
  checkResource(ctx, request.resource)
  return { name, redirect: shownRedirect(request.redirect_uri), scopes: readScopes(request.scope, MCP_SCOPES) }
}

/** @throws OAuthError invalid_target for another service's URL */
export function checkResource(ctx: Context, resource: string | undefined): void {
  const own = resourceOf(ctx)
  if (resource !== undefined && URL.parse(resource)?.href !== new URL(own).href)
    throw new OAuthError("invalid_target", `resource: must be ${own}`)
}

interface Decision {
  readonly caller: Member
  readonly request: AuthorizationRequest
  readonly approve: boolean
}

/**
 * Carries out the user's decision. @returns the URL that leads back to the program, with a code or a refusal
 * @throws OAuthError; AppError rate_limited
 */
export async function decideAuthorization(ctx: Context, { caller, request, approve }: Decision): Promise<string> {
  const { name, scopes } = await readAuthorizationRequest(ctx, request)
  const back = new URL(request.redirect_uri)
  const answer = approve ? { code: await createCode() } : { error: "access_denied" }
  // RFC 9207: a client of several services knows which one answers.
  const parameters = { ...answer, state: request.state, iss: ctx.config.baseUrl }
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined) back.searchParams.set(key, value)
  return back.href

  async function createCode(): Promise<string> {
    await countFreeWork(ctx, "secrets", caller.accountId)
    const code = `${ctx.randomToken()}${ctx.randomToken()}`
    const now = ctx.clock.now()
    await ctx.store.oauthGrants.add({
      codeDigest: await ctx.digests.of("oauth-code", code),
      state: "approved",
      clientHash: await sha256(request.client_id),
      name,
      scopes: scopes.join(" "),
      redirectUri: request.redirect_uri,
      challenge: request.code_challenge ?? null,
      accountId: caller.accountId,
      intervalSeconds: POLL_SECONDS,
      createdAt: now,
      expiresAt: now + AUTHORIZATION_CODE_MS,
    })
    return code
  }
}
