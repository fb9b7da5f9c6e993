import type { Context } from "../../context.ts"
import { addressHashes, cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { companyWords } from "../../domain/finder/company-domain.ts"
import { inferFormats, matchName } from "../../domain/finder/formats.ts"
import type { PersonName } from "../../domain/finder/person-name.ts"
import { realismOf } from "../../domain/finder/realism.ts"
import { classifyAddress } from "../../domain/reference/classify.ts"
import { type Activity, assessActivity } from "../../domain/signals/mailbox-activity.ts"
import { forCurrentSpelling, hasMailHost } from "../../domain/verification/evidence.ts"
import { judge } from "../../domain/verification/judge.ts"
import { reassess } from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { readFormats } from "../finder/formats.ts"
import { readStored } from "../verification/known.ts"
import { gatherDomain } from "./describe-domain.ts"

interface CrossInput {
  readonly email: string
  readonly name: PersonName | null
  readonly companyName: string
  /** Null for a caller without an account. */
  readonly accountId: string | null
}

interface CrossSignal {
  readonly signal: string
  readonly agrees: boolean | null
  readonly weight: number
  readonly detail: string
}

interface CrossReference {
  readonly email: string
  readonly signals: readonly CrossSignal[]
  /** Weighted share of the signals that agree, among those with a value. Null when no given detail can be compared. */
  readonly agreement: number | null
  readonly conclusion: "consistent" | "mixed" | "contradictory" | "insufficient"
}

/** Checks whether the details of a person fit the address. @throws AppError bad_request for a malformed address */
export async function crossReference(
  ctx: Context,
  { email, name, companyName, accountId }: CrossInput,
): Promise<CrossReference> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email: ${explainProblem(address)}`)
  const { domain } = address
  const [facts, stored, hasGravatar] = await Promise.all([
    gatherDomain(ctx, { domain, wanted: ["web"] }),
    readStored(ctx, { accountId, addresses: [address] }),
    ctx.gravatar.has(address.normalized),
  ])
  const known = await readFormats(ctx, { domain, route: facts.route })
  const result = stored.get(cacheKey(address))
  const status = result ? judge(forCurrentSpelling(result.evidence, address)).status : null
  const { route } = facts
  const isLive = facts.web?.site === "live" && facts.web.parkedAt === null
  const spelledName = name && spellOut(name, address.local)
  const signals: CrossSignal[] = [
    nameSignal(address, spelledName),
    realismSignal(name),
    formatSignal(address, { name: spelledName, top: known.sampleCount > 0 ? known.formats[0]!.format : null }),
    companySignal(domain, companyName, classifyAddress(address).isFree),
    signal("domain_takes_mail", route.kind === "dns_failure" ? null : hasMailHost(route), 2, route.kind),
    signal(
      "domain_site",
      facts.web ? isLive : null,
      1,
      facts.web?.parkedAt ? "parked" : (facts.web?.site ?? "not known"),
    ),
    signal(
      "gravatar",
      hasGravatar === true ? true : null,
      1,
      hasGravatar ? "has a picture" : "no picture, which is weak evidence",
    ),
    signal(
      "verification",
      status === "valid" ? true : status === "invalid" ? false : null,
      4,
      status ?? "never verified",
    ),
  ]
  const decisive = signals.filter(({ agrees }) => agrees !== null)
  const total = decisive.reduce((sum, { weight }) => sum + weight, 0)
  const agreeing = decisive.reduce((sum, { agrees, weight }) => sum + (agrees ? weight : 0), 0)
  const agreement = total === 0 ? null : agreeing / total
  const conclusion = decisive.some(isAboutPerson) ? conclude(agreement, decisive.length) : "insufficient"
  return { email: address.normalized, signals, agreement: conclusion === "insufficient" ? null : agreement, conclusion }
}

/** Whether a signal compares the address with a given detail. Signals about the address alone contradict nothing. */
function isAboutPerson({ signal: name }: CrossSignal): boolean {
  return name === "name_local_part" || name === "company_domain"
}

function conclude(agreement: number | null, count: number): CrossReference["conclusion"] {
  if (agreement === null || count < 2) return "insufficient"
  if (agreement >= 0.8) return "consistent"
  return agreement >= 0.45 ? "mixed" : "contradictory"
}

/** "J. Smith" may be a John: replaces an initial with the word of the local part that begins with it. */
function spellOut(name: PersonName, local: string): PersonName {
  const words = local
    .toLowerCase()
    .split("+")[0]!
    .split(/[._-]+/)
  if (words.length === 1) return name
  const isInitialOf = (given: string) => (word: string) => given.length === 1 && word.startsWith(given.toLowerCase())
  return { ...name, given: name.given.map((given) => words.find(isInitialOf(given)) ?? given) }
}

function nameSignal({ local }: ValidAddress, name: PersonName | null): CrossSignal {
  if (!name) return signal("name_local_part", null, 4, "no name given")
  const match = matchName(local, name)
  return signal(
    "name_local_part",
    match !== null,
    4,
    match ? `fits ${match.format}` : "no common format of this name fits",
  )
}

function realismSignal(name: PersonName | null): CrossSignal {
  if (!name) return signal("name_realism", null, 1, "no name given")
  const words = [...name.given, ...name.family.map((family) => family.name)]
  const worst = Math.min(...words.map((word) => realismOf(word).score))
  return signal(
    "name_realism",
    worst >= 0.5 ? true : worst < 0.2 ? false : null,
    1,
    `${worst.toFixed(2)} for the least plausible word`,
  )
}

function formatSignal(
  { local }: ValidAddress,
  { name, top }: { name: PersonName | null; top: string | null },
): CrossSignal {
  if (top === null) return signal("domain_format", null, 2, "the domain's format is unknown")
  const formats = name ? [matchName(local, name)?.format] : [...inferFormats({ localPart: local }).keys()]
  return signal(
    "domain_format",
    formats.some((format) => format === top),
    2,
    `the domain mostly uses ${top}`,
  )
}

function companySignal(domain: string, companyName: string, isFree: boolean): CrossSignal {
  const words = companyWords(companyName)
  if (words.length === 0) return signal("company_domain", null, 2, "no company given")
  if (isFree) return signal("company_domain", null, 2, "a public mailbox provider")
  const name = domain.replace(/-/g, "")
  const fits =
    words.some((word) => word.length > 2 && name.includes(word)) ||
    name.startsWith(words.map((word) => word[0]).join(""))
  return signal("company_domain", fits, 2, fits ? "the domain has the company's name" : "the domain has another name")
}

function signal(name: string, agrees: boolean | null, weight: number, detail: string): CrossSignal {
  return { signal: name, agrees, weight, detail }
}

/** Collects signs of mailbox use: a picture, the last verification, own reports. @throws AppError bad_request */
export async function findActivity(
  ctx: Context,
  { email, accountId }: { email: string; accountId: string | null },
): Promise<{ email: string; activity: Activity }> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email: ${explainProblem(address)}`)
  const { digests, gravatar, clock } = ctx
  const { neighbors } = ctx.store
  const [stored, hasGravatar, reported] = await Promise.all([
    readStored(ctx, { accountId, addresses: [address] }),
    gravatar.has(address.normalized),
    accountId === null ? null : neighbors.ownFeedback(accountId, await addressHashes(digests, address)),
  ])
  const result = stored.get(cacheKey(address))
  const known = result && reassess(result, address)
  const verified = known ? { status: known.verdict.status, at: known.verifiedAt } : null
  const { arrivedAt = null, bouncedAt = null } = reported ?? {}
  const { isDisposable } = known?.evidence.lists ?? classifyAddress(address)
  const activity = assessActivity({ hasGravatar, verified, arrivedAt, bouncedAt, isDisposable }, clock.now())
  return { email: address.normalized, activity }
}
