import { eq, sql } from "drizzle-orm"
import { domains } from "../../../../schema/tables/domains.ts"
import { results } from "../../../../schema/tables/results.ts"
import type { SuppressionFlags } from "../../../domain/suppression/flags.ts"
import type { StoredEvidence, StoredFacts } from "../../../domain/verification/evidence.ts"
import type { Verdict } from "../../../domain/verification/judge.ts"
import { unpackEvidence } from "../../evidence-codec.ts"
import type { Database } from "../database.ts"
import { type FlagRow, flagsOf, selectFlags } from "../feedback/suppression-sql.ts"

export interface StoredResult {
  readonly evidence: StoredEvidence
  /** Unix milliseconds, both. */
  readonly verifiedAt: number
  readonly expiresAt: number
}

export interface ResultToStore extends StoredResult {
  readonly key: string
  readonly domain: string
  readonly verdict: Verdict
  readonly score: number
  /** The send decision, without an account's flags. */
  readonly canSend: boolean
}

/** What is stored about an address, and about its domain; fresh or not. */
export interface StoredAbout {
  readonly result: StoredResult | null
  readonly facts: StoredFacts | null
}

export interface AddressQuery {
  /** Cache key of the address. */
  readonly key: string
  readonly domain: string
  /** Lists whose flags are read, of these keyed hashes of the address and its domain. */
  readonly lists: readonly string[]
  readonly hashes: readonly string[]
  /** Unix ms. */
  readonly now: number
}

export interface ResultStore {
  /** The latest result of an address and the facts of its domain, in one round trip. */
  latest(key: string, domain: string): Promise<StoredAbout>
  /** The same with the flags by list and hash, as `SuppressionStore.flags` returns them, in one statement. */
  lookUp(query: AddressQuery): Promise<StoredAbout & { readonly flags: Map<string, Map<string, SuppressionFlags>> }>
}

/** The result or the facts; the times are those of the result. */
interface AboutRow {
  readonly kind: "result" | "facts"
  readonly text: string
  readonly at: number
  readonly until: number
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
        ? { evidence: unpackEvidence(row.evidence), verifiedAt: row.verifiedAt, expiresAt: row.expiresAt }
        : null
      return { result, facts: (domainRows[0]?.facts as StoredFacts | undefined) ?? null }
    },

    async lookUp({ key, domain, lists, hashes, now }) {
      const rows = await database.all<AboutRow | FlagRow>(
        sql`SELECT 'result' AS kind, evidence AS text, verified_at AS at, expires_at AS until, NULL AS list, NULL AS hash
            FROM results WHERE address = ${key}
          UNION ALL SELECT 'facts', facts, NULL, NULL, NULL, NULL FROM domains WHERE domain = ${domain}
          UNION ALL SELECT kind, NULL, at, NULL, list, hash FROM (${selectFlags(lists, hashes, now)})`,
      )
      const about = (kind: AboutRow["kind"]) => rows.find((row): row is AboutRow => row.kind === kind)
      const [found, facts] = [about("result"), about("facts")]
      const result = found && {
        evidence: unpackEvidence(found.text),
        verifiedAt: found.at,
        expiresAt: found.until,
      }
      const flags = rows.filter((row): row is FlagRow => row.kind !== "result" && row.kind !== "facts")
      return {
        result: result ?? null,
        facts: facts ? (JSON.parse(facts.text) as StoredFacts) : null,
        flags: flagsOf(lists, flags),
      }
    },
  }
}
