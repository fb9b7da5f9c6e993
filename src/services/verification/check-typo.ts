import type { Deps } from "../../deps.ts"
import { type ParsedAddress, parseAddress } from "../../domain/address/parse.ts"
import { mailHostsOf } from "../../domain/mail/operators.ts"
import { didYouMean, takesMail } from "../../domain/typo/did-you-mean.ts"
import { explainTypo, type TypoExplanation } from "../../domain/typo/suggest.ts"
import { findMailRoute } from "./find-mail-route.ts"

/** Whether a domain takes mail; null when DNS did not answer. */
export interface DomainCheck {
  readonly domain: string
  readonly takesMail: boolean | null
  readonly mxHosts: readonly string[]
}

export interface TypoCheck {
  readonly address: ParsedAddress
  /** Null when nothing looks like a slip, or the typed domain takes mail and so may well be meant. */
  readonly didYouMean: string | null
  /** What it would be a slip of, by the text alone. */
  readonly explanation: TypoExplanation | null
  /** Null for a malformed address. */
  readonly typed: DomainCheck | null
  readonly suggested: DomainCheck | null
}

/**
 * Whether an address is a slip, with what DNS says about both domains. Two look-ups at most, none without a suspicion.
 * @throws AppError rate_limited, where DNS would be asked
 */
export async function checkTypo(
  { dns, meter }: Pick<Deps, "dns" | "meter">,
  { email }: { email: string },
): Promise<TypoCheck> {
  const address = parseAddress(email)
  const explanation = explainTypo(address.ok ? address.normalized : email, address)
  if (!explanation) return { address, didYouMean: null, explanation: null, typed: null, suggested: null }
  await meter.admit()
  const target = parseAddress(explanation.suggestion)
  const [typed, suggested] = await Promise.all([
    address.ok ? findMailRoute(dns, address.domain) : undefined,
    target.ok ? findMailRoute(dns, target.domain) : undefined,
  ])
  // A suggestion that takes no mail itself helps nobody.
  const isUseful = suggested === undefined || suggested.kind === "dns_failure" || takesMail(suggested)
  return {
    address,
    didYouMean: isUseful ? didYouMean(address, typed) : null,
    explanation,
    typed: address.ok && typed ? toCheck(address.domain, typed) : null,
    suggested: target.ok && suggested ? toCheck(target.domain, suggested) : null,
  }
}

function toCheck(domain: string, route: Awaited<ReturnType<typeof findMailRoute>>): DomainCheck {
  return { domain, takesMail: route.kind === "dns_failure" ? null : takesMail(route), mxHosts: mailHostsOf(route) }
}
