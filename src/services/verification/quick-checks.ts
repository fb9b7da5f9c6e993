import type { Status } from "../../../schema/vocabulary.ts"
import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import { withDeadline } from "../../concurrency/deadlines.ts"
import type { Context } from "../../context.ts"
import { type ParsedAddress, parseAddress, repairsOf, type ValidAddress } from "../../domain/address/parse.ts"
import type { AddressRepair } from "../../domain/address/repair-address.ts"
import {
  didYouMean,
  explainTypo,
  hasMailHostToUse,
  type TypoExplanation,
} from "../../domain/address/typo-suggestion.ts"
import { topLevelExists } from "../../domain/reference/active-lists.ts"
import { mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import { cachedChecks } from "../../domain/verification/cached-checks.ts"
import type { Checks } from "../../domain/verification/checks.ts"
import {
  hasLiveMailHost,
  hasMailHost,
  hasOnlyEmptyMx,
  type MailRoute,
  type MxKind,
  mxKindOf,
} from "../../domain/verification/evidence.ts"
import { AppError } from "../../errors.ts"
import { findExchangers, findMailRoute } from "./find-facts.ts"
import { findCached } from "./known.ts"

/** Checks the syntax without network: RFC 5321 mailbox with RFC 6531 and IDNA. */
export function checkSyntax({ email }: { email: string }) {
  const address = parseAddress(email)
  const text = { repaired: repairsOf(address), didYouMean: didYouMean(address, undefined) }
  if (address.ok) {
    const { normalized, tld } = address
    return { ...text, email: normalized, normalized, tldExists: topLevelExists(tld), problem: null }
  }
  const { reason, position, message, input } = address
  return { ...text, email: input, normalized: "", tldExists: null, problem: { reason, position, message } }
}

interface QuickCheck {
  readonly email: string
  readonly repaired: AddressRepair[]
  readonly syntaxValid: boolean
  readonly mxValid: boolean
  /** Null when DNS gave no answer, and for a malformed address. */
  readonly mxKind: MxKind | null
  readonly tldExists: boolean | null
  readonly mxHosts: readonly string[]
  readonly status: Status
  readonly note: string
  /** From a stored result. */
  readonly cached: boolean
  readonly didYouMean: string | null
  /** Time of the stored result, ISO 8601. Null without one. */
  readonly verifiedAt: string | null
}

const NOTES = {
  mx_dead: ["unknown", "no mail host of the domain has an address"],
  mx_unusable: ["unknown", "the domain's MX records name no host"],
  mx: ["unknown", "the domain accepts mail; the mailbox itself was not probed"],
  implicit_mx: [
    "unknown",
    "the domain has no MX record, so mail goes to its own address; the mailbox itself was not probed",
  ],
  null_mx: ["invalid", "the domain accepts no mail (null MX)"],
  no_such_domain: ["invalid", "the domain does not exist"],
  no_such_tld: ["invalid", "the domain does not exist, and neither does its top-level domain"],
  no_mail_host: ["invalid", "the domain has no mail server"],
  dns_failure: ["unknown", "DNS did not answer; try again"],
} as const

/** The longest wait for the store. After it DNS alone answers. */
const STORE_MS = 1_000

/**
 * Returns the fresh stored result of an address, else checks syntax and DNS. A stored result is not counted. DNS says
 * nothing about the mailbox, so it alone is never `valid`.
 * @param accountId null for a caller without an account
 * @throws AppError rate_limited, before a DNS query
 */
export async function checkQuickly(
  ctx: Context,
  meter: UsageMeter,
  { email, accountId }: { email: string; accountId: string | null },
): Promise<QuickCheck> {
  const address = parseAddress(email)
  const unverified = { cached: false, verifiedAt: null }
  if (!address.ok)
    return {
      email: address.input,
      repaired: [],
      syntaxValid: false,
      mxValid: false,
      mxKind: null,
      tldExists: null,
      mxHosts: [],
      status: "invalid_syntax",
      note: address.message,
      didYouMean: didYouMean(address, undefined),
      ...unverified,
    }
  const known = { email: address.normalized, repaired: repairsOf(address), syntaxValid: true }
  const checks = await withDeadline(ctx.clock, findChecks(ctx, address, accountId), ctx.clock.now() + STORE_MS)
  if (checks) {
    const { mx_valid: mxValid, mx_kind: mxKind, tld_exists: tldExists, mx_records: mxHosts } = checks
    const { status, did_you_mean: didYouMean, verified_at: verifiedAt } = checks
    const note = `stored result of ${verifiedAt}; no mail server was probed now`
    return { ...known, mxValid, mxKind, tldExists, mxHosts, status, note, didYouMean, cached: true, verifiedAt }
  }
  await meter.authorize()
  const route = await findMailRoute(ctx.dns, address.domain)
  const mxValid = hasLiveMailHost({ route, exchangers: await findExchangers(ctx.dns, route) })
  const tldExists = topLevelExists(address.tld)
  const [status, note] = NOTES[noteOn(route, { mxValid, tldExists })]
  const domain = { mxValid, mxKind: mxKindOf(route), tldExists, mxHosts: mailHostsOf(route) }
  return { ...known, ...domain, status, note, didYouMean: didYouMean(address, route), ...unverified }
}

/** The checks of the fresh stored result for the account; null without one, and while the store does not answer. */
export async function findChecks(
  ctx: Context,
  address: ValidAddress,
  accountId: string | null,
): Promise<Checks | null> {
  try {
    const found = await findCached(ctx, { address, accountId, trustsMisses: true })
    return found && cachedChecks(found.result, address, found.accountFlags)
  } catch (error) {
    if (error instanceof AppError && error.kind === "unavailable") return null
    throw error
  }
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
  readonly acceptsMail: boolean | null
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
    acceptsMail: route.kind === "dns_failure" ? null : hasMailHostToUse(route),
    mxHosts: mailHostsOf(route),
  }
}
