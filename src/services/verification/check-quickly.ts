import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { mailHostsOf } from "../../domain/mail/operators.ts"
import { hasLiveMx, namesNoHost } from "../../domain/verdict/domain-facts.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"
import { findExchangers, findMailRoute } from "./find-mail-route.ts"

export interface QuickCheck {
  readonly email: string
  readonly syntaxValid: boolean
  readonly mxValid: boolean
  readonly mxHosts: string[]
  readonly status: "valid" | "invalid" | "unknown" | "invalid_syntax"
  readonly note: string
}

const NOTES = {
  mx_dead: ["unknown", "none of the domain's mail hosts has an address"],
  mx_unusable: ["unknown", "the domain's MX records name no host"],
  mx: ["valid", "the domain takes mail; the mailbox itself was not asked about"],
  implicit_mx: ["valid", "the domain has no MX record; mail goes to its own address"],
  null_mx: ["invalid", "the domain says it takes no mail (null MX)"],
  no_such_domain: ["invalid", "the domain does not exist"],
  no_mail_host: ["invalid", "the domain has no mail server"],
  dns_failure: ["unknown", "DNS did not answer; try again"],
} as const

/**
 * Syntax and DNS only. `valid` says that the domain takes mail, not that the mailbox exists.
 * @throws AppError rate_limited, where DNS would be asked
 */
export async function checkQuickly(
  { dns, meter }: Pick<Deps, "dns" | "meter">,
  { email }: { email: string },
): Promise<QuickCheck> {
  const address = parseAddress(email)
  if (!address.ok)
    return {
      email: address.input,
      syntaxValid: false,
      mxValid: false,
      mxHosts: [],
      status: "invalid_syntax",
      note: address.message,
    }
  await meter.admit()
  const route = await findMailRoute(dns, address.domain)
  const mxValid = hasLiveMx({ route, exchangers: await findExchangers(dns, route) })
  const [status, note] = NOTES[noteOn(route, mxValid)]
  return { email: address.normalized, syntaxValid: true, mxValid, mxHosts: mailHostsOf(route), status, note }
}

function noteOn(route: MailRoute, mxValid: boolean): keyof typeof NOTES {
  if (namesNoHost(route)) return "mx_unusable"
  return route.kind === "mx" && !mxValid ? "mx_dead" : route.kind
}
