import { SLIP, slipCost } from "./edit-distance.ts"
import { areNeighbours } from "./keyboard.ts"
import { PROVIDERS, type Provider, suffixHandicap } from "./providers.ts"

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
  /** How many letters may occur in one text alone, so that comparing the two is worth while. */
  readonly lettersApart: number
  readonly limit: number
  readonly isMail: boolean
  /** Rare services lose against common ones at equal cost. */
  readonly handicap: number
}

/** Any word may stand before "mail": where that ending is intact, the rest must bear more likeness. */
const MAIL_LIMIT = 1.15

const CANDIDATES: readonly Candidate[] = PROVIDERS.flatMap((provider) =>
  provider.suffixes.map((suffix, rank) => ({
    domain: `${provider.label}.${suffix}`,
    label: provider.label,
    letters: lettersOf(provider.label + suffix),
    lettersApart: Math.min(5, 2 * Math.max(1, Math.floor(slipLimit(provider) / SLIP.lookalike))),
    limit: slipLimit(provider),
    isMail: provider.label.endsWith("mail") && provider.label.length > 5,
    handicap: (5 - provider.weight) * 0.06 + (rank === 0 ? 0 : suffixHandicap(suffix)),
  })),
)

/** The longer and the more popular a name, the more slips it can bear and still be recognised. */
function slipLimit({ label, weight, isWord }: Provider): number {
  if (label.length <= 2) return 0.5
  if (label.length <= 3 || isWord) return 0.62
  if (label.length <= 4) return weight >= 4 ? 0.8 : 0.62
  const base = label.length <= 6 ? 1.3 : label.length <= 8 ? 1.7 : 2
  return base * (weight >= 5 ? 1 : weight === 4 ? 0.85 : 0.75)
}

/** The popular domain from which the typed one is the fewest slips away, within what its name can bear. */
export function nearestProvider(typed: string): DomainCorrection | null {
  const letters = lettersOf(typed)
  const isMail = typed.slice(0, typed.indexOf(".")).endsWith("mail")
  let best: Candidate | null = null
  let bestCost = Infinity
  for (const candidate of CANDIDATES) {
    if (Math.abs(candidate.domain.length - typed.length) > 3) continue
    if (bitCount(candidate.letters ^ letters) > candidate.lettersApart) continue
    if (!beginsAlike(typed, candidate.domain)) continue
    const bearable = isMail && candidate.isMail ? Math.min(candidate.limit, MAIL_LIMIT) : candidate.limit
    const limit = Math.min(bearable, bestCost - candidate.handicap)
    const cost = slipCost(typed, candidate.domain, limit) + candidate.handicap
    if (cost < bestCost) [best, bestCost] = [candidate, cost]
  }
  if (!best) return null
  return { domain: best.domain, kind: typed.startsWith(`${best.label}.`) ? "tld" : "domain", cost: bestCost }
}

/** People hardly ever begin a name with a distant key; letting go of those names leaves a fifth to compare. */
function beginsAlike(typed: string, intended: string): boolean {
  const first = typed.charCodeAt(0)
  const wanted = intended.charCodeAt(0)
  if (first === wanted || typed.charCodeAt(1) === wanted || first === intended.charCodeAt(1)) return true
  return areNeighbours(first, wanted)
}

/** Labels whose letters in any order are recognised, by their sorted letters. */
const BY_LETTERS: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.filter(({ weight, isWord, label }) => weight >= 5 && !isWord && label.length >= 5).map((provider) => [
    sorted(provider.label),
    provider,
  ]),
)

const SCRAMBLED = 1.1

function sorted(letters: string): string {
  return [...letters].sort().join("")
}

/** The popular label whose letters are all there, the first in its place, but in another order. */
export function scrambledLabel(typed: string): { provider: Provider; cost: number } | null {
  const provider = typed.length > 4 && typed.length < 12 ? BY_LETTERS.get(sorted(typed)) : undefined
  return provider && provider.label[0] === typed[0] ? { provider, cost: SCRAMBLED } : null
}

/** The unmistakable label from which the typed one is at most one slip away. */
export function nearestLabel(typed: string): { provider: Provider; cost: number } | null {
  let best: { provider: Provider; cost: number } | null = null
  for (const provider of PROVIDERS) {
    if (!provider.isUnmistakable || provider.weight < 3 || !beginsAlike(typed, provider.label)) continue
    const cost = slipCost(typed, provider.label, Math.min(0.95, slipLimit(provider)))
    if (cost < (best?.cost ?? Infinity)) best = { provider, cost }
  }
  return best
}

/** One bit per letter that occurs: texts whose sets differ much cannot be close. */
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
