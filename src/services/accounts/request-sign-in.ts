import type { SignInLink } from "../../adapters/store/accounts/sessions.ts"
import type { Context } from "../../context.ts"
import { clientNetwork, UNKNOWN_NETWORK } from "../../domain/accounts/caller.ts"
import { type Browser, hasSignedIn } from "../../domain/accounts/credentials.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { canonicalMailbox } from "../../domain/address/canonical.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork, countNetworkWork } from "./count-free-work.ts"

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

interface CreatedLink {
  readonly token: string
  readonly url: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** Creates a link that signs in once at the account of a mailbox. The mailbox belongs to its reader. */
export async function createLink(ctx: Context, link: SignInLink): Promise<CreatedLink> {
  const token = `${ctx.randomToken()}${ctx.randomToken()}`
  const expiresAt = await ctx.store.sessions.createLink(token, link)
  // The token is in the URL fragment: no server logs it, and a scanner that fetches the link does not use it up.
  return { token, url: `${ctx.config.baseUrl}/console/#/sign-in/${token}`, expiresAt }
}

/** The client's limit comes first, so that a flood from one client does not use up a mailbox's limit. */
async function countStranger(ctx: Context, clientIp: string | undefined, mailbox: string): Promise<void> {
  const isUnknown = clientNetwork(clientIp) === UNKNOWN_NETWORK
  await countNetworkWork(ctx, isUnknown ? "signInsOfUnknownClients" : "signInsOfNetwork", clientIp)
  await countFreeWork(ctx, "signInsOfMailbox", mailbox)
}
