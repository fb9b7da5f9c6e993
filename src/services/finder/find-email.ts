import type { UsageMeter } from "../../adapters/key-limiter/usage-meter.ts"
import type { Context } from "../../context.ts"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { type AssessedCandidate, assessCandidates, type Finding, NOT_PROBED } from "../../domain/finder/assess.ts"
import { expandsUmlauts } from "../../domain/finder/priors.ts"
import { type Candidate, rankCandidates } from "../../domain/finder/rank-candidates.ts"
import { spellingsOf } from "../../domain/names/name-variants.ts"
import type { PersonName } from "../../domain/names/person-name.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"
import { forCurrentSpelling } from "../../domain/verdict/evidence-about.ts"
import { judge, type Verdict } from "../../domain/verdict/judge.ts"
import { AppError } from "../../errors.ts"
import { chargeCredits } from "../accounts/charge.ts"
import { FACTS_BUDGET_MS, gatherFacts } from "../verification/domain-facts.ts"
import { readStored } from "../verification/stored-results.ts"
import { findCompanyDomain } from "./find-company-domain.ts"
import { isCompanyDomain, learnFormats } from "./learn-formats.ts"
import { probeCandidates } from "./probe-candidates.ts"
import { type KnownFormats, readFormats } from "./read-formats.ts"
import { requireDomain } from "./require-domain.ts"
import { type GivenName, requireName } from "./require-name.ts"
import { scrapeSite } from "./scrape-site.ts"

export interface FindInput extends GivenName {
  /** A bare domain, a URL or a name with "www.". Empty to derive the domain from the company's name. */
  readonly domain: string
  readonly companyName: string
  readonly smtp: boolean
  readonly scrape: boolean
  /** Null for a caller without an account. */
  readonly accountId: string | null
}

/**
 * - verified: a mail server accepts the best address and refuses a random one
 * - likely: unconfirmed, but addresses of the domain show its format
 * - guess: unconfirmed, and the domain's format is unknown
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
const MOST_SHOWN = 10
const PROBE_MS = 20_000

/**
 * Finds the most likely address of a person at a company. It costs a credit only for a confirmed address, or one in a
 * format seen at the domain.
 * @throws AppError bad_request naming the domain, invalid naming the name, or the meter's refusal
 */
export async function findEmail(ctx: Context, meter: UsageMeter, input: FindInput): Promise<FoundEmail> {
  const startedAt = ctx.clock.now()
  const name = requireName(input)
  return chargeCredits(meter, { most: CREDITS.find, costOf: ({ credits }) => credits }, async () => {
    const domain = await chooseDomain(ctx, input)
    const found = await search(ctx, { input, name, domain })
    const credits = found.outcome === "verified" || found.outcome === "likely" ? CREDITS.find : 0
    return { ...found, domain, credits, elapsedMs: ctx.clock.now() - startedAt }
  })
}

async function chooseDomain(ctx: Context, { domain, companyName }: FindInput): Promise<string> {
  const given = domain.trim() === "" ? null : requireDomain(domain)
  const chosen = given ?? (await findCompanyDomain(ctx, companyName))
  if (chosen === null)
    throw new AppError("bad_request", "company_name: no site of that name was found; give the domain instead")
  if (!isCompanyDomain(chosen))
    throw new AppError("bad_request", `domain: ${chosen} is a public mailbox provider; give a company's own domain`)
  return chosen
}

interface Search {
  readonly input: FindInput
  readonly name: PersonName
  readonly domain: string
}

async function search(ctx: Context, { input, name, domain }: Search) {
  const storedFacts = (await ctx.store.resultLists.factsOf([domain])).get(domain) ?? null
  const [{ route }] = await Promise.all([
    gatherFacts(ctx, { domain, stored: storedFacts, wanted: new Set(["route"]) }).within(FACTS_BUDGET_MS),
    input.scrape ? scrapeSite(ctx, domain) : null,
  ])
  const formats = await readFormats(ctx, { domain, route })
  const spellings = spellingsOf(name, { spellsUmlautsOut: expandsUmlauts(formats.country) })
  const ranked = rankCandidates(spellings, { formats: formats.formats, size: formats.size }).filter(
    ({ localPart }) => parseAddress(`${localPart}@${domain}`).ok,
  )
  if (route.kind === "null_mx" || route.kind === "no_such_domain" || route.kind === "no_mail_host")
    return { outcome: "no_mail" as const, candidates: [], formats, isCatchAll: null }
  const { findings, isCatchAll, isPrivate } = await examine(ctx, { ranked, domain, route, input })
  const candidates = assessCandidates(ranked, findings)
    .slice(0, MOST_SHOWN)
    .map((candidate) => ({ ...candidate, email: `${candidate.localPart}@${domain}` }))
  const outcome = outcomeOf(candidates, { findings, isLearned: formats.sampleCount > 0, isCatchAll })
  if (outcome === "verified" && !isPrivate) {
    const { firstName, lastName } = input
    const samples = [{ localPart: candidates[0]!.localPart, firstName, lastName }]
    ctx.background(learnFormats(ctx, [{ domain, samples, source: "verified" }]))
  }
  return { outcome, candidates, formats, isCatchAll }
}

interface Examination {
  readonly ranked: readonly Candidate[]
  readonly domain: string
  readonly route: MailRoute
  readonly input: Pick<FindInput, "smtp" | "accountId">
}

/** Checks the candidates against stored results, the mail server and, behind a catch-all, Gravatar. */
async function examine(
  ctx: Context,
  { ranked, domain, route, input: { smtp, accountId } }: Examination,
): Promise<{ findings: Finding[]; isCatchAll: boolean | null; isPrivate: boolean }> {
  const addresses = ranked.map(({ localPart }) => parseAddress(`${localPart}@${domain}`) as ValidAddress)
  const findings = await findStored(ctx, { accountId, addresses })
  const isKnown = findings.some(({ isVerified }) => isVerified)
  if (!smtp || !hasMailHost(route) || isKnown) return { findings, isCatchAll: isKnown ? false : null, isPrivate: false }
  const open = findings.flatMap(({ isMissing }, at) => (isMissing ? [] : [at])).slice(0, MOST_PROBED)
  const probed = open.map((at) => addresses[at]!)
  const { verdicts, isCatchAll, isPrivate } = await probeCandidates(ctx, {
    accountId,
    addresses: probed,
    hosts: route.hosts,
    deadlineMs: PROBE_MS,
  })
  for (const [index, verdict] of verdicts) findings[open[index]!] = findingOf(verdict)
  if (findings.some(({ isVerified }) => isVerified)) return { findings, isCatchAll, isPrivate }
  const pictures = open.slice(0, MOST_GRAVATARS).filter((at) => !findings[at]!.isMissing)
  await Promise.all(
    pictures.map(async (at) => {
      findings[at] = { ...findings[at]!, hasGravatar: await ctx.gravatar.has(addresses[at]!.normalized) }
    }),
  )
  return { findings, isCatchAll, isPrivate }
}

/** Returns what fresh stored results show. */
async function findStored(
  ctx: Context,
  { accountId, addresses }: { accountId: string | null; addresses: readonly ValidAddress[] },
): Promise<Finding[]> {
  const stored = await readStored(ctx, { accountId, addresses })
  return addresses.map((address) => {
    const result = stored.get(cacheKey(address))
    if (!result || result.expiresAt <= ctx.clock.now()) return NOT_PROBED
    const finding = findingOf(judge(forCurrentSpelling(result.evidence, address)))
    return finding.isVerified || finding.isMissing ? finding : NOT_PROBED
  })
}

/** Only a mailbox at a domain that refuses others is verified: a catch-all accepts every address. */
function findingOf({ status, smtpStatus, isCatchAll }: Verdict): Finding {
  const isVerified = status === "valid" && isCatchAll === false
  return { smtpStatus, isVerified, isMissing: status === "invalid", hasGravatar: null }
}

function outcomeOf(
  candidates: readonly AssessedCandidate[],
  { findings, isLearned, isCatchAll }: { findings: readonly Finding[]; isLearned: boolean; isCatchAll: boolean | null },
): FindOutcome {
  if (candidates[0]?.isVerified) return "verified"
  // Covers the first candidates, probed or not: a result for one candidate shows nothing about the others.
  const isDenied = findings.slice(0, MOST_PROBED).every(({ isMissing }) => isMissing) && isCatchAll !== true
  if (isDenied || candidates.length === 0) return "not_found"
  return isLearned ? "likely" : "guess"
}
