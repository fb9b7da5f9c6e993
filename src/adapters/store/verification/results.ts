import { eq, type SQL, sql } from "drizzle-orm"
import { domains, results } from "../../../../schema/tables/verification.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { SuppressionFlags } from "../../../domain/suppression/flags.ts"
import type { StoredEvidence, StoredFacts } from "../../../domain/verification/evidence.ts"
import type { Verdict } from "../../../domain/verification/judge.ts"
import type { StoredDecision } from "../../../domain/verification/send-decision.ts"
import { packEvidence, unpackEvidence } from "../../verification/evidence-codec.ts"
import type { Database } from "../database.ts"
import { jsonRows, slicesOf } from "../json-rows.ts"
import { type FlagRow, flagsOf, selectFlags } from "../suppression/feedback-sql.ts"

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

export type ResultStore = ReturnType<typeof createResultStore>

/** The result or the facts; the times are those of the result. */
interface AboutRow {
  readonly kind: "result" | "facts"
  readonly text: string
  readonly at: number
  readonly until: number
}

export function createResultStore(database: Database) {
  return {
    /** The latest result of an address and the facts of its domain, in one round trip. */
    async latest(key: string, domain: string): Promise<StoredAbout> {
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

    /** The same with the flags by list and hash, as `SuppressionStore.flags` returns them, in one statement. */
    async knownAbout({
      key,
      domain,
      lists,
      hashes,
      now,
    }: AddressQuery): Promise<StoredAbout & { readonly flags: Map<string, Map<string, SuppressionFlags>> }> {
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

/** A stored result without its evidence. */
export interface StoredBrief extends StoredDecision {
  /** Unix milliseconds. */
  readonly verifiedAt: number
}

/** Results and domain facts of many addresses: one statement for each SLICE of them. */
export type ResultLists = ReturnType<typeof createResultLists>

/** Address, status, score, `verifiedAt`, and the send decision if it is about this result. */
type BriefRow = readonly [string, Status, number, number, number | null]

const SLICE = 500

export function createResultLists(database: Database) {
  return {
    /** Stored results by cache key, fresh or not. The cache statistics do not count calls with `isLookup` false. */
    async findMany(keys: readonly string[], _options?: { isLookup: boolean }): Promise<Map<string, StoredResult>> {
      const rows = await inSlices(keys, (slice) =>
        database.all<{ address: string; evidence: string; verifiedAt: number; expiresAt: number }>(
          sql`SELECT r.address, r.evidence, r.verified_at AS "verifiedAt", r.expires_at AS "expiresAt"
            FROM json_each(${slice}) AS j CROSS JOIN results AS r ON r.address = j.value`,
        ),
      )
      return new Map(rows.map(({ address, ...row }) => [address, { ...row, evidence: unpackEvidence(row.evidence) }]))
    },

    /** Fresh results by cache key, without evidence. @param now Unix ms */
    async findBriefs(keys: readonly string[], now: number): Promise<Map<string, StoredBrief>> {
      // One JSON cell per slice: decoding 5,000 rows of four cells costs more than finding them.
      const brief = sql`json_array(r.address, r.status, r.score, r.verified_at,
        CASE r.decided_at WHEN r.verified_at THEN r.can_send END)`
      const slices = await Promise.all(
        slicesOf(keys, SLICE).map((slice) =>
          database.all<{ rows: string }>(sql`SELECT json_group_array(${brief}) AS rows
            FROM json_each(${slice}) AS j CROSS JOIN results AS r ON r.address = j.value WHERE r.expires_at > ${now}`),
        ),
      )
      const rows = slices.flatMap(([row]) => JSON.parse(row?.rows ?? "[]") as BriefRow[])
      return new Map(
        rows.map(([address, status, score, verifiedAt, decided]) => [
          address,
          { status, score, verifiedAt, canSend: decided === null ? null : decided === 1 },
        ]),
      )
    },

    /** @param accountId the account that verified them, recorded in the same batch; null for a caller without an account */
    async saveAll(results: readonly ResultToStore[], accountId: string | null) {
      for (let at = 0; at < results.length; at += SLICE) {
        const slice = results.slice(at, at + SLICE)
        const saving = database.run(insertResults(JSON.stringify(slice.map(resultRow))))
        if (accountId === null) await saving
        else await database.batch([saving, database.run(insertVerified(verifiedFor(slice, sql`${accountId}`)))])
      }
    },

    /** Stored facts of each domain, fresh or not. */
    async factsOf(domains: readonly string[]): Promise<Map<string, StoredFacts>> {
      const rows = await inSlices(domains, (slice) =>
        database.all<{ domain: string; facts: string }>(
          sql`SELECT d.domain, d.facts FROM json_each(${slice}) AS j CROSS JOIN domains AS d ON d.domain = j.value`,
        ),
      )
      return new Map(rows.map(({ domain, facts }) => [domain, JSON.parse(facts) as StoredFacts]))
    },

    /** Adds facts to those of each domain; each replaces its predecessor and leaves others unchanged. */
    async saveFactsOf(facts: ReadonlyMap<string, StoredFacts>) {
      const rows = [...facts].map(([domain, found]) => factsRow(domain, found))
      await inSlices(rows, (slice) => database.run(insertFacts(slice)))
    },
  }
}

/** @returns a row for `insertFacts` */
export function factsRow(domain: string, found: StoredFacts) {
  const all = Object.values(found)
  const latest = (time: "checkedAt" | "expiresAt") => Math.max(...all.map((fact) => fact[time]))
  return [domain, JSON.stringify(found), latest("checkedAt"), latest("expiresAt")]
}

/** Adds facts to those of each domain; a fact checked later stays. @param rows JSON of `factsRow`s, `j.value` each */
export function insertFacts(rows: string, condition: SQL = sql`true`): SQL {
  // json_patch would remove nulls inside a fact, so each fact is set as a whole by its name.
  return sql`INSERT INTO domains (domain, facts, checked_at, expires_at)
    SELECT j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3 FROM json_each(${rows}) AS j WHERE ${condition}
    ON CONFLICT (domain) DO UPDATE SET checked_at = max(checked_at, excluded.checked_at),
      expires_at = max(expires_at, excluded.expires_at),
      facts = (SELECT json_group_object(name, json(fact)) FROM (
        SELECT key AS name, value AS fact FROM json_each(excluded.facts)
          WHERE coalesce(json_extract(domains.facts, '$.' || key || '.checkedAt'), -1) <= value ->> 'checkedAt' UNION ALL
        SELECT key, value FROM json_each(domains.facts)
          WHERE coalesce(json_extract(excluded.facts, '$.' || key || '.checkedAt'), -1) < value ->> 'checkedAt'))`
}

/** Stores results; a newer stored one stays. @param rows JSON of `resultRow`s, `j.value` in the condition */
export function insertResults(rows: string, condition: SQL = sql`true`): SQL {
  return sql`INSERT INTO results (address, domain, status, sub_status, score, evidence, verified_at, expires_at, can_send,
      decided_at)
    SELECT j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, j.value ->> 5, j.value ->> 6, j.value ->> 7,
      j.value ->> 8, j.value ->> 6
    FROM json_each(${rows}) AS j WHERE ${condition}
    ON CONFLICT (address) DO UPDATE SET domain = excluded.domain, status = excluded.status,
      sub_status = excluded.sub_status, score = excluded.score, evidence = excluded.evidence,
      verified_at = excluded.verified_at, expires_at = excluded.expires_at, can_send = excluded.can_send,
      decided_at = excluded.decided_at
      WHERE excluded.verified_at >= results.verified_at`
}

/** Records for which accounts addresses were verified. @param rows account, address, domain, Unix ms, with a WHERE */
export function insertVerified(rows: SQL): SQL {
  return sql`INSERT INTO verified_addresses (account_id, address, domain, verified_at) ${rows}
    ON CONFLICT (account_id, address) DO UPDATE SET verified_at = excluded.verified_at
      WHERE excluded.verified_at > verified_addresses.verified_at`
}

/** The rows of `insertVerified` for results of one account. @param account its id, or a query for it */
export function verifiedFor(results: readonly ResultToStore[], account: SQL, condition: SQL = sql`true`): SQL {
  const rows = jsonRows(results, "key", "domain", "verifiedAt")
  return sql`SELECT ${account}, value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows}) WHERE ${condition}`
}

export function resultRow({ key, domain, verdict, score, canSend, evidence, verifiedAt, expiresAt }: ResultToStore) {
  const { status, subStatus } = verdict
  return [key, domain, status, subStatus, score, packEvidence(evidence), verifiedAt, expiresAt, canSend]
}

/** Runs a statement for each slice of a list, one after the other, and joins the rows. */
async function inSlices<R>(list: readonly unknown[], run: (slice: string) => Promise<R>): Promise<Unpacked<R>[]> {
  const all: Unpacked<R>[] = []
  for (const slice of slicesOf(list, SLICE)) {
    const answer = await run(slice)
    if (Array.isArray(answer)) all.push(...(answer as Unpacked<R>[]))
  }
  return all
}

type Unpacked<R> = R extends readonly (infer T)[] ? T : never
