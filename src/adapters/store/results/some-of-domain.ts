import { type SQL, sql } from "drizzle-orm"

/** Enough for any company. A mailbox provider has millions, and a long read blocks the database. */
const MOST = 5_000

/** A limited number of stored results of a domain, to characterize it. */
export function someOfDomain(domain: string): SQL {
  return sql`(SELECT address, status, verified_at FROM results WHERE domain = ${domain} LIMIT ${MOST})`
}
