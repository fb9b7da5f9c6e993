import type { Context } from "../../context.ts"
import { isSecretForm } from "../../domain/accounts/credentials.ts"
import { hex, sha256 } from "../../domain/accounts/crypto.ts"
import { AppError } from "../../errors.ts"
import { sessionName } from "./identify.ts"
import { joinAccount } from "./join-account.ts"
import { lookUpCredential } from "./look-up-credential.ts"
import { countUnconfirmedKeys } from "./unconfirmed-keys.ts"

export interface SignedIn {
  readonly token: string
  readonly accountId: string
  readonly email: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  /** Keys that joined the account with this sign-in. */
  readonly adoptedKeys: number
  /** Keys that the mailbox's owner may join or revoke. */
  readonly unconfirmedKeys: number
}

interface LinkOpened {
  readonly linkToken: string
  readonly apiKey: string | undefined
  /** Null for a program. */
  readonly browserId: string | null
  readonly clientIp: string | undefined
  /** The caller knows that the link is of another request. */
  readonly isConfirmed: boolean
}

/**
 * Uses up a sign-in link and begins a session. An API key in the same request moves its account's keys to this account.
 * The mailbox alone moves no keys: a stranger may have created keys in its name.
 * @returns the mailbox to confirm, when the browser did not request the link: another site can open its own link there
 * @throws AppError unauthorized
 */
export async function signIn(
  ctx: Context,
  { linkToken, apiKey, clientIp, ...by }: LinkOpened,
): Promise<SignedIn | { readonly toConfirm: string }> {
  const names = [`sign-in link:${await sha256(linkToken)}`]
  const link = await lookUpCredential(ctx, { names, clientIp }, () => ctx.store.sessions.useLink(linkToken, by))
  if (link === null) throw new AppError("unauthorized", "the sign-in link is invalid, used or expired")
  if (link.kind === "unconfirmed") return { toConfirm: link.email }
  return beginSession(ctx, { email: link.email, signInKeyId: link.keyId, apiKey })
}

/** Begins a session for an address whose owner is verified. `signInKeyId` is the key that requested the link there. */
export async function beginSession(
  ctx: Context,
  { email, signInKeyId = null, apiKey }: { email: string; signInKeyId?: string | null; apiKey: string | undefined },
): Promise<SignedIn> {
  const { accountId } = await ctx.store.sessions.accountOf(email, `acc_${hex(ctx.randomBytes(12))}`)
  const adoptedKeys = apiKey && isSecretForm(apiKey) ? await adopt(ctx, { apiKey, accountId }) : 0
  const token = `${ctx.randomToken()}${ctx.randomToken()}`
  const expiresAt = await ctx.store.sessions.create(token, { accountId, signInKeyId })
  ctx.knownCredentials.accept(await sessionName(token))
  const unconfirmedKeys = await countUnconfirmedKeys(ctx, { email, signInKeyId })
  return { token, accountId, email, expiresAt, adoptedKeys, unconfirmedKeys }
}

async function adopt(ctx: Context, { apiKey, accountId }: { apiKey: string; accountId: string }) {
  for (const digest of await ctx.digests.candidates("key", apiKey)) {
    const key = await ctx.store.keys.byDigest(digest)
    // A suspended account stays where it is: its owner must not move its keys to another account.
    // A restricted key must not give its account to the caller that signs in with it.
    if (!key?.isActive || key.isSuspended || key.restrictions) continue
    return joinAccount(ctx, { from: key.accountId, to: accountId })
  }
  return 0
}
