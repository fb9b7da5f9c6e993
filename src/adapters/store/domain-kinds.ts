import { eq, sql } from "drizzle-orm"
import { domains } from "../../../schema/tables/domains.ts"
import { domainFormats } from "../../../schema/tables/formats.ts"
import type { Status } from "../../../schema/vocabulary.ts"
import type { KeptFacts } from "../../domain/verdict/evidence.ts"
import type { Database } from "./database.ts"
import { someOfDomain } from "./some-of-domain.ts"

interface KnownDomain {
  readonly domain: string
  readonly facts: KeptFacts
  /** Addresses of it that taught a format. */
  readonly addresses: number
}

export interface DomainKinds {
  /** The domains that became known last. */
  latest(limit: number): Promise<KnownDomain[]>
  /** Stored results of a domain by status, 5,000 of them at most; no addresses. */
  statuses(domain: string): Promise<Partial<Record<Status, number>>>
}

export function createDomainKinds(database: Database): DomainKinds {
  return {
    async latest(limit) {
      const rows = await database
        .select({
          domain: domains.domain,
          facts: domains.facts,
          addresses: sql<number>`coalesce(${domainFormats.sampleCount}, 0)`,
        })
        .from(domains)
        .leftJoin(domainFormats, eq(domainFormats.domain, domains.domain))
        // By row number, which is free: no index leads to the time.
        .orderBy(sql`${domains}.rowid DESC`)
        .limit(limit)
      return rows.map((row) => ({ ...row, facts: row.facts as KeptFacts }))
    },

    async statuses(domain) {
      const rows = await database.all<{ status: Status; count: number }>(
        sql`SELECT status, count(*) AS count FROM ${someOfDomain(domain)} GROUP BY status`,
      )
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },
  }
}
