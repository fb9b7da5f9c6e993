import { countOrRefuse } from "../../adapters/keygate/gates.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { canonicalMailbox } from "../../domain/address/canonical.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { clientNetwork } from "../../domain/limits/network.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "baseUrl" | "digests" | "gates" | "mailer" | "randomToken" | "sessions">

/** Counted by network, never by key: with a new key each day anybody could send strangers ever more mail. */
const PER_NETWORK = { limit: 5, windowMs: 60_000 } as const
/** A link works for as long, so whoever is refused has one that does. */
const PER_MAILBOX = { limit: 5, windowMs: 15 * 60_000 } as const

/**
 * Sends a one-time sign-in link. Whether an account exists makes no difference to the answer or its time: the account is
 * made when the link is used. @throws AppError bad_request, rate_limited, unavailable
 */
export async function requestSignIn(
  needs: Needs,
  { email, clientIp }: { email: string; clientIp: string | undefined },
): Promise<void> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email is not an address: ${address.message}`)
  const [network, mailbox] = await Promise.all([
    needs.digests.of("sign-in-network", clientNetwork(clientIp)),
    needs.digests.of("sign-in", canonicalMailbox(address)),
  ])
  await countOrRefuse(needs.gates.ofAction(`sign-in:${network}`), PER_NETWORK)
  await countOrRefuse(needs.gates.ofAction(`sign-in:${mailbox}`), PER_MAILBOX)
  const token = `${needs.randomToken()}${needs.randomToken()}`
  await needs.sessions.createLink(token, cacheKey(address))
  // In the fragment: it never reaches a server's log, and a scanner that fetches the link does not use it up.
  const link = `${needs.baseUrl}/console/#/sign-in/${token}`
  await needs.mailer.send({
    to: address.normalized,
    subject: "Sign in to Mailverdict",
    text: `Open this link to sign in. It works once, for 15 minutes:\n\n${link}\n\nOr enter this code where you asked for it: ${token}\n\nIf you did not ask for it, ignore this mail.\n`,
  })
}
