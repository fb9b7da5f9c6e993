import { slipCost } from "./edit-distance.ts"
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
  readonly limit: number
  readonly isMail: boolean
  /** Rare services lose against common ones at equal cost. */
  readonly handicap: number
}

const MAX_LETTERS_APART = 5

/** Any word may stand before "mail": where that ending is intact, the rest must bear more likeness. */
const MAIL_LIMIT = 1.15

const CANDIDATES: readonly Candidate[] = PROVIDERS.flatMap((provider) =>
  provider.suffixes.map((suffix, rank) => ({
    domain: `${provider.label}.${suffix}`,
    label: provider.label,
    letters: lettersOf(provider.label + suffix),
    limit: slipLimit(provider),
    isMail: provider.label.endsWith("mail") && provider.label.length > 5,
    handicap: (5 - provider.weight) * 0.06 + (rank === 0 ? 0 : suffixHandicap(suffix)),
  })),
)

/** The longer and the more popular a name, the more slips it can bear and still be recognised. */
function slipLimit({ label, weight, isWord }: Provider): number {
  if (label.length <= 2) return 0.5
  if (label.length <= 4 || isWord) return 0.62
  const base = label.length <= 5 ? 1.25 : label.length <= 6 ? 1.3 : label.length <= 8 ? 1.7 : 2
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
    if (bitCount(candidate.letters ^ letters) > MAX_LETTERS_APART) continue
    const bearable = isMail && candidate.isMail ? Math.min(candidate.limit, MAIL_LIMIT) : candidate.limit
    const limit = Math.min(bearable, bestCost - candidate.handicap)
    const cost = slipCost(typed, candidate.domain, limit) + candidate.handicap
    if (cost < bestCost) [best, bestCost] = [candidate, cost]
  }
  if (!best) return null
  return { domain: best.domain, kind: typed.startsWith(`${best.label}.`) ? "tld" : "domain", cost: bestCost }
}

/** The unmistakable label from which the typed one is at most one slip away. */
export function nearestLabel(typed: string): { provider: Provider; cost: number } | null {
  let best: { provider: Provider; cost: number } | null = null
  for (const provider of PROVIDERS) {
    if (!provider.isUnmistakable || provider.weight < 4) continue
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
