import { shareOf } from "../names/name-frequency.ts"
import type { NameSpelling } from "../names/name-variants.ts"
import { type Format, type Rendered, render } from "./formats.ts"
import type { FormatEvidence } from "./learned-formats.ts"
import { type CompanySize, PEOPLE } from "./priors.ts"

export interface Candidate {
  readonly localPart: string
  /** The likeliest format that makes it. */
  readonly format: Format
  /** How likely it is that the person has this address, if the person has one. */
  readonly probability: number
}

/** Candidates further down are not worth a question to a mail server. */
const MOST_CANDIDATES = 20

/**
 * The local parts a person may have at a domain, likeliest first: how likely the format is there, times how likely the
 * name is spelled so, times how likely nobody else of that name was there before.
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
    .slice(0, MOST_CANDIDATES)
    .map(({ localPart, format, probability }) => ({ localPart, format, probability }))
}

/** The chance that none of the company's other people would get the same local part: (1 - share of such names)^people. */
function chanceFree(format: Format, { first, last }: Rendered, people: number): number {
  const share = shareOfPart(format, "f", first) * shareOfPart(format, "l", last)
  // Half of those who share it came later, and a name common somewhere is rare in most other countries.
  return (1 - share) ** (people / 4)
}

/** The share of people whose name gives the same text for this part. */
function shareOfPart(format: Format, part: "f" | "l", name: string): number {
  const field = part === "f" ? "first" : "last"
  if (format.includes(`{${field}}`)) return shareOf(name, field)
  if (format.includes(`{${part}}`)) return INITIAL_SHARE
  return format.includes(`{${field}`) ? PREFIX_SHARE : 1
}

/** Letters are far from equally common at the start of names; this is the usual order of magnitude. */
const INITIAL_SHARE = 0.07
const PREFIX_SHARE = 0.003
