import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { type Appraised, appraise, type Finding, NOT_ASKED } from "../../domain/finder/appraise.ts"
import { spellsUmlautsOut } from "../../domain/finder/priors.ts"
import { type Candidate, rankCandidates } from "../../domain/finder/rank-candidates.ts"
import { spellingsOf } from "../../domain/names/name-variants.ts"
import type { PersonName } from "../../domain/names/person-name.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"
import { judge, type Verdict } from "../../domain/verdict/judge.ts"
import { AppError } from "../../errors.ts"
import { charge } from "../accounts/charge.ts"
import { FACTS_BUDGET_MS, type FactNeeds, gatherFacts } from "../verification/gather-facts.ts"
import type { ProbeNeeds } from "../verification/probe-batch.ts"
import { findCompanyDomain } from "./find-company-domain.ts"
import { isCompanyDomain, learnFormats } from "./learn-formats.ts"
import { probeCandidates } from "./probe-candidates.ts"
import { type KnownFormats, readFormats } from "./read-formats.ts"
import { requireDomain } from "./require-domain.ts"
import { type GivenName, requireName } from "./require-name.ts"
import { type ScrapeNeeds, scrapeSite } from "./scrape-site.ts"

export type FindNeeds = FactNeeds & ProbeNeeds & ScrapeNeeds & Pick<Deps, "resultLists" | "gravatar" | "meter">

export interface FindInput extends GivenName {
  /** Bare, a URL or with "www."; empty when the company's name is to lead to it. */
  readonly domain: string
  readonly companyName: string
  readonly smtp: boolean
  readonly scrape: boolean
}

/**
 * - verified: a mail server takes the best address and refuses a random one
 * - likely: nobody can confirm it, but addresses of the domain show its format
 * - guess: nobody can confirm it, and nothing is known of the domain's format
 * - not_found: the mail server denies every candidate
 * - no_mail: the domain takes no mail
 */
type FindOutcome = "verified" | "likely" | "guess" | "not_found" | "no_mail"

export interface FoundEmail {
  readonly domain: string
  readonly outcome: FindOutcome
  readonly candidates: readonly (Appraised & { readonly email: string })[]
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
 * The likeliest address of a person at a company. Charged once, and only when there is something to show for it: an
 * address that a server confirmed, or one by a format that the domain's own addresses show.
 * @throws AppError bad_request naming the domain, invalid naming the name, or what the meter says
 */
export async function findEmail(needs: FindNeeds, input: FindInput): Promise<FoundEmail> {
  const startedAt = needs.clock.now()
  const name = requireName(input)
  return charge(needs, { most: CREDITS.find, costOf: ({ credits }) => credits }, async () => {
    const domain = await chooseDomain(needs, input)
    const found = await search(needs, { input, name, domain })
    const credits = found.outcome === "verified" || found.outcome === "likely" ? CREDITS.find : 0
    return { ...found, domain, credits, elapsedMs: needs.clock.now() - startedAt }
  })
}

async function chooseDomain(needs: FindNeeds, { domain, companyName }: FindInput): Promise<string> {
  const given = domain.trim() === "" ? null : requireDomain(domain)
  const chosen = given ?? (await findCompanyDomain(needs, companyName))
  if (chosen === null)
    throw new AppError("bad_request", "company_name: no site of that name was found; give the domain instead")
  if (!isCompanyDomain(chosen))
    throw new AppError("bad_request", `domain: ${chosen} gives mailboxes to everybody; give a company's own domain`)
  return chosen
}

interface Search {
  readonly input: FindInput
  readonly name: PersonName
  readonly domain: string
}

async function search(needs: FindNeeds, { input, name, domain }: Search) {
  const kept = (await needs.resultLists.factsOf([domain])).get(domain) ?? null
  const [{ route }] = await Promise.all([
    gatherFacts(needs, { domain, stored: kept, wanted: new Set(["route"]) }).within(FACTS_BUDGET_MS),
    input.scrape ? scrapeSite(needs, domain) : null,
  ])
  const formats = await readFormats(needs, { domain, route })
  const spellings = spellingsOf(name, { spellsUmlautsOut: spellsUmlautsOut(formats.country) })
  const ranked = rankCandidates(spellings, { formats: formats.formats, size: formats.size }).filter(
    ({ localPart }) => parseAddress(`${localPart}@${domain}`).ok,
  )
  if (route.kind === "null_mx" || route.kind === "no_such_domain" || route.kind === "no_mail_host")
    return { outcome: "no_mail" as const, candidates: [], formats, isCatchAll: null }
  const { findings, isCatchAll, isPrivate } = await examine(needs, { ranked, domain, route, smtp: input.smtp })
  const candidates = appraise(ranked, findings)
    .slice(0, MOST_SHOWN)
    .map((candidate) => ({ ...candidate, email: `${candidate.localPart}@${domain}` }))
  const outcome = outcomeOf(candidates, { findings, isLearned: formats.sampleCount > 0, isCatchAll })
  if (outcome === "verified" && !isPrivate) {
    const { firstName, lastName } = input
    const samples = [{ localPart: candidates[0]!.localPart, firstName, lastName }]
    needs.background(learnFormats(needs, { domain, samples, source: "verified" }))
  }
  return { outcome, candidates, formats, isCatchAll }
}

interface Examination {
  readonly ranked: readonly Candidate[]
  readonly domain: string
  readonly route: MailRoute
  readonly smtp: boolean
}

/** What earlier verifications, the mail server and, where it takes everything, a directory of pictures know of the candidates. */
async function examine(
  needs: FindNeeds,
  { ranked, domain, route, smtp }: Examination,
): Promise<{ findings: Finding[]; isCatchAll: boolean | null; isPrivate: boolean }> {
  const addresses = ranked.map(({ localPart }) => parseAddress(`${localPart}@${domain}`) as ValidAddress)
  const findings = await findStored(needs, addresses)
  const isKnown = findings.some(({ isVerified }) => isVerified)
  if (!smtp || !hasMailHost(route) || isKnown) return { findings, isCatchAll: isKnown ? false : null, isPrivate: false }
  const open = findings.flatMap(({ isMissing }, at) => (isMissing ? [] : [at])).slice(0, MOST_PROBED)
  const asked = open.map((at) => addresses[at]!)
  const { verdicts, isCatchAll, isPrivate } = await probeCandidates(needs, {
    addresses: asked,
    hosts: route.hosts,
    deadlineMs: PROBE_MS,
  })
  for (const [index, verdict] of verdicts) findings[open[index]!] = findingOf(verdict)
  if (findings.some(({ isVerified }) => isVerified)) return { findings, isCatchAll, isPrivate }
  const pictures = open.slice(0, MOST_GRAVATARS).filter((at) => !findings[at]!.isMissing)
  await Promise.all(
    pictures.map(async (at) => {
      findings[at] = { ...findings[at]!, hasGravatar: await needs.gravatar.has(addresses[at]!.normalized) }
    }),
  )
  return { findings, isCatchAll, isPrivate }
}

/** Earlier verifications that still hold. */
async function findStored({ resultLists, clock }: FindNeeds, addresses: readonly ValidAddress[]): Promise<Finding[]> {
  const stored = await resultLists.among(addresses.map(cacheKey))
  return addresses.map((address) => {
    const result = stored.get(cacheKey(address))
    if (!result || result.expiresAt <= clock.now()) return NOT_ASKED
    const finding = findingOf(judge({ ...result.evidence, address }))
    return finding.isVerified || finding.isMissing ? finding : NOT_ASKED
  })
}

/** Only a mailbox at a domain that refuses others is verified: behind a catch-all a yes says nothing. */
function findingOf({ status, smtpStatus, isCatchAll }: Verdict): Finding {
  const isVerified = status === "valid" && isCatchAll === false
  return { smtpStatus, isVerified, isMissing: status === "invalid", hasGravatar: null }
}

function outcomeOf(
  candidates: readonly Appraised[],
  { findings, isLearned, isCatchAll }: { findings: readonly Finding[]; isLearned: boolean; isCatchAll: boolean | null },
): FindOutcome {
  if (candidates[0]?.isVerified) return "verified"
  // The first of them, whether or not somebody was asked: what is known of one says nothing about the others.
  const isDenied = findings.slice(0, MOST_PROBED).every(({ isMissing }) => isMissing) && isCatchAll !== true
  if (isDenied || candidates.length === 0) return "not_found"
  return isLearned ? "likely" : "guess"
}
