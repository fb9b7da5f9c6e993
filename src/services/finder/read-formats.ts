import type { Context } from "../../context.ts"
import {
  countFormats,
  type DomainFormats,
  type LearnedSample,
  type NoFormatsReason,
  providerKind,
  refusesMail,
} from "../../domain/finder/domain-formats.ts"
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
