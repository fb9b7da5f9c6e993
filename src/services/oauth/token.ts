import type { OAuthGrant } from "../../adapters/store/accounts/oauth-grants.ts"
import type { Context } from "../../context.ts"
import { isPublishable, isSecretForm } from "../../domain/accounts/credentials.ts"
import { sha256 } from "../../domain/accounts/crypto.ts"
import { KEY_SCOPES } from "../../domain/accounts/key-restrictions.ts"
import {
  intervalAfterPoll,
  KEY_LIFE_MS,
  matchesChallenge,
  OAuthError,
  POLL_SECONDS,
  pollOutcome,
} from "../../domain/oauth/grants.ts"
import { countNetworkWork } from "../accounts/count-free-work.ts"
import { findCredential } from "../accounts/identify.ts"
import { issueSecret, revokeKey } from "../accounts/keys.ts"

export interface IssuedKey {
  readonly secret: string
  readonly keyId: string
  readonly accountId: string
  /** With spaces between them. */
  readonly scopes: string
}

interface Presented {
  readonly code: string | undefined
  readonly clientId: string | undefined
  readonly clientIp: string | undefined
}

interface Exchange extends Presented {
  readonly redirectUri: string | undefined
  readonly verifier: string | undefined
}

const POLL_ANSWERS = {
  authorization_pending: "the user has not decided yet",
  slow_down: `wait ${POLL_SECONDS} seconds longer between two requests`,
  access_denied: "the user refused",
  expired_token: "the code expired; begin again",
} as const

/** Exchanges a device code, or says why not yet (RFC 8628 3.5). @throws OAuthError; AppError rate_limited */
export async function pollDeviceCode(ctx: Context, presented: Presented): Promise<IssuedKey> {
  const grant = await findGrant(ctx, presented)
  if (grant.userCodeDigest === null) throw unknownCode()
  const now = ctx.clock.now()
  const outcome = pollOutcome(grant, now)
  if (outcome === "used") return refuseReuse(ctx, grant)
  if (outcome === "approved") return exchange(ctx, grant)
  const intervalSeconds = intervalAfterPoll(grant, outcome, now)
  if (intervalSeconds !== null) await ctx.store.oauthGrants.recordPoll(grant.codeDigest, intervalSeconds)
  throw new OAuthError(outcome, POLL_ANSWERS[outcome])
}

/**
 * Exchanges an authorization code (RFC 6749 4.1.3, RFC 7636 4.6). The redirect URI is the one of the request, port included.
 * @throws OAuthError; AppError rate_limited
 */
export async function exchangeAuthorizationCode(ctx: Context, { redirectUri, verifier, ...presented }: Exchange) {
  const grant = await findGrant(ctx, presented)
  if (grant.challenge === null || grant.redirectUri !== redirectUri) throw unknownCode()
  if (!(await matchesChallenge(verifier ?? "", grant.challenge)))
    throw new OAuthError("invalid_grant", "code_verifier: does not belong to the request")
  if (grant.state === "used") return refuseReuse(ctx, grant)
  return exchange(ctx, grant)
}

/**
 * The grant of a code and its client. The same error for an unknown code and another client's. Each call counts, because
 * `findCredential` does not count a code that it found before. @throws OAuthError; AppError rate_limited
 */
async function findGrant(ctx: Context, { code = "", clientId = "", clientIp }: Presented): Promise<OAuthGrant> {
  await countNetworkWork(ctx, "codeExchanges", clientIp, "codeExchangesOfUnknownClients")
  const names = code.length > 100 ? [] : await ctx.digests.candidates("oauth-code", code)
  const grant = await findCredential(ctx, { names, clientIp }, (digest) => ctx.store.oauthGrants.byCode(digest))
  if (grant === null || grant.clientHash !== (await sha256(clientId))) throw unknownCode()
  return grant
}

const unknownCode = () => new OAuthError("invalid_grant", "the code is unknown, used, expired or of another request")

/** A code that is presented twice may be stolen, so its key ends (RFC 6749 4.1.2). @throws OAuthError */
async function refuseReuse(ctx: Context, { accountId, keyId }: OAuthGrant): Promise<never> {
  if (accountId !== null && keyId !== null) await revokeKey(ctx, { accountId, keyId }).catch(() => undefined)
  throw unknownCode()
}

/** Makes the restricted key of an approved grant. @throws OAuthError */
async function exchange(ctx: Context, grant: OAuthGrant): Promise<IssuedKey> {
  const account = grant.accountId === null ? null : await ctx.store.operator.account(grant.accountId)
  if (!account?.email) throw unknownCode()
  const { secret, key } = await issueSecret(ctx, "secret")
  const { accountId, email, tier } = account
  const now = ctx.clock.now()
  const requested = grant.scopes.split(" ")
  const restrictions = { expiresAt: now + KEY_LIFE_MS, scopes: KEY_SCOPES.filter((one) => requested.includes(one)) }
  const about = { accountId, ownerEmail: email, name: grant.name, tier, network: null, createdBy: null }
  // Another use came first, or the user signed out of an account without other keys, or erased it.
  if (!(await ctx.store.keys.addByCode(grant.codeDigest, { ...key, ...about, createdAt: now, restrictions })))
    return refuseReuse(ctx, (await ctx.store.oauthGrants.byCode(grant.codeDigest)) ?? grant)
  ctx.knownCredentials.accept(key.digest)
  return { secret, keyId: key.keyId, accountId, scopes: grant.scopes }
}

/**
 * Revokes a key by its secret (RFC 7009): the only way for a restricted key to end itself. A publishable key is no
 * secret, so its owner revokes it.
 * @returns the revoked key; null for a text that is no active key
 */
export async function revokeBySecret(
  ctx: Context,
  { secret, clientIp }: { readonly secret: string; readonly clientIp: string | undefined },
): Promise<{ readonly keyId: string; readonly accountId: string } | null> {
  if (!isSecretForm(secret) || isPublishable(secret)) return null
  const names = await ctx.digests.candidates("key", secret)
  const key = await findCredential(ctx, { names, clientIp }, (digest) => ctx.store.keys.byDigest(digest))
  if (!key?.isActive) return null
  const { keyId, accountId } = key
  await revokeKey(ctx, { accountId, keyId })
  return { keyId, accountId }
}
