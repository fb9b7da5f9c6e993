import { slipCost } from "./edit-distance.ts"
import { isKnownDomain } from "./known-domains.ts"
import { PROVIDER_BY_LABEL, PROVIDERS, type Provider } from "./providers.ts"
import { isSuffix, repairSuffix } from "./top-level-domain.ts"

export interface DomainCorrection {
  readonly domain: string
  /** What was wrong: the name, or the part after it. */
  readonly kind: "domain" | "tld"
  /** Sum of the slips, see `SLIP`; 0.45 is a doubled letter, 1.1 a letter nothing explains. */
  readonly cost: number
}

interface Candidate {
  readonly domain: string
  readonly label: string
  readonly letters: number
  readonly limit: number
  /** Rare services lose against common ones at equal cost. */
  readonly handicap: number
}

/** Cost of a suffix that the provider does not use, when the label leaves no doubt. */
const FOREIGN_SUFFIX = 0.5
const MAX_LETTERS_APART = 5

const CANDIDATES: readonly Candidate[] = PROVIDERS.flatMap((provider) =>
  provider.suffixes.map((suffix, rank) => ({
    domain: `${provider.label}.${suffix}`,
    label: provider.label,
    letters: lettersOf(provider.label + suffix),
    limit: slipLimit(provider),
    handicap: (5 - provider.weight) * 0.06 + (rank === 0 ? 0 : 0.1),
  })),
)

/** The longer and the more popular a name, the more slips it can bear and still be recognised. */
function slipLimit({ label, weight, isWord }: Provider): number {
  if (label.length <= 3) return 0.5
  if (label.length === 4 || isWord) return 0.62
  const base = label.length <= 5 ? 1.25 : label.length <= 6 ? 1.4 : label.length <= 8 ? 1.8 : 2.1
  return weight >= 4 ? base : base * 0.75
}

/** The popular or otherwise existing domain that was meant; null when the domain may well be meant as typed. */
export function correctDomain(typed: string): DomainCorrection | null {
  if (isKnownDomain(typed)) return null
  const bare = typed.startsWith("www.") ? typed.slice(4) : typed
  if (bare !== typed && isKnownDomain(bare)) return { domain: bare, kind: "domain", cost: 0.3 }
  const suffix = repairSuffix(bare)
  const best = cheapest([
    nearestProvider(bare),
    underForeignSuffix(bare),
    suffix && isKnownDomain(suffix.domain) ? { domain: suffix.domain, kind: "tld", cost: suffix.cost } : null,
    suffix ? offset(nearestProvider(suffix.domain) ?? underForeignSuffix(suffix.domain), suffix.cost) : null,
  ])
  if (best) return best
  return suffix && suffix.domain !== typed ? { domain: suffix.domain, kind: "tld", cost: suffix.cost } : null
}

function cheapest(corrections: readonly (DomainCorrection | null)[]): DomainCorrection | null {
  let best: DomainCorrection | null = null
  for (const correction of corrections) if (correction && correction.cost < (best?.cost ?? Infinity)) best = correction
  return best
}

function offset(correction: DomainCorrection | null, cost: number): DomainCorrection | null {
  return correction && { ...correction, cost: correction.cost + cost }
}

function nearestProvider(typed: string): DomainCorrection | null {
  const letters = lettersOf(typed)
  let best: Candidate | null = null
  let bestCost = Infinity
  for (const candidate of CANDIDATES) {
    if (Math.abs(candidate.domain.length - typed.length) > 3) continue
    if (bitCount(candidate.letters ^ letters) > MAX_LETTERS_APART) continue
    const limit = Math.min(candidate.limit, bestCost - candidate.handicap)
    const cost = slipCost(typed, candidate.domain, limit) + candidate.handicap
    if (cost < bestCost) [best, bestCost] = [candidate, cost]
  }
  if (!best) return null
  return { domain: best.domain, kind: typed.startsWith(`${best.label}.`) ? "tld" : "domain", cost: bestCost }
}

/** "gmail.fr", "hotmail.uk": an unmistakable label, exact or nearly, under a suffix that exists but is not its own. */
function underForeignSuffix(typed: string): DomainCorrection | null {
  const dot = typed.indexOf(".")
  const label = typed.slice(0, dot)
  const suffix = typed.slice(dot + 1)
  if (dot < 1 || !isSuffix(suffix)) return null
  const exact = PROVIDER_BY_LABEL.get(label)
  if (exact) {
    const isMeant = exact.isUnmistakable || (exact.weight >= 4 && (suffix === "cm" || suffix === "om"))
    return isMeant ? { domain: ownDomain(exact, suffix), kind: "tld", cost: FOREIGN_SUFFIX } : null
  }
  const near = nearestLabel(label)
  if (!near) return null
  const own = ownDomain(near.provider, suffix)
  const isForeign = own !== `${near.provider.label}.${suffix}`
  return { domain: own, kind: "domain", cost: near.cost + (isForeign ? FOREIGN_SUFFIX : 0) }
}

function nearestLabel(typed: string): { provider: Provider; cost: number } | null {
  let best: { provider: Provider; cost: number } | null = null
  for (const provider of PROVIDERS) {
    if (!provider.isUnmistakable || provider.weight < 4) continue
    const cost = slipCost(typed, provider.label, Math.min(0.95, slipLimit(provider)))
    if (cost < (best?.cost ?? Infinity)) best = { provider, cost }
  }
  return best
}

/** The provider's domain for the typed suffix: "co.uk" for "uk" or "com.uk", else its default. */
function ownDomain({ label, suffixes }: Provider, typed: string): string {
  const country = typed.slice(typed.lastIndexOf(".") + 1)
  const own =
    suffixes.find((suffix) => suffix === typed) ?? suffixes.find((suffix) => suffix.split(".").at(-1) === country)
  return `${label}.${own ?? suffixes[0]}`
}

/** One bit per letter or digit class that occurs: texts whose sets differ much cannot be close. */
function lettersOf(text: string): number {
  let set = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) - 97
    if (code >= 0 && code < 26) set |= 1 << code
  }
  return set
}

function bitCount(set: number): number {
  let count = 0
  for (let rest = set; rest !== 0; rest &= rest - 1) count++
  return count
}
