import type { SignInLink } from "../../adapters/store/accounts/sessions.ts"
import type { Context } from "../../context.ts"
import { type Browser, hasSignedIn, isSecretForm } from "../../domain/accounts/credentials.ts"
import { hex, sha256 } from "../../domain/accounts/crypto.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { canonicalMailbox } from "../../domain/address/canonical.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork, countNetworkWork } from "./count-free-work.ts"
import { findCredential, sessionName } from "./identify.ts"
import { countUnconfirmedKeys, joinAccount } from "./unconfirmed-keys.ts"

interface SignInRequest {
  readonly email: string
  /** The key that requests the link. Null without one. */
  readonly keyId: string | null
  readonly clientIp: string | undefined
  /** Null for a program. */
  readonly browser: Browser | null
}

/**
 * Sends a one-time sign-in link. The key that requests it is offered to the mailbox's owner after a sign-in in the same
 * browser: it joins no account by the link. Neither the answer nor its time reveals an account: the link's use creates it.
 * @throws AppError bad_request, rate_limited, unavailable
 */
export async function requestSignIn(ctx: Context, { email, keyId, clientIp, browser }: SignInRequest): Promise<void> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email: ${explainProblem(address)}`)
  const mailbox = await ctx.digests.of("sign-in", canonicalMailbox(address))
  const isKnown = browser !== null && (await hasSignedIn(ctx.digests, browser, cacheKey(address)))
  if (isKnown) await countFreeWork(ctx, "signInsOfKnownBrowsers", mailbox)
  else await countStranger(ctx, clientIp, mailbox)
  const { token, url } = await createLink(ctx, { email: cacheKey(address), keyId, browserId: browser?.id ?? null })
  await ctx.mailer.send({
    to: address.normalized,
    subject: "Sign in to Mailverdict",
    text: `Open this link to sign in. It works once, for 15 minutes:\n\n${url}\n\nOr enter this code where you requested it: ${token}\n\nIf you did not request it, ignore this mail.\n`,
  })
}

/** Creates a link that signs in once at the account of a mailbox. The mailbox belongs to its reader. */
export async function createLink(ctx: Context, link: SignInLink) {
  const token = `${ctx.randomToken()}${ctx.randomToken()}`
  const expiresAt = await ctx.store.sessions.createLink(token, link)
  // The token is in the URL fragment: no server logs it, and a scanner that fetches the link does not use it up.
  return { token, url: `${ctx.config.baseUrl}/console/#/sign-in/${token}`, expiresAt }
}

/** The client's limit comes first, so that a flood from one client does not use up a mailbox's limit. */
async function countStranger(ctx: Context, clientIp: string | undefined, mailbox: string): Promise<void> {
  await countNetworkWork(ctx, "signInsOfNetwork", clientIp, "signInsOfUnknownClients")
  await countFreeWork(ctx, "signInsOfMailbox", mailbox)
}

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
  const link = await findCredential(ctx, { names, clientIp }, () => ctx.store.sessions.useLink(linkToken, by))
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
