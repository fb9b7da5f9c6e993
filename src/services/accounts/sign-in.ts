import type { Context } from "../../context.ts"
import { hex } from "../../domain/accounts/digest.ts"
import { isSecretForm } from "../../domain/accounts/secret.ts"
import { AppError } from "../../errors.ts"
import { copyFlags } from "../suppression/copy-flags.ts"

export interface SignedIn {
  readonly token: string
  readonly accountId: string
  readonly email: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  /** Keys that joined the account with this sign-in. */
  readonly adoptedKeys: number
}

/**
 * Uses up a sign-in link and begins a session. An API key in the same request moves its account's keys to this account.
 * The mailbox alone moves no keys: a stranger may have created keys in its name. @throws AppError unauthorized
 */
export async function signIn(
  ctx: Context,
  { linkToken, apiKey }: { linkToken: string; apiKey: string | undefined },
): Promise<SignedIn> {
  const email = await ctx.store.sessions.useLink(linkToken)
  if (email === null) throw new AppError("unauthorized", "the sign-in link is invalid, used or expired")
  return beginSession(ctx, { email, apiKey })
}

/** Begins a session for an address whose owner is verified. */
export async function beginSession(
  ctx: Context,
  { email, apiKey }: { email: string; apiKey: string | undefined },
): Promise<SignedIn> {
  const { accountId } = await ctx.store.sessions.accountOf(email, `acc_${hex(ctx.randomBytes(12))}`)
  const adoptedKeys = apiKey && isSecretForm(apiKey) ? await adopt(ctx, { apiKey, accountId }) : 0
  const token = `${ctx.randomToken()}${ctx.randomToken()}`
  const expiresAt = await ctx.store.sessions.create(token, accountId)
  return { token, accountId, email, expiresAt, adoptedKeys }
}

async function adopt(ctx: Context, { apiKey, accountId }: { apiKey: string; accountId: string }) {
  const { clock, digests, keyLimiters, flags } = ctx
  const { keys, suppressions } = ctx.store
  for (const digest of await digests.candidates("key", apiKey)) {
    const key = await keys.byDigest(digest)
    // A suspended account stays where it is: its owner must not move its keys to another account.
    if (!key?.isActive || key.isSuspended) continue
    if (key.accountId === accountId) return 0
    // The moved suppressions apply at once: until the edge has all flags, it reads the database.
    if (await suppressions.haveFlags([key.accountId])) await flags.setFilled(accountId, "")
    const moved = await keys.adopt({ from: key.accountId, to: accountId, now: clock.now() })
    ctx.background(copyFlags(ctx, accountId, key.accountId))
    if (moved === 0) return 0
    const digestsOfBoth = await keys.digestsOf(accountId)
    await Promise.all(digestsOfBoth.map((each) => keyLimiters.ofKey(each).invalidate()))
    return moved
  }
  return 0
}
