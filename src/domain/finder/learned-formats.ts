import { FORMATS, type Format } from "./formats.ts"
import type { FormatShares } from "./infer-format.ts"
import { type CompanySize, priorOf } from "./priors.ts"
import { type Interval, wilson } from "./wilson.ts"

/** What is kept of one address that taught a format. */
export interface LearnedSample {
  readonly shares: FormatShares
  readonly source: SampleSource
  /** Unix milliseconds. */
  readonly learnedAt: number
}

/** Where an address was seen: a server confirmed it, mail came from it, a customer listed it, a page showed it. */
export type SampleSource = "verified" | "received" | "uploaded" | "scraped"

/** How far an address of each source counts; lists hold what nobody has checked. */
const WEIGHTS: Readonly<Record<SampleSource, number>> = { verified: 1, received: 1, scraped: 0.9, uploaded: 0.5 }
const YEAR_MS = 365 * 24 * 3_600_000
/** Formats change when companies merge: what is two years old counts half. */
const HALF_LIFE_MS = 2 * YEAR_MS
/** As many addresses as the prior is worth. */
const PRIOR_STRENGTH = 1.5
/** Attribution settles quickly; the prior keeps it from running away. */
const ROUNDS = 6

/** The evidence about one format at a domain. */
export interface FormatEvidence {
  readonly format: Format
  /** Decayed number of addresses. */
  readonly weight: number
  /** What share of the domain's addresses follow it, with the prior of its kind of company taken in. */
  readonly confidence: number
  /** 95 % interval of the share among the addresses seen, without the prior. */
  readonly interval: Interval
}

export interface DomainFormats {
  /** The likeliest first; all formats, also those never seen. */
  readonly formats: readonly FormatEvidence[]
  readonly sampleCount: number
  /** Decayed. */
  readonly sampleWeight: number
}

/**
 * Counts what a domain's addresses say about its formats. An address that several formats may have made counts for the
 * one that the domain's other addresses follow (expectation maximisation). @param now Unix milliseconds
 */
export function countFormats(
  samples: readonly LearnedSample[],
  { now, size, country }: { now: number; size: CompanySize; country: string | null },
): DomainFormats {
  const weighted = samples.map(({ shares, source, learnedAt }) => {
    const weight = WEIGHTS[source] * 0.5 ** (Math.max(0, now - learnedAt) / HALF_LIFE_MS)
    return { shares, weight }
  })
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  const prior = priorOf(size, country)
  let counts = attribute(weighted, prior)
  for (let round = 1; round < ROUNDS; round++) counts = attribute(weighted, confidences(counts, prior, total))
  const confidence = confidences(counts, prior, total)
  const formats = FORMATS.map((format): FormatEvidence => {
    const weight = counts.get(format) ?? 0
    return { format, weight, confidence: confidence.get(format)!, interval: wilson(weight, total) }
  })
  return {
    formats: formats.toSorted((a, b) => b.confidence - a.confidence),
    sampleCount: samples.length,
    sampleWeight: total,
  }
}

type Shares = ReadonlyMap<Format, number>

/** Gives the weight of each address to the formats that may have made it, by how common they are at the domain. */
function attribute(samples: readonly { shares: FormatShares; weight: number }[], common: Shares): Shares {
  const counts = new Map<Format, number>()
  for (const { shares, weight } of samples) {
    const joint = [...shares].map(([format, share]) => [format, share * (common.get(format) ?? 0)] as const)
    const sum = joint.reduce((all, [, value]) => all + value, 0)
    if (sum > 0)
      for (const [format, value] of joint) counts.set(format, (counts.get(format) ?? 0) + (weight * value) / sum)
  }
  return counts
}

function confidences(counts: Shares, prior: Shares, total: number): Shares {
  return new Map(
    FORMATS.map((format) => {
      const seen = counts.get(format) ?? 0
      return [format, (seen + PRIOR_STRENGTH * prior.get(format)!) / (total + PRIOR_STRENGTH)]
    }),
  )
}
