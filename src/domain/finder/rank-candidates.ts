import { shareOf, shareOfPrefix } from "../names/name-frequency.ts"
import type { NameSpelling } from "../names/name-variants.ts"
import { type Format, fieldsOf, type Rendered, render } from "./formats.ts"
import type { FormatEvidence } from "./learned-formats.ts"
import { type Candidate, ownershipOf, type Way } from "./ownership.ts"
import type { PossibleCompany } from "./possible-companies.ts"

/** Later candidates are too unlikely for a probe. */
const MAX_CANDIDATES = 20
/** Candidates whose namesakes are estimated. */
const MAX_RATED = 40

/**
 * Returns the possible local parts of a person at a domain, the most likely first. Without a server's answer, the order
 * is by format, spelling and namesakes.
 */
export function rankCandidates(
  spellings: readonly NameSpelling[],
  { formats, companies }: { formats: readonly FormatEvidence[]; companies: readonly PossibleCompany[] },
): Candidate[] {
  const found = new Map<string, { ways: (Way & { weight: number })[]; weight: number }>()
  for (const { format, confidence } of formats)
    for (const rendered of render(format, spellings)) {
      const weight = confidence * rendered.share
      const way = { format, spelling: rendered.share, commonness: commonnessOf(format, rendered), weight }
      const before = found.get(rendered.local) ?? { ways: [], weight: 0 }
      found.set(rendered.local, { ways: [...before.ways, way], weight: before.weight + weight })
    }
  const likely = [...found]
    .toSorted(([, a], [, b]) => b.weight - a.weight)
    .slice(0, MAX_RATED)
    .map(([localPart, { ways }]) => ({ localPart, ways: ways.toSorted((a, b) => b.weight - a.weight).map(toWay) }))
  const owned = ownershipOf(likely, { signs: [], companies })
  return likely
    .map((candidate, at) => ({ candidate, probability: owned[at]! }))
    .toSorted((a, b) => b.probability - a.probability)
    .slice(0, MAX_CANDIDATES)
    .map(({ candidate }) => candidate)
}

function toWay({ format, spelling, commonness }: Way): Way {
  return { format, spelling, commonness }
}

/** Returns the share of people whose names make the same local part. A first and a family name count as independent. */
function commonnessOf(format: Format, rendered: Rendered): number {
  return fieldsOf(format).reduce((share, { name, letters }) => {
    const text = rendered[name]
    const kind = name === "last" ? "last" : "first"
    const isWhole = letters === 0 || text.length < letters
    return share * (isWhole ? shareOf(text, kind) : shareOfPrefix(text.slice(0, letters), kind))
  }, 1)
}
