import { and, eq, inArray, sql } from "drizzle-orm"
import { addressFeedback, feedback } from "../../../../schema/tables/feedback.ts"
import type { Database } from "../database.ts"
import { someOfDomain } from "./some-of-domain.ts"

/** An account's feedback about one address: the last time of each kind, Unix milliseconds. */
interface OwnFeedback {
  readonly arrivedAt: number | null
  readonly bouncedAt: number | null
}

export interface NeighborStore {
  /** Local parts at a domain that are not known to be invalid, newest first. */
  locals(domain: string, limit: number): Promise<string[]>
  /** Whether a probe showed that the domain accepts every address. */
  acceptsEverything(domain: string): Promise<boolean>
  /** Number of the domain's addresses by the account's feedback. */
  reported(accountId: string, domain: string): Promise<{ received: number; bounced: number }>
  /** The account's feedback on one address. @param hashes its keyed hash, one for each active pepper */
  ownFeedback(accountId: string, hashes: readonly string[]): Promise<OwnFeedback | null>
}

/** No index leads from an account to a domain, so only the latest reports are searched. */
const LATEST_REPORTS = 20_000

export function createNeighborStore(database: Database): NeighborStore {
  return {
    async locals(domain, limit) {
      const rows = await database.all<{ address: string }>(sql`SELECT address FROM ${someOfDomain(domain)}
        WHERE status <> 'invalid' ORDER BY verified_at DESC LIMIT ${limit}`)
      return rows.map(({ address }) => address.slice(0, address.lastIndexOf("@")))
    },

    async acceptsEverything(domain) {
      const rows = await database.all(sql`SELECT 1 FROM ${someOfDomain(domain)} WHERE status = 'accept_all' LIMIT 1`)
      return rows.length > 0
    },

    async reported(accountId, domain) {
      const [row] = await database.all<{ received: number; bounced: number }>(sql`
        SELECT count(DISTINCT CASE WHEN kind IN ('delivered', 'received', 'opened', 'clicked') THEN address_hash END) AS received,
          count(DISTINCT CASE WHEN kind = 'hard_bounce' THEN address_hash END) AS bounced
        FROM (SELECT kind, address_hash, domain FROM ${feedback} WHERE account_id = ${accountId}
          ORDER BY recorded_at DESC LIMIT ${LATEST_REPORTS})
        WHERE domain = ${domain}`)
      return row ?? { received: 0, bounced: 0 }
    },

    async ownFeedback(accountId, hashes) {
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
