import type { Context } from "../../context.ts"
import { estimateSize } from "../../domain/finder/company-size.ts"
import { countFormats, type DomainFormats, type LearnedSample } from "../../domain/finder/learned-formats.ts"
import { type CompanySize, countryOf } from "../../domain/finder/priors.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"

export interface KnownFormats extends DomainFormats {
  readonly size: CompanySize
  readonly country: string | null
  readonly samples: readonly LearnedSample[]
}

/** Returns a domain's formats from its samples. Without samples they are the formats of similar companies. */
export async function readFormats(
  ctx: Context,
  { domain, route }: { domain: string; route?: MailRoute },
): Promise<KnownFormats> {
  const samples = await ctx.store.formats.samples(domain)
  const size = estimateSize(samples.length, route)
  const country = countryOf(domain)
  return { ...countFormats(samples, { now: ctx.clock.now(), size, country }), size, country, samples }
}
