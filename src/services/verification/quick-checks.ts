import type { UsageMeter } from "../../adapters/key-limiter/usage-meter.ts"
import type { Context } from "../../context.ts"
import { type ParsedAddress, parseAddress } from "../../domain/address/parse.ts"
import { topLevelExists } from "../../domain/lists/top-level.ts"
import { mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import { didYouMean, hasMailHostToUse } from "../../domain/typo/did-you-mean.ts"
import { explainTypo, suggestAddress, type TypoExplanation } from "../../domain/typo/suggest.ts"
import {
  hasLiveMailHost,
  hasMailHost,
  hasOnlyEmptyMx,
  type MxKind,
  mxKindOf,
} from "../../domain/verdict/domain-facts.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"
import { findExchangers, findMailRoute } from "./fact-finders.ts"

interface SyntaxCheck {
  readonly email: string
  /** Empty when malformed. */
  readonly normalized: string
  readonly tldExists: boolean | null
  /** From the text alone: DNS is not queried for the typed domain. */
  readonly didYouMean: string | null
  readonly problem: { readonly reason: string; readonly position: number; readonly message: string } | null
}

/** Checks the syntax without network: RFC 5321 mailbox with RFC 6531 and IDNA. */
export function checkSyntax({ email }: { email: string }): SyntaxCheck {
  const address = parseAddress(email)
  const didYouMean = suggestAddress(address.ok ? address.normalized : email, address)
  if (address.ok) {
    const { normalized, tld } = address
    return { email: normalized, normalized, tldExists: topLevelExists(tld), didYouMean, problem: null }
  }
  const { reason, position, message, input } = address
  return { email: input, normalized: "", tldExists: null, didYouMean, problem: { reason, position, message } }
}

interface QuickCheck {
  readonly email: string
  readonly syntaxValid: boolean
  readonly mxValid: boolean
  /** Null when DNS gave no answer, and for a malformed address. */
  readonly mxKind: MxKind | null
  readonly tldExists: boolean | null
  readonly mxHosts: string[]
  readonly status: "valid" | "invalid" | "unknown" | "invalid_syntax"
  readonly note: string
}

const NOTES = {
  mx_dead: ["unknown", "no mail host of the domain has an address"],
  mx_unusable: ["unknown", "the domain's MX records name no host"],
  mx: ["valid", "the domain accepts mail; the mailbox itself was not probed"],
  implicit_mx: ["valid", "the domain has no MX record; mail goes to its own address"],
  null_mx: ["invalid", "the domain accepts no mail (null MX)"],
  no_such_domain: ["invalid", "the domain does not exist"],
  no_such_tld: ["invalid", "the domain does not exist, and neither does its top-level domain"],
  no_mail_host: ["invalid", "the domain has no mail server"],
  dns_failure: ["unknown", "DNS did not answer; try again"],
} as const

/** Checks syntax and DNS. `valid` means that the domain accepts mail. @throws AppError rate_limited */
export async function checkQuickly(ctx: Context, meter: UsageMeter, { email }: { email: string }): Promise<QuickCheck> {
  const address = parseAddress(email)
  if (!address.ok)
    return {
      email: address.input,
      syntaxValid: false,
      mxValid: false,
      mxKind: null,
      tldExists: null,
      mxHosts: [],
      status: "invalid_syntax",
      note: address.message,
    }
  await meter.authorize()
  const route = await findMailRoute(ctx.dns, address.domain)
  const mxValid = hasLiveMailHost({ route, exchangers: await findExchangers(ctx.dns, route) })
  const tldExists = topLevelExists(address.tld)
  const [status, note] = NOTES[noteOn(route, { mxValid, tldExists })]
  const domain = { mxValid, mxKind: mxKindOf(route), tldExists, mxHosts: mailHostsOf(route) }
  return { email: address.normalized, syntaxValid: true, ...domain, status, note }
}

function noteOn(
  route: MailRoute,
  { mxValid, tldExists }: Pick<QuickCheck, "mxValid" | "tldExists">,
): keyof typeof NOTES {
  if (route.kind === "no_such_domain" && tldExists === false) return "no_such_tld"
  if (hasOnlyEmptyMx(route)) return "mx_unusable"
  return hasMailHost(route) && !mxValid ? "mx_dead" : route.kind
}

/** A domain, and whether it accepts mail: null when DNS did not answer. */
export interface DomainCheck {
  readonly domain: string
  readonly takesMail: boolean | null
  readonly mxHosts: readonly string[]
}

export interface TypoCheck {
  readonly address: ParsedAddress
  /** Null when there is no typo, or when the typed domain accepts mail and may be intended. */
  readonly didYouMean: string | null
  /** The suspected typo, from the text alone. */
  readonly explanation: TypoExplanation | null
  /** Null for a malformed address. */
  readonly typed: DomainCheck | null
  readonly suggested: DomainCheck | null
}

/**
 * Checks an address for a typo and queries DNS for both domains. At most two lookups, none without a suspicion.
 * @throws AppError rate_limited, before a DNS query
 */
export async function checkTypo(ctx: Context, meter: UsageMeter, { email }: { email: string }): Promise<TypoCheck> {
  const address = parseAddress(email)
  const explanation = explainTypo(address.ok ? address.normalized : email, address)
  if (!explanation) return { address, didYouMean: null, explanation: null, typed: null, suggested: null }
  await meter.authorize()
  const target = parseAddress(explanation.suggestion)
  const [typed, suggested] = await Promise.all([
    address.ok ? findMailRoute(ctx.dns, address.domain) : undefined,
    target.ok ? findMailRoute(ctx.dns, target.domain) : undefined,
  ])
  // A suggestion whose domain accepts no mail is useless.
  const isUseful = suggested === undefined || suggested.kind === "dns_failure" || hasMailHostToUse(suggested)
  return {
    address,
    didYouMean: isUseful ? didYouMean(address, typed) : null,
    explanation,
    typed: address.ok && typed ? toCheck(address.domain, typed) : null,
    suggested: target.ok && suggested ? toCheck(target.domain, suggested) : null,
  }
}

function toCheck(domain: string, route: Awaited<ReturnType<typeof findMailRoute>>): DomainCheck {
  return {
    domain,
    takesMail: route.kind === "dns_failure" ? null : hasMailHostToUse(route),
    mxHosts: mailHostsOf(route),
  }
}
