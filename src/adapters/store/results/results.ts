import { eq, type SQL, sql } from "drizzle-orm"
import { domains } from "../../../../schema/tables/domains.ts"
import { results } from "../../../../schema/tables/results.ts"
import type { Evidence, StoredFacts } from "../../../domain/verdict/evidence.ts"
import type { Verdict } from "../../../domain/verdict/judge.ts"
import type { Database } from "../database.ts"

export interface StoredResult {
  readonly evidence: Evidence
  /** Unix milliseconds, both. */
  readonly verifiedAt: number
  readonly expiresAt: number
}

export interface ResultToStore extends StoredResult {
  readonly key: string
  readonly domain: string
  readonly verdict: Verdict
  readonly score: number
}

export interface ResultStore {
  /** The latest result of an address and the facts of its domain, fresh or not, in one round trip. */
  latest(key: string, domain: string): Promise<{ result: StoredResult | null; facts: StoredFacts | null }>
  /** Adds facts of a domain; each replaces its predecessor and leaves others unchanged. */
  saveFacts(domain: string, facts: StoredFacts): Promise<void>
}

export function createResultStore(database: Database): ResultStore {
  return {
    async latest(key, domain) {
      const [resultRows, domainRows] = await database.batch([
        database.select().from(results).where(eq(results.address, key)),
        database.select().from(domains).where(eq(domains.domain, domain)),
      ])
      const row = resultRows[0]
      const result = row
        ? { evidence: row.evidence as Evidence, verifiedAt: row.verifiedAt, expiresAt: row.expiresAt }
        : null
      return { result, facts: (domainRows[0]?.facts as StoredFacts | undefined) ?? null }
    },

    async saveFacts(domain, facts) {
      const entries = Object.entries(facts)
      const checkedAt = Math.max(...entries.map(([, fact]) => fact.checkedAt))
      const expiresAt = Math.max(...entries.map(([, fact]) => fact.expiresAt))
      const set = {
        facts: entries.reduce<SQL>(
          (json, [name, fact]) => sql`json_set(${json}, ${`$.${name}`}, json(${JSON.stringify(fact)}))`,
          sql`${domains.facts}`,
        ),
        checkedAt: sql`max(${domains.checkedAt}, ${checkedAt})`,
        expiresAt: sql`max(${domains.expiresAt}, ${expiresAt})`,
      }
      await database
        .insert(domains)
        .values({ domain, facts, checkedAt, expiresAt })
        .onConflictDoUpdate({ target: domains.domain, set })
    },
  }
}
