import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { estimateSize } from "../../domain/finder/company-size.ts"
import { type FormatSample, inferFormats } from "../../domain/finder/infer-format.ts"
import { countFormats, type DomainFormats, type SampleSource } from "../../domain/finder/learned-formats.ts"
import { countryOf } from "../../domain/finder/priors.ts"
import { classifyAddress } from "../../domain/lists/classify.ts"

export interface LearnInput {
  readonly domain: string
  readonly samples: readonly FormatSample[]
  readonly source: SampleSource
}

/**
 * Counts addresses of a company's domain as samples of its formats, each address once. Role mailboxes and public
 * mailbox providers are ignored. @returns how many addresses were usable samples
 */
export async function learnFormats(ctx: Context, { domain, samples, source }: LearnInput): Promise<number> {
  if (!isCompanyDomain(domain)) return 0
  const learnedAt = ctx.clock.now()
  const usable = samples.flatMap((sample) => {
    const address = parseAddress(`${sample.localPart}@${domain}`)
    const shares = address.ok ? inferFormats(sample) : null
    return address.ok && shares && shares.size > 0 ? [{ address, shares }] : []
  })
  if (usable.length === 0) return 0
  const rows = await Promise.all(
    usable.map(async ({ address, shares }) => {
      // An erasure finds the address's sample by this hash.
      const digest = await ctx.digests.of("format-sample", cacheKey(address))
      return { digest, shares, source, learnedAt }
    }),
  )
  await ctx.store.formats.addSamples(domain, rows)
  await recount(ctx, domain, learnedAt)
  return rows.length
}

/** Returns whether the domain's mailboxes belong to the people of one company. */
export function isCompanyDomain(domain: string): boolean {
  const { isFree, isDisposable, isRelay } = classifyAddress(parseAddress(`a@${domain}`))
  return !isFree && !isDisposable && !isRelay
}

async function recount(ctx: Context, domain: string, now: number): Promise<DomainFormats> {
  const samples = await ctx.store.formats.samples(domain)
  const size = estimateSize(samples.length, undefined)
  const counted = countFormats(samples, { now, size, country: countryOf(domain) })
  const { format, confidence } = counted.formats[0]!
  await ctx.store.formats.saveSummary({ domain, format, confidence, sampleCount: counted.sampleCount, updatedAt: now })
  return counted
}
