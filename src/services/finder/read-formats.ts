import type { Deps } from "../../deps.ts"
import { estimateSize } from "../../domain/finder/company-size.ts"
import { countFormats, type DomainFormats, type LearnedSample } from "../../domain/finder/learned-formats.ts"
import { type CompanySize, countryOf } from "../../domain/finder/priors.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"

export interface KnownFormats extends DomainFormats {
  readonly size: CompanySize
  readonly country: string | null
  readonly samples: readonly LearnedSample[]
}

/** The formats of a domain by all that was learned of it. Without samples they are those of companies of its kind. */
export async function readFormats(
  { formats, clock }: Pick<Deps, "formats" | "clock">,
  { domain, route }: { domain: string; route?: MailRoute },
): Promise<KnownFormats> {
  const samples = await formats.samples(domain)
  const size = estimateSize(samples.length, route)
  const country = countryOf(domain)
  return { ...countFormats(samples, { now: clock.now(), size, country }), size, country, samples }
}
