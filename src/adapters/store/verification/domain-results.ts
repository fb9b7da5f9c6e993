import { and, eq, inArray, type SQL, sql } from "drizzle-orm"
import { domainFormats } from "../../../../schema/tables/finder.ts"
import { addressFeedback, feedback } from "../../../../schema/tables/suppression.ts"
import { domains } from "../../../../schema/tables/verification.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { StoredEvidence, StoredFacts } from "../../../domain/verification/evidence.ts"
import { unpackEvidence } from "../../verification/evidence-codec.ts"
import type { Database } from "../database.ts"

interface KnownDomain {
  readonly domain: string
  readonly facts: StoredFacts
  /** Addresses of the domain with a learned format. */
  readonly addresses: number
}

interface DecidedResult {
  /** As in `results`. */
  readonly address: string
  readonly evidence: StoredEvidence
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

export function createDomainKinds(database: Database) {
  return {
    /** The newest domains. */
    async latest(limit: number): Promise<KnownDomain[]> {
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

    /** Stored results of a domain by status, at most 5,000 of them; no addresses. */
    async statuses(domain: string): Promise<Partial<Record<Status, number>>> {
      const rows = await database.all<{ status: Status; count: number }>(
        sql`SELECT status, count(*) AS count FROM ${someOfDomain(domain)} GROUP BY status`,
      )
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },

    /** The newest results of a domain whose status shows whether it accepts every address, among 5,000 of them. */
    async newestDecided(domain: string, limit: number): Promise<DecidedResult[]> {
      const newest = sql`SELECT address FROM ${someOfDomain(domain)}
        WHERE status IN ('valid', 'accept_all', 'invalid') ORDER BY verified_at DESC LIMIT ${limit}`
      const rows = await database.all<{ address: string; evidence: string; verifiedAt: number }>(
        sql`SELECT address, evidence, verified_at AS "verifiedAt" FROM results WHERE address IN (${newest})`,
      )
      return rows.map((row) => ({ ...row, evidence: unpackEvidence(row.evidence) }))
    },
  }
}

/** An account's feedback about one address: the last time of each kind, Unix milliseconds. */
interface OwnFeedback {
  readonly arrivedAt: number | null
  readonly bouncedAt: number | null
}

/** No index leads from an account to a domain, so only the latest reports are searched. */
const LATEST_REPORTS = 20_000

export function createNeighborStore(database: Database) {
  return {
    /** Local parts at a domain that are not known to be invalid, newest first. */
    async locals(domain: string, limit: number): Promise<string[]> {
      const rows = await database.all<{ address: string }>(sql`SELECT address FROM ${someOfDomain(domain)}
        WHERE status <> 'invalid' ORDER BY verified_at DESC LIMIT ${limit}`)
      return rows.map(({ address }) => address.slice(0, address.lastIndexOf("@")))
    },

    /** Whether a probe showed that the domain accepts every address. */
    async acceptsEverything(domain: string): Promise<boolean> {
      const rows = await database.all(sql`SELECT 1 FROM ${someOfDomain(domain)} WHERE status = 'accept_all' LIMIT 1`)
      return rows.length > 0
    },

    /** Number of the domain's addresses by the account's feedback. */
    async reported(accountId: string, domain: string): Promise<{ received: number; bounced: number }> {
      const [row] = await database.all<{ received: number; bounced: number }>(sql`
        SELECT count(DISTINCT CASE WHEN kind IN ('delivered', 'received', 'opened', 'clicked') THEN address_hash END) AS received,
          count(DISTINCT CASE WHEN kind = 'hard_bounce' THEN address_hash END) AS bounced
        FROM (SELECT kind, address_hash, domain FROM ${feedback} WHERE account_id = ${accountId}
          ORDER BY recorded_at DESC LIMIT ${LATEST_REPORTS})
        WHERE domain = ${domain}`)
      return row ?? { received: 0, bounced: 0 }
    },

    /** The account's feedback on one address. @param hashes its keyed hash, one for each active pepper */
    async ownFeedback(accountId: string, hashes: readonly string[]): Promise<OwnFeedback | null> {
      const [row] = await database
        .select()
        .from(addressFeedback)
        .where(and(eq(addressFeedback.accountId, accountId), inArray(addressFeedback.addressHash, [...hashes])))
      if (!row) return null
      const arrived = [row.receivedAt, row.deliveredAt, row.openedAt, row.clickedAt].filter((at) => at !== null)
      return { arrivedAt: arrived.length > 0 ? Math.max(...arrived) : null, bouncedAt: row.hardBouncedAt }
    },
  }
}

/** Enough for any company. A mailbox provider has millions, and a long read blocks the database. */
const MOST = 5_000

/** A limited number of stored results of a domain, to characterize it. */
function someOfDomain(domain: string): SQL {
  return sql`(SELECT address, status, verified_at FROM results WHERE domain = ${domain} LIMIT ${MOST})`
}
