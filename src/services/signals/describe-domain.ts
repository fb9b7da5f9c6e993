import type { Status } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { clientNetwork } from "../../domain/accounts/network.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { classifyAddress, type ListClasses } from "../../domain/lists/classify.ts"
import type { DomainFacts } from "../../domain/verdict/evidence.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { type KnownFormats, readFormats } from "../finder/read-formats.ts"
import { gatherDomain } from "./gather-domain.ts"

export interface DomainDescription {
  readonly facts: DomainFacts
  readonly classes: ListClasses
  readonly formats: KnownFormats
  /** Stored results by status. */
  readonly statuses: Partial<Record<Status, number>>
  /** True when a probe saw it accept every address, null when none did. */
  readonly isCatchAll: true | null
}

/** Describes a domain without revealing any address. */
export async function describeDomain(
  ctx: Context,
  { domain, clientIp }: { domain: string; clientIp: string | undefined },
): Promise<DomainDescription> {
  const network = await ctx.digests.of("domain-intel", clientNetwork(clientIp))
  await countFreeWork(ctx, "domainIntel", network)
  const wanted = ["exchangers", "spf", "dkim", "dmarc", "mtaSts", "bimi", "registration", "web"] as const
  const [facts, statuses, acceptsEverything] = await Promise.all([
    gatherDomain(ctx, { domain, wanted }),
    ctx.store.domainKinds.statuses(domain),
    ctx.store.neighbors.acceptsEverything(domain),
  ])
  const formats = await readFormats(ctx, { domain, route: facts.route })
  const classes = classifyAddress(parseAddress(`a@${domain}`))
  return { facts, classes, formats, statuses, isCatchAll: acceptsEverything ? true : null }
}
