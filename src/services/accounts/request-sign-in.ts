import { countOrRefuse } from "../../adapters/keygate/gates.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "baseUrl" | "digests" | "gates" | "mailer" | "randomToken" | "sessions">

const RATE = { limit: 5, windowMs: 60_000 } as const

/**
 * Sends a one-time sign-in link. Whether an account exists makes no difference to the answer or its time: the account is
 * made when the link is used. @param subject the caller's network @throws AppError bad_request, rate_limited, unavailable
 */
export async function requestSignIn(
  needs: Needs,
  { email, subject }: { email: string; subject: string },
): Promise<void> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email is not an address: ${address.message}`)
  const mailbox = await needs.digests.of("sign-in", cacheKey(address))
  await countOrRefuse(needs.gates.ofAction(`sign-in:${subject}`), RATE)
  await countOrRefuse(needs.gates.ofAction(`sign-in:${mailbox}`), RATE)
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
