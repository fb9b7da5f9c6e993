import type { Status } from "../../../schema/vocabulary.ts"
import { countOrRefuse } from "../../adapters/keygate/gates.ts"
import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { clientNetwork } from "../../domain/limits/network.ts"
import { classifyAddress, type ListClasses } from "../../domain/lists/classify.ts"
import type { DomainFacts } from "../../domain/verdict/evidence.ts"
import { type KnownFormats, readFormats } from "../finder/read-formats.ts"
import { type DomainNeeds, gatherDomain } from "./gather-domain.ts"

export type DescribeNeeds = DomainNeeds & Pick<Deps, "formats" | "domainKinds" | "neighbours" | "gates" | "digests">

export interface DomainDescription {
  readonly facts: DomainFacts
  readonly classes: ListClasses
  readonly formats: KnownFormats
  /** Stored results by status. */
  readonly statuses: Partial<Record<Status, number>>
  /** True when a probe saw it take everything; null when none did. */
  readonly isCatchAll: true | null
}

/** Nobody needs a key for it, so each network gets so many a minute. */
const PER_NETWORK = { limit: 60, windowMs: 60_000 }

/** What is known of a domain, without a single address. */
export async function describeDomain(
  needs: DescribeNeeds,
  { domain, clientIp }: { domain: string; clientIp: string | undefined },
): Promise<DomainDescription> {
  const network = await needs.digests.of("domain-intel", clientNetwork(clientIp))
  await countOrRefuse(needs.gates.ofAction(`domain-intel:${network}`), PER_NETWORK)
  const wanted = ["exchangers", "spf", "dkim", "dmarc", "mtaSts", "bimi", "registration", "web"] as const
  const [facts, statuses, acceptsEverything] = await Promise.all([
    gatherDomain(needs, { domain, wanted }),
    needs.domainKinds.statuses(domain),
    needs.neighbours.acceptsEverything(domain),
  ])
  const formats = await readFormats(needs, { domain, route: facts.route })
  const classes = classifyAddress(parseAddress(`a@${domain}`))
  return { facts, classes, formats, statuses, isCatchAll: acceptsEverything ? true : null }
}
