import type { OAuthGrant } from "../../adapters/store/accounts/oauth-grants.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { sha256 } from "../../domain/accounts/crypto.ts"
import { shownName } from "../../domain/oauth/clients.ts"
import {
  CLI_CLIENT_ID,
  CLI_SCOPES,
  DEVICE_CODE_MS,
  makeUserCode,
  OAuthError,
  POLL_SECONDS,
  readScopes,
  readUserCode,
  USER_CODE_ENTROPY_BYTES,
} from "../../domain/oauth/grants.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork, countNetworkWork } from "../accounts/count-free-work.ts"

interface DeviceRequest {
  readonly clientId: string | undefined
  readonly scope: string | undefined
  /** What the machine calls itself. */
  readonly name: string | undefined
  readonly clientIp: string | undefined
}

/**
 * Begins a sign-in of a program without a browser (RFC 8628 3.1).
 * @returns the code that the program polls with, and the one that its user types
 * @throws OAuthError invalid_client, invalid_scope; AppError rate_limited
 */
export async function beginDeviceSignIn(ctx: Context, { clientId, scope, name, clientIp }: DeviceRequest) {
  if (clientId !== CLI_CLIENT_ID)
    throw new OAuthError("invalid_client", `client_id: only ${CLI_CLIENT_ID} signs in by a code`)
  const scopes = readScopes(scope, CLI_SCOPES)
  await countNetworkWork(ctx, "deviceCodes", clientIp, "deviceCodesOfUnknownClients")
  const deviceCode = `${ctx.randomToken()}${ctx.randomToken()}`
  const userCode = makeUserCode(ctx.randomBytes(USER_CODE_ENTROPY_BYTES))
  const now = ctx.clock.now()
  await ctx.store.oauthGrants.add({
    codeDigest: await ctx.digests.of("oauth-code", deviceCode),
    userCodeDigest: await ctx.digests.of("oauth-user-code", userCode),
    state: "pending",
    clientHash: await sha256(clientId),
    name: shownName(name),
    scopes: scopes.join(" "),
    intervalSeconds: POLL_SECONDS,
    createdAt: now,
    expiresAt: now + DEVICE_CODE_MS,
  })
  return { deviceCode, userCode }
}

interface TypedCode {
  readonly caller: Member
  readonly typed: string
}

/** The waiting program behind a typed code. Each call counts as a guess. @throws AppError rate_limited, not_found */
export async function findDeviceSignIn(ctx: Context, { caller, typed }: TypedCode): Promise<OAuthGrant> {
  await countFreeWork(ctx, "userCodes", caller.accountId)
  const userCode = readUserCode(typed)
  const digests = userCode === null ? [] : await ctx.digests.candidates("oauth-user-code", userCode)
  for (const digest of digests) {
    const grant = await ctx.store.oauthGrants.byUserCode(digest)
    if (grant) return grant
  }
  throw new AppError("not_found", "user_code: no program waits with this code; it may have expired")
}

/** Approves or refuses the program behind a typed code. @throws AppError rate_limited, not_found */
export async function decideDeviceSignIn(
  ctx: Context,
  { approve, ...code }: TypedCode & { readonly approve: boolean },
): Promise<void> {
  const { codeDigest } = await findDeviceSignIn(ctx, code)
  const { accountId } = code.caller
  if (approve) await countFreeWork(ctx, "secrets", accountId)
  if (!(await ctx.store.oauthGrants.decide(codeDigest, accountId, approve ? "approved" : "denied")))
    throw new AppError("not_found", "user_code: this code was decided or expired meanwhile")
}
