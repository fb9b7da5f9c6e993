import { eq, sql } from "drizzle-orm"
import { domains } from "../../../../schema/tables/domains.ts"
import { domainFormats } from "../../../../schema/tables/formats.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { StoredEvidence, StoredFacts } from "../../../domain/verification/evidence.ts"
import { unpackEvidence } from "../../evidence-codec.ts"
import type { Database } from "../database.ts"
import { someOfDomain } from "./some-of-domain.ts"

interface KnownDomain {
  readonly domain: string
  readonly facts: StoredFacts
  /** Addresses of the domain with a learned format. */
  readonly addresses: number
}

export interface DomainKinds {
  /** The newest domains. */
  latest(limit: number): Promise<KnownDomain[]>
  /** Stored results of a domain by status, at most 5,000 of them; no addresses. */
  statuses(domain: string): Promise<Partial<Record<Status, number>>>
  /** The newest results of a domain whose status shows whether it accepts every address, among 5,000 of them. */
  newestDecided(domain: string, limit: number): Promise<DecidedResult[]>
}

interface DecidedResult {
  /** As in `results`. */
  readonly address: string
  readonly evidence: StoredEvidence
  /** Unix milliseconds. */
  readonly verifiedAt: number
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
        // Ordered by row number, because no index has the time.
        .orderBy(sql`${domains}.rowid DESC`)
        .limit(limit)
      return rows.map((row) => ({ ...row, facts: row.facts as StoredFacts }))
    },

    async statuses(domain) {
      const rows = await database.all<{ status: Status; count: number }>(
        sql`SELECT status, count(*) AS count FROM ${someOfDomain(domain)} GROUP BY status`,
      )
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },

    async newestDecided(domain, limit) {
      const newest = sql`SELECT address FROM ${someOfDomain(domain)}
        WHERE status IN ('valid', 'accept_all', 'invalid') ORDER BY verified_at DESC LIMIT ${limit}`
      const rows = await database.all<{ address: string; evidence: string; verified_at: number }>(
        sql`SELECT address, evidence, verified_at FROM results WHERE address IN (${newest})`,
      )
      return rows.map(({ address, evidence, verified_at }) => ({
        address,
        evidence: unpackEvidence(evidence),
        verifiedAt: verified_at,
      }))
    },
  }
}
