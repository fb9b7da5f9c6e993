import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Context } from "../../context.ts"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import type { AssessedCandidate, Finding } from "../../domain/finder/candidates.ts"
import { guessDomains, isSiteOf } from "../../domain/finder/company-domain.ts"
import { providerKind } from "../../domain/finder/domain-formats.ts"
import type { PersonName } from "../../domain/finder/person-name.ts"
import { hasMailHost, type MailRoute } from "../../domain/verification/evidence.ts"
import type { Verdict } from "../../domain/verification/judge.ts"
import { AppError } from "../../errors.ts"
import { chargeCredits, pricesFor } from "../accounts/charge.ts"
import { findMailRoute } from "../verification/find-facts.ts"
import { type GivenName, requireDomain, requireName } from "./caller-input.ts"
import { type FoundCandidates, findCandidates, findingOf } from "./find-candidates.ts"
import { findRoute, type KnownFormats, learnFormats } from "./formats.ts"
import { probeCandidates } from "./probe-candidates.ts"
import { scrapeSite } from "./scrape-site.ts"

interface FindInput extends GivenName {
  /** A bare domain, a URL or a name with "www.". Empty to derive the domain from the company's name. */
  readonly domain: string
  readonly companyName: string
  readonly smtp: boolean
  readonly scrape: boolean
  /** Null for a caller without an account. */
  readonly accountId: string | null
}

/**
 * - verified: a mail server accepts the best address and refuses a random one, and it is more likely the person's than not
 * - likely: unconfirmed, but other addresses of the domain have its format
 * - guess: neither. The mailbox may exist and more likely be another person's
 * - not_found: the mail server denies every candidate
 * - no_mail: the domain accepts no mail
 */
type FindOutcome = "verified" | "likely" | "guess" | "not_found" | "no_mail"

export interface FoundEmail {
  readonly domain: string
  readonly outcome: FindOutcome
  readonly candidates: readonly (AssessedCandidate & { readonly email: string })[]
  readonly formats: KnownFormats
  readonly isCatchAll: boolean | null
  readonly elapsedMs: number
  readonly credits: number
}

const MOST_PROBED = 8
const MOST_GRAVATARS = 4
const PROBE_MS = 20_000
/** With this confidence, no further candidate is probed, and the address is a sample of the domain's format. */
const ENOUGH = 0.8
/** A confirmed mailbox with less is more likely another person's. */
const MORE_LIKELY_THAN_NOT = 0.5
/** Minimum number of addresses in a format, decayed, for the domain to use it. */
const SEEN = 0.1

/**
 * Finds the most likely address of a person at a company. It costs a credit only for a confirmed address, or one in a
 * format seen at the domain.
 * @throws AppError bad_request naming the domain, invalid naming the name, or the meter's refusal
 */
export async function findEmail(ctx: Context, meter: UsageMeter, input: FindInput): Promise<FoundEmail> {
  const startedAt = ctx.clock.now()
  const name = requireName(input)
  const given = input.domain.trim() === "" ? null : requireDomain(input.domain)
  const price = given === null ? CREDITS.find : pricesFor(ctx, input.accountId).ofWork({ domain: given }, CREDITS.find)
  return chargeCredits(meter, { most: price, costOf: ({ credits }) => credits }, async () => {
    const domain = await chooseDomain(ctx, { given, companyName: input.companyName })
    const found = await search(ctx, { input, name, domain })
    const credits = found.outcome === "verified" || found.outcome === "likely" ? price : 0
    return { ...found, domain, credits, elapsedMs: ctx.clock.now() - startedAt }
  })
}

/** @param given the domain of the request, null without one */
async function chooseDomain(
  ctx: Context,
  { given, companyName }: { given: string | null; companyName: string },
): Promise<string> {
  const chosen = given ?? (await findCompanyDomain(ctx, companyName))
  if (chosen === null)
    throw new AppError("bad_request", "company_name: no site of that name was found; give the domain instead")
  if (providerKind(chosen) && providerKind(chosen, await findRoute(ctx, chosen)))
    throw new AppError("bad_request", `domain: ${chosen} is a public mailbox provider; give a company's own domain`)
  return chosen
}

async function search(ctx: Context, { input, name, domain }: { input: FindInput; name: PersonName; domain: string }) {
  const [route] = await Promise.all([findRoute(ctx, domain), input.scrape ? scrapeSite(ctx, domain) : null])
  const found = await findCandidates(ctx, { name, domain, route, accountId: input.accountId })
  const { formats } = found
  if (formats.reason) return { outcome: "no_mail" as const, candidates: [], formats, isCatchAll: null }
  const { findings, isCatchAll, isPrivate } = await checkCandidates(ctx, { ...found, ...input, route })
  const candidates = found.assess(findings)
  const outcome = outcomeOf(candidates, { findings, formats, isCatchAll })
  const best = candidates[0]
  if (best && isSettled(best) && !isPrivate) {
    const { firstName, lastName } = input
    const samples = [{ localPart: best.localPart, firstName, lastName }]
    ctx.background(learnFormats(ctx, [{ domain, samples, source: "verified" }]))
  }
  return { outcome, candidates, formats, isCatchAll }
}

/** Checks the candidates against stored results, the mail server and, at a catch-all, Gravatar. */
async function checkCandidates(
  ctx: Context,
  {
    addresses,
    assess,
    findings: stored,
    route,
    smtp,
    accountId,
  }: Omit<FoundCandidates, "formats" | "ranked"> & Pick<FindInput, "smtp" | "accountId"> & { route: MailRoute },
): Promise<{ findings: Finding[]; isCatchAll: boolean | null; isPrivate: boolean }> {
  const findings = [...stored]
  const isEnough = () => assess(findings).slice(0, 1).some(isSettled)
  const isKnown = findings.some(({ isVerified }) => isVerified)
  if (!smtp || !hasMailHost(route) || isEnough())
    return { findings, isCatchAll: isKnown ? false : null, isPrivate: false }
  const open = findings
    .flatMap(({ isMissing, isVerified }, at) => (isMissing || isVerified ? [] : [at]))
    .slice(0, MOST_PROBED)
  const add = (verdicts: ReadonlyMap<number, Verdict>) => {
    for (const [index, verdict] of verdicts) findings[open[index]!] = findingOf(verdict)
  }
  const probed = await probeCandidates(ctx, {
    accountId,
    addresses: open.map((at) => addresses[at]!),
    hosts: route.hosts,
    deadlineMs: PROBE_MS,
    isEnough(verdicts) {
      add(verdicts)
      return isEnough()
    },
  })
  add(probed.verdicts)
  const { isPrivate } = probed
  if (findings.some(({ isVerified }) => isVerified)) return { findings, isCatchAll: false, isPrivate }
  const pictures = open.slice(0, MOST_GRAVATARS).filter((at) => !findings[at]!.isMissing)
  await Promise.all(
    pictures.map(async (at) => {
      findings[at] = { ...findings[at]!, hasGravatar: await ctx.gravatar.has(addresses[at]!.normalized) }
    }),
  )
  return { findings, isCatchAll: probed.isCatchAll, isPrivate }
}

function isSettled({ isVerified, confidence }: AssessedCandidate): boolean {
  return isVerified && confidence >= ENOUGH
}

function outcomeOf(
  candidates: readonly AssessedCandidate[],
  { findings, formats, isCatchAll }: Pick<FoundEmail, "formats" | "isCatchAll"> & { findings: readonly Finding[] },
): FindOutcome {
  // Covers the first candidates, probed or not: a result for one candidate shows nothing about the others.
  const isDenied = findings.slice(0, MOST_PROBED).every(({ isMissing }) => isMissing) && isCatchAll !== true
  const best = candidates[0]
  if (isDenied || !best) return "not_found"
  if (best.isVerified) return best.confidence >= MORE_LIKELY_THAN_NOT ? "verified" : "guess"
  const seen = formats.formats.find(({ format }) => format === best.format)?.weight ?? 0
  return seen >= SEEN ? "likely" : "guess"
}

/** Finds a company's domain by its name: the first guess that accepts mail and whose site shows the name. */
export async function findCompanyDomain(
  { web, dns }: Pick<Context, "web" | "dns">,
  companyName: string,
): Promise<string | null> {
  const guesses = guessDomains(companyName)
  const answers = await Promise.all(
    guesses.map(async (domain) => {
      const [page, route] = await Promise.all([web.get(`https://${domain}/`), findMailRoute(dns, domain)])
      return page.kind === "answer" && page.status < 400 && hasMailHost(route) && isSiteOf(page.text, companyName)
    }),
  )
  return guesses.find((_, at) => answers[at]) ?? null
}
