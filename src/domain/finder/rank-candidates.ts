import { shareOf } from "../names/name-frequency.ts"
import type { NameSpelling } from "../names/name-variants.ts"
import { type Format, type Rendered, render } from "./formats.ts"
import type { FormatEvidence } from "./learned-formats.ts"
import { type CompanySize, PEOPLE } from "./priors.ts"

export interface Candidate {
  readonly localPart: string
  /** The most likely format of the local part. */
  readonly format: Format
  /** Probability that the person has this address, given that the person has one. */
  readonly probability: number
}

/** Later candidates are too unlikely for a probe. */
const MAX_CANDIDATES = 20

/**
 * Returns the possible local parts of a person at a domain, the most likely first. The probability is the product of
 * the format's share, the spelling's share, and the chance that the local part was still free.
 */
export function rankCandidates(
  spellings: readonly NameSpelling[],
  { formats, size }: { formats: readonly FormatEvidence[]; size: CompanySize },
): Candidate[] {
  const candidates = new Map<string, Candidate & { best: number }>()
  for (const { format, confidence } of formats)
    for (const rendered of render(format, spellings)) {
      const probability = confidence * rendered.share * chanceFree(format, rendered, PEOPLE[size])
      const before = candidates.get(rendered.local)
      const isBest = !before || probability > before.best
      candidates.set(rendered.local, {
        localPart: rendered.local,
        format: isBest ? format : before.format,
        probability: probability + (before?.probability ?? 0),
        best: Math.max(probability, before?.best ?? 0),
      })
    }
  return [...candidates.values()]
    .toSorted((a, b) => b.probability - a.probability)
    .slice(0, MAX_CANDIDATES)
    .map(({ localPart, format, probability }) => ({ localPart, format, probability }))
}

/** Returns the chance that no other person at the company has the same local part: (1 - share of such names)^people. */
function chanceFree(format: Format, { first, last }: Rendered, people: number): number {
  const share = shareOfPart(format, "f", first) * shareOfPart(format, "l", last)
  // Half of the people with the same local part came later. A common name is rare in most other countries.
  return (1 - share) ** (people / 4)
}

/** Returns the share of people with the same text for this part of the format. */
function shareOfPart(format: Format, part: "f" | "l", name: string): number {
  const field = part === "f" ? "first" : "last"
  if (format.includes(`{${field}}`)) return shareOf(name, field)
  if (format.includes(`{${part}}`)) return INITIAL_SHARE
  return format.includes(`{${field}`) ? PREFIX_SHARE : 1
}

/** Typical share of an initial, as an order of magnitude. Initials are far from equally common. */
const INITIAL_SHARE = 0.07
const PREFIX_SHARE = 0.003
