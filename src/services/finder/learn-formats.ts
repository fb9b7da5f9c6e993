import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { estimateSize } from "../../domain/finder/company-size.ts"
import { type FormatSample, inferFormats } from "../../domain/finder/infer-format.ts"
import { countFormats, type DomainFormats, type SampleSource } from "../../domain/finder/learned-formats.ts"
import { countryOf } from "../../domain/finder/priors.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"

export type LearnNeeds = Pick<Deps, "formats" | "digests" | "clock">

export interface LearnInput {
  readonly domain: string
  readonly samples: readonly FormatSample[]
  readonly source: SampleSource
}

/**
 * Counts addresses of a company's domain towards its formats; one that was counted before counts once. Role mailboxes,
 * and domains where anybody can have a mailbox, teach nothing. @returns how many addresses taught something
 */
export async function learnFormats(needs: LearnNeeds, { domain, samples, source }: LearnInput): Promise<number> {
  if (!isCompanyDomain(domain)) return 0
  const learnedAt = needs.clock.now()
  const teaching = samples.flatMap((sample) => {
    const address = parseAddress(`${sample.localPart}@${domain}`)
    const shares = address.ok ? inferFormats(sample) : null
    return address.ok && shares && shares.size > 0 ? [{ address, shares }] : []
  })
  if (teaching.length === 0) return 0
  const kept = await Promise.all(
    teaching.map(async ({ address, shares }) => {
      // By this hash an erasure finds what the address taught.
      const digest = await needs.digests.of("format-sample", cacheKey(address))
      return { digest, shares, source, learnedAt }
    }),
  )
  await needs.formats.addSamples(domain, kept)
  await recount(needs, domain, learnedAt)
  return kept.length
}

/** Whether the mailboxes of a domain belong to the people of one company. */
export function isCompanyDomain(domain: string): boolean {
  const { isFree, isDisposable, isRelay } = classifyAddress(parseAddress(`a@${domain}`))
  return !isFree && !isDisposable && !isRelay
}

async function recount({ formats }: LearnNeeds, domain: string, now: number): Promise<DomainFormats> {
  const samples = await formats.samples(domain)
  const size = estimateSize(samples.length, undefined)
  const counted = countFormats(samples, { now, size, country: countryOf(domain) })
  const { format, confidence } = counted.formats[0]!
  await formats.saveSummary({ domain, format, confidence, sampleCount: counted.sampleCount, updatedAt: now })
  return counted
}
