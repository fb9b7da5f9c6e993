import { areNeighbors, TYPING_ERROR_COST, typingErrorCost } from "./edit-distance.ts"
import { PROVIDERS, type Provider, suffixHandicap } from "./mail-providers.ts"

export interface DomainCorrection {
  readonly domain: string
  /** The wrong part: the name or the suffix. */
  readonly kind: "domain" | "tld"
  /** Sum of `SLIP` costs: 0.45 for a doubled letter, 1.1 for an unexplained letter. */
  readonly cost: number
}

interface Candidate {
  readonly domain: string
  readonly label: string
  readonly letters: number
  /** Maximum of distinct letters that occur in only one of the texts. Above it, a comparison is useless. */
  readonly lettersApart: number
  readonly limit: number
  readonly isMail: boolean
  /** At equal cost, common services rank before rare ones. */
  readonly handicap: number
}

/** Any word can precede "mail". When that ending is correct, the rest must be more similar. */
const MAIL_LIMIT = 1.15

const CANDIDATES: readonly Candidate[] = PROVIDERS.flatMap((provider) =>
  provider.suffixes.map((suffix, rank) => ({
    domain: `${provider.label}.${suffix}`,
    label: provider.label,
    letters: lettersOf(provider.label + suffix),
    lettersApart: Math.min(5, 2 * Math.max(1, Math.floor(slipLimit(provider) / TYPING_ERROR_COST.lookalike))),
    limit: slipLimit(provider),
    isMail: provider.label.endsWith("mail") && provider.label.length > 5,
    handicap: (5 - provider.weight) * 0.06 + (rank === 0 ? 0 : suffixHandicap(suffix)),
  })),
)

/** A longer or more popular name remains recognizable with more errors. */
function slipLimit({ label, weight, isWord }: Provider): number {
  if (label.length <= 2) return 0.5
  if (label.length <= 3 || isWord) return 0.62
  if (label.length <= 4) return weight >= 4 ? 0.8 : 0.62
  const base = label.length <= 6 ? 1.3 : label.length <= 8 ? 1.7 : 2
  return base * (weight >= 5 ? 1 : weight === 4 ? 0.85 : 0.75)
}

/** Returns the popular domain with the lowest cost from the typed one, within the limit of its name. */
export function nearestProvider(typed: string): DomainCorrection | null {
  const letters = lettersOf(typed)
  const isMail = typed.slice(0, typed.indexOf(".")).endsWith("mail")
  let best: Candidate | null = null
  let bestCost = Infinity
  for (const candidate of CANDIDATES) {
    if (Math.abs(candidate.domain.length - typed.length) > 3) continue
    if (bitCount(candidate.letters ^ letters) > candidate.lettersApart) continue
    if (!hasSameStart(typed, candidate.domain)) continue
    const ownLimit = isMail && candidate.isMail ? Math.min(candidate.limit, MAIL_LIMIT) : candidate.limit
    const limit = Math.min(ownLimit, bestCost - candidate.handicap)
    const cost = typingErrorCost(typed, candidate.domain, limit) + candidate.handicap
    if (cost < bestCost) [best, bestCost] = [candidate, cost]
  }
  if (!best) return null
  return { domain: best.domain, kind: typed.startsWith(`${best.label}.`) ? "tld" : "domain", cost: bestCost }
}

/** Typed names hardly ever begin with a distant key. Without those names, only a fifth remains to compare. */
function hasSameStart(typed: string, intended: string): boolean {
  const first = typed.charCodeAt(0)
  const wanted = intended.charCodeAt(0)
  if (first === wanted || typed.charCodeAt(1) === wanted || first === intended.charCodeAt(1)) return true
  return areNeighbors(first, wanted)
}

/** Labels that are recognized with their letters in any order, by their sorted letters. */
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

/** Returns the popular label with the same letters in another order and the same first letter. */
export function scrambledLabel(typed: string): { provider: Provider; cost: number } | null {
  const provider = typed.length > 4 && typed.length < 12 ? BY_LETTERS.get(sorted(typed)) : undefined
  return provider && provider.label[0] === typed[0] ? { provider, cost: SCRAMBLED } : null
}

/** Returns the unmistakable label that is at most one typing error from the typed one. */
export function nearestLabel(typed: string): { provider: Provider; cost: number } | null {
  let best: { provider: Provider; cost: number } | null = null
  for (const provider of PROVIDERS) {
    if (!provider.isUnmistakable || provider.weight < 3 || !hasSameStart(typed, provider.label)) continue
    const cost = typingErrorCost(typed, provider.label, Math.min(0.95, slipLimit(provider)))
    if (cost < (best?.cost ?? Infinity)) best = { provider, cost }
  }
  return best
}

/** Returns the set of letters as bits. Texts with very different sets cannot be similar. */
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
