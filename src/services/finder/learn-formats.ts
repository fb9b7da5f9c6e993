import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { countFormats, providerKind, type SampleSource } from "../../domain/finder/domain-formats.ts"
import { type FormatSample, inferFormats } from "../../domain/finder/formats.ts"
import { countryOf, possibleSizes } from "../../domain/finder/possible-companies.ts"

export interface LearnInput {
  readonly domain: string
  readonly samples: readonly FormatSample[]
  readonly source: SampleSource
}

/**
 * Counts addresses of companies' domains as samples of their formats, each address once. Role mailboxes and public
 * mailbox providers are ignored. @returns how many addresses were usable samples
 */
export async function learnFormats(ctx: Context, inputs: readonly LearnInput[]): Promise<number> {
  const learnedAt = ctx.clock.now()
  const usable = inputs.flatMap(({ domain, samples, source }) =>
    providerKind(domain) === null
      ? samples.flatMap((sample) => {
          const address = parseAddress(`${sample.localPart}@${domain}`)
          const shares = address.ok ? inferFormats(sample) : null
          return address.ok && shares && shares.size > 0 ? [{ domain, address, shares, source }] : []
        })
      : [],
  )
  if (usable.length === 0) return 0
  const samples = await Promise.all(
    usable.map(async ({ address, ...sample }) => ({ ...sample, digest: await digestOf(ctx, address), learnedAt })),
  )
  await ctx.store.formats.addSamples(samples)
  await recount(ctx, [...new Set(samples.map(({ domain }) => domain))], learnedAt)
  return samples.length
}

/** The hash of an address's sample, by which an erasure finds it. */
export function digestOf({ digests }: Pick<Context, "digests">, address: ValidAddress): Promise<string> {
  return digests.of("format-sample", cacheKey(address))
}

async function recount(ctx: Context, domains: readonly string[], now: number): Promise<void> {
  const [known, facts] = await Promise.all([
    ctx.store.formats.samplesOf(domains),
    ctx.store.resultLists.factsOf(domains),
  ])
  const summaries = [...known].map(([domain, samples]) => {
    const sizes = possibleSizes(samples.length, facts.get(domain)?.route?.value ?? undefined)
    const { formats, sampleCount } = countFormats(samples, { now, sizes, country: countryOf(domain) })
    const { format, confidence } = formats[0]!
    return { domain, format, confidence, sampleCount, updatedAt: now }
  })
  await ctx.store.formats.saveSummaries(summaries)
}
