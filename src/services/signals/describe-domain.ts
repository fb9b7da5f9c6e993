import type { Status } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import type { ListClasses } from "../../domain/reference/classify.ts"
import { classifyByHosts } from "../../domain/reference/classify-by-hosts.ts"
import { type DomainCatchAll, domainCatchAll } from "../../domain/signals/stored-domains.ts"
import { mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import type { DomainFacts } from "../../domain/verification/evidence.ts"
import { reassess } from "../../domain/verification/verification.ts"
import { countNetworkWork } from "../accounts/count-free-work.ts"
import { type KnownFormats, readFormats } from "../finder/read-formats.ts"
import { gatherDomain } from "./gather-domain.ts"

export interface DomainDescription {
  readonly facts: DomainFacts
  readonly classes: ListClasses
  readonly formats: KnownFormats
  /** Stored results by status. */
  readonly statuses: Partial<Record<Status, number>>
  readonly catchAll: DomainCatchAll
}

/** Stored results that are judged for the catch-all result. */
const JUDGED = 20

/** Describes a domain without revealing any address. */
export async function describeDomain(
  ctx: Context,
  { domain, clientIp }: { domain: string; clientIp: string | undefined },
): Promise<DomainDescription> {
  await countNetworkWork(ctx, "domainIntel", clientIp)
  const wanted = ["exchangers", "spf", "dkim", "dmarc", "mtaSts", "bimi", "registration", "web"] as const
  const [facts, statuses, decided] = await Promise.all([
    gatherDomain(ctx, { domain, wanted }),
    ctx.store.domainKinds.statuses(domain),
    ctx.store.domainKinds.newestDecided(domain, JUDGED),
  ])
  const formats = await readFormats(ctx, { domain, route: facts.route })
  const classes = classifyByHosts(parseAddress(`a@${domain}`), mailHostsOf(facts.route))
  const catchAll = domainCatchAll(decided.map((result) => reassess(result, parseAddress(result.address))))
  return { facts, classes, formats, statuses, catchAll }
}
