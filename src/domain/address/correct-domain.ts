import { Recent } from "../recent.ts"
import { endsInKnownName, isSuffix, repairSuffix } from "./correct-suffix.ts"
import { TYPING_ERROR_COST, typingErrorCost } from "./edit-distance.ts"
import { isKnownDomain, isKnownLabel, PROVIDER_BY_LABEL, type Provider, suffixHandicap } from "./mail-providers.ts"
import { type DomainCorrection, nearestLabel, nearestProvider, scrambledLabel } from "./nearest-provider.ts"

/** Cost of a suffix that the provider does not use, when the label is certain. */
const FOREIGN_SUFFIX = 0.5

/** Existing suffixes that mostly are typos after a popular label, with the intended suffix. */
const TRUNCATED_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ["net", "com"],
  ["co", "com"],
  ["cm", "com"],
  ["om", "com"],
  ["ne", "net"],
  ["et", "net"],
])

/** Suffixes under which new companies often choose unusual names. */
const FASHIONABLE = /^(?!(?:biz|com|edu|gov|info|mil|net|org)$)[a-z]{3,}$|^(?:ai|cc|fm|gg|io|ly|me|so|to|tv|vc|ws)$/

/** RFC 1035 §2.3.4. A malformed domain may be longer, and is not cached. */
const MAX_DOMAIN = 253

/** Recent results. Addresses of a list share domains, and an unknown domain takes longer than the whole syntax check. */
const corrections = new Recent<DomainCorrection | null>(5_000)

/** Returns the popular or existing domain that was probably meant. Null when the typed domain may be correct. */
export function correctDomain(typed: string): DomainCorrection | null {
  if (isKnownDomain(typed)) return null
  const known = corrections.get(typed)
  if (known !== undefined) return known
  const correction = findCorrection(typed)
  if (typed.length <= MAX_DOMAIN) corrections.set(typed, correction)
  return correction
}

function findCorrection(typed: string): DomainCorrection | null {
  if (isKnownLabel(typed.slice(0, typed.indexOf("."))) && endsInKnownName(typed)) return null
  const bare = typed.startsWith("www.") ? typed.slice(4) : typed
  if (bare !== typed && isKnownDomain(bare)) return { domain: bare, kind: "domain", cost: 0.3 }
  const imitated = foldPairs(bare)
  if (imitated !== bare && isKnownDomain(imitated))
    return { domain: imitated, kind: "domain", cost: TYPING_ERROR_COST.lookalike }
  const suffix = repairSuffix(bare)
  const knownBySuffix: Strategy = () => (suffix && isKnownDomain(suffix.domain) ? { ...suffix, kind: "tld" } : null)
  const best = cheapest(bare, [knownBySuffix, ...STRATEGIES])
  if (best && best.cost <= SURE) return best
  const underNew = suffix && cheapest(suffix.domain, [nearestProvider, underForeignSuffix])
  const both = underNew && addCost(underNew, suffix.cost)
  if (both && both.cost < (best?.cost ?? Infinity)) return both
  return best ?? (suffix && suffix.domain !== typed ? { ...suffix, kind: "tld" } : null)
}

type Strategy = (typed: string) => DomainCorrection | null

/** At this cost or below, no other strategy is tried. */
const SURE = 0.7

const STRATEGIES: readonly Strategy[] = [
  // An exact label under an existing suffix is not a typing error: see underOwnSuffix.
  (typed) => (PROVIDER_BY_LABEL.has(split(typed).label) && endsInKnownName(typed) ? null : nearestProvider(typed)),
  underOwnSuffix,
  underForeignSuffix,
  withRepetition,
  withoutRuns,
]

function cheapest(typed: string, strategies: readonly Strategy[]): DomainCorrection | null {
  let best: DomainCorrection | null = null
  for (const strategy of strategies) {
    const correction = strategy(typed)
    if (correction && correction.cost < (best?.cost ?? Infinity)) best = correction
    if (best && best.cost <= SURE) break
  }
  return best
}

function addCost(correction: DomainCorrection, cost: number): DomainCorrection {
  return { ...correction, cost: correction.cost + cost }
}

function split(domain: string): { label: string; suffix: string } {
  const dot = domain.indexOf(".")
  return dot < 0 ? { label: domain, suffix: "" } : { label: domain.slice(0, dot), suffix: domain.slice(dot + 1) }
}

/** Corrects a wrong suffix after a provider's exact label. */
function underOwnSuffix(typed: string): DomainCorrection | null {
  const { label, suffix } = split(typed)
  const provider = PROVIDER_BY_LABEL.get(label)
  if (!provider || suffix === "") return null
  const near = nearestSuffix(provider, suffix)
  const correct = (own: string, cost: number): DomainCorrection => ({ domain: `${label}.${own}`, kind: "tld", cost })
  const full = TRUNCATED_SUFFIXES.get(suffix)
  if (full && full === provider.suffixes[0] && provider.weight >= (suffix === "net" ? 4 : 3))
    return correct(full, FOREIGN_SUFFIX)
  if (!endsInKnownName(typed)) {
    if (near) return correct(near.suffix, near.cost)
    return provider.isUnmistakable || provider.weight >= 3 ? correct(provider.suffixes[0]!, 0.9) : null
  }
  const maxCost = near && countryOf(near.suffix) === countryOf(suffix) ? 1.1 : 0.8
  if (near && near.cost <= maxCost && suffix.includes(".") && near.suffix.includes("."))
    return correct(near.suffix, near.cost)
  return provider.isUnmistakable && isCountryOrCompany(suffix)
    ? correct(ownSuffix(provider, suffix), FOREIGN_SUFFIX)
    : null
}

function countryOf(suffix: string): string {
  return suffix.slice(suffix.lastIndexOf(".") + 1)
}

/** Whether the text is a public suffix, or is mistaken for one ("com.uk"). Then it contains no company's domain. */
function isCountryOrCompany(suffix: string): boolean {
  return isSuffix(suffix) || /^(?:com?|net|org|ne)\.[a-z]{2,3}$/.test(suffix)
}

function nearestSuffix({ suffixes }: Provider, typed: string): { suffix: string; cost: number } | null {
  let best: { suffix: string; cost: number } | null = null
  for (const [rank, suffix] of suffixes.entries()) {
    const isCut = typed.length > 0 && typed.length < suffix.length && suffix.startsWith(typed)
    const cost = (isCut ? 0.5 : typingErrorCost(typed, suffix, 1.2)) + (rank === 0 ? 0 : suffixHandicap(suffix))
    if (cost < (best?.cost ?? Infinity)) best = { suffix, cost }
  }
  return best
}

/** Corrects "gmial.fr": almost an unmistakable label, under an existing suffix. "jmail.fr" may be a separate domain. */
function underForeignSuffix(typed: string): DomainCorrection | null {
  const { label, suffix } = split(typed)
  if (suffix === "" || PROVIDER_BY_LABEL.has(label) || !isCountryOrCompany(suffix)) return null
  const full = suffix === "net" ? undefined : TRUNCATED_SUFFIXES.get(suffix)
  const completed = full ? nearestProvider(`${label}.${full}`) : null
  if (completed) return addCost(completed, FOREIGN_SUFFIX)
  const near = nearestLabel(label) ?? scrambledLabel(label)
  if (!near) return null
  const own = ownSuffix(near.provider, suffix)
  if (own !== suffix && (FASHIONABLE.test(suffix) || label[0] !== near.provider.label[0])) return null
  return {
    domain: `${near.provider.label}.${own}`,
    kind: "domain",
    cost: near.cost + (own === suffix ? 0 : FOREIGN_SUFFIX),
  }
}

/** Returns the provider's suffix for the typed one: "co.uk" for "uk" or "com.uk", else the default. */
function ownSuffix({ suffixes }: Provider, typed: string): string {
  const isSame = (suffix: string) => countryOf(suffix) === countryOf(typed)
  return suffixes.find((suffix) => suffix === typed) ?? suffixes.find(isSame) ?? suffixes[0]!
}

/** Corrects "gmaillll.com": a key held too long. */
function withoutRuns(typed: string): DomainCorrection | null {
  const even = typed.replace(/([a-z])\1{2,}/g, "$1$1")
  const near = even === typed ? null : nearestProvider(even)
  return near && addCost(near, 0.3)
}

/** Corrects "gmailgmail.com", "gmail.gmail.com", "yahoomail.com" and "gmail.comgmail.com". */
function withRepetition(typed: string): DomainCorrection | null {
  const whole = typed.slice(0, typed.length / 2)
  if (typed === whole + whole && isKnownDomain(whole)) return { domain: whole, kind: "domain", cost: 0.4 }
  const [, label, suffix] = /^([a-z]{4,}?)\.?(?:\1|mail)\.(.+)$/.exec(typed) ?? []
  const provider = PROVIDER_BY_LABEL.get(label ?? "")
  if (!provider?.isUnmistakable || !suffix || (endsInKnownName(typed) && !isCountryOrCompany(suffix))) return null
  return { domain: `${label}.${ownSuffix(provider, suffix)}`, kind: "domain", cost: 0.7 }
}

/** Cyrillic, Greek, Armenian and rare Latin letters that look like common Latin ones (UTS #39 confusables, lower case). */
const LOOKALIKE_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: "a",
    с: "c",
    ԁ: "d",
    е: "e",
    һ: "h",
    і: "i",
    ј: "j",
    ӏ: "l",
    о: "o",
    р: "p",
    ԛ: "q",
    ѕ: "s",
    у: "y",
    ѵ: "v",
    х: "x",
    ԝ: "w",
    к: "k",
    м: "m",
    т: "t",
    г: "r",
    в: "b",
    н: "h",
    ο: "o",
    α: "a",
    ν: "v",
    ι: "i",
    κ: "k",
    ρ: "p",
    υ: "u",
    τ: "t",
    ı: "i",
    ł: "l",
    ø: "o",
    đ: "d",
    ɡ: "g",
    ɑ: "a",
    ɩ: "i",
    ɭ: "l",
    ᴏ: "o",
    ց: "g",
    հ: "h",
    ո: "n",
    օ: "o",
    ս: "u",
  }),
)

/** Removes accents and replaces look-alike letters of other scripts by Latin ones. */
export function foldLookalikes(text: string): string {
  const bare = text.normalize("NFD").replace(/\p{M}+/gu, "")
  return [...bare].map((letter) => LOOKALIKE_LETTERS.get(letter) ?? letter).join("")
}

/** Replaces pairs of letters that look like a single letter, as imitating names use them. */
function foldPairs(text: string): string {
  return text.replaceAll("rn", "m").replaceAll("vv", "w")
}
