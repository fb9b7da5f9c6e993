import type { Context } from "../../context.ts"
import { clientNetwork, UNKNOWN_NETWORK } from "../../domain/accounts/network.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { canonicalMailbox } from "../../domain/address/canonical.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/typo/did-you-mean.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork } from "./count-free-work.ts"

/**
 * Sends a one-time sign-in link. The key that requests it is offered to the mailbox's owner after the sign-in: it joins no
 * account by the link. Neither the answer nor its time reveals an account: the link's use creates it.
 * @throws AppError bad_request, rate_limited, unavailable
 */
export async function requestSignIn(
  ctx: Context,
  { email, keyId, clientIp }: { email: string; keyId: string | null; clientIp: string | undefined },
): Promise<void> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email: ${explainProblem(address)}`)
  const network = clientNetwork(clientIp)
  const [client, mailbox] = await Promise.all([
    ctx.digests.of("sign-in-network", network),
    ctx.digests.of("sign-in", canonicalMailbox(address)),
  ])
  // The client's limit comes first, so that a flood from one client does not use up a mailbox's limit.
  const perClient = network === UNKNOWN_NETWORK ? "signInsOfUnknownClients" : "signInsOfNetwork"
  await countFreeWork(ctx, perClient, client)
  await countFreeWork(ctx, "signInsOfMailbox", mailbox)
  const token = `${ctx.randomToken()}${ctx.randomToken()}`
  await ctx.store.sessions.createLink(token, { email: cacheKey(address), keyId })
  // The token is in the URL fragment: no server logs it, and a scanner that fetches the link does not use it up.
  const link = `${ctx.config.baseUrl}/console/#/sign-in/${token}`
  await ctx.mailer.send({
    to: address.normalized,
    subject: "Sign in to Mailverdict",
    text: `Open this link to sign in. It works once, for 15 minutes:\n\n${link}\n\nOr enter this code where you requested it: ${token}\n\nIf you did not request it, ignore this mail.\n`,
  })
}
