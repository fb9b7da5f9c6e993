import { type SQL, sql } from "drizzle-orm"

/** All of a company's; a mailbox provider has millions, and the database answers nobody else while it reads. */
const MOST = 5_000

/** Stored results of a domain, as many of them as are looked at to tell what it is like. */
export function someOfDomain(domain: string): SQL {
  return sql`(SELECT address, status, verified_at FROM results WHERE domain = ${domain} LIMIT ${MOST})`
}
