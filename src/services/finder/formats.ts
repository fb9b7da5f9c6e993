import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import {
  countFormats,
  type DomainFormats,
  type LearnedSample,
  type NoFormatsReason,
  providerKind,
  refusesMail,
  type SampleSource,
} from "../../domain/finder/domain-formats.ts"
import { type FormatSample, inferFormats } from "../../domain/finder/formats.ts"
import { countryOf, medianSize, type PossibleSize, possibleSizes } from "../../domain/finder/possible-companies.ts"
import type { MailRoute } from "../../domain/verification/evidence.ts"
import { gatherFacts } from "../verification/facts.ts"
import { FACTS_BUDGET_MS } from "../verification/gather.ts"

export interface KnownFormats extends DomainFormats {
  /** Null when the domain has no formats. */
  readonly size: PossibleSize | null
  readonly country: string | null
  readonly samples: readonly LearnedSample[]
  /** Why the domain has no formats, null when it has. */
  readonly reason: NoFormatsReason | null
}

/**
 * Returns a domain's formats from its samples. Without samples they are the prior: the formats of similar companies. A
 * mailbox provider and a domain that accepts no mail have none.
 * @param route looked up when it is omitted
 */
export async function readFormats(
  ctx: Context,
  { domain, route }: { domain: string; route?: MailRoute },
): Promise<KnownFormats> {
  const country = countryOf(domain)
  const listed = providerKind(domain)
  // Only of a disposable domain, the mail route can show a company.
  if (listed && listed !== "disposable") return withoutFormats(listed, country)
  const [mailRoute, samples] = await Promise.all([route ?? findRoute(ctx, domain), ctx.store.formats.samples(domain)])
  const reason = providerKind(domain, mailRoute) ?? refusesMail(mailRoute)
  if (reason) return withoutFormats(reason, country)
  const sizes = possibleSizes(samples.length, mailRoute)
  const formats = countFormats(samples, { now: ctx.clock.now(), sizes, country })
  return { ...formats, size: medianSize(sizes), country, samples, reason: null }
}

/** Returns the mail route of a domain: the stored one while it is fresh, else from DNS. */
export async function findRoute(ctx: Context, domain: string): Promise<MailRoute> {
  const stored = (await ctx.store.resultLists.factsOf([domain])).get(domain) ?? null
  const facts = await gatherFacts(ctx, { domain, stored, wanted: new Set(["route"]) }).within(FACTS_BUDGET_MS)
  return facts.route
}

function withoutFormats(reason: NoFormatsReason, country: string | null): KnownFormats {
  const nothing = { formats: [], sampleCount: 0, sampleWeight: 0, companies: [], samples: [] }
  return { ...nothing, size: null, country, reason }
}

/**
 * Counts addresses of companies' domains as samples of their formats, each address once. Role mailboxes and public
 * mailbox providers are ignored. @returns how many addresses were usable samples
 */
export async function learnFormats(
  ctx: Context,
  inputs: readonly { domain: string; samples: readonly FormatSample[]; source: SampleSource }[],
): Promise<number> {
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
