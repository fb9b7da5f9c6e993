import { type SQL, sql } from "drizzle-orm"
import type { ModelKind, Status } from "../../../../schema/vocabulary.ts"
import { patternOf } from "../../../domain/address/address-forms.ts"
import type { Snapshot } from "../../../domain/learning/features.ts"
import { type Neighborhood, type Observation, OUTCOME_KINDS } from "../../../domain/learning/samples.ts"
import type { Database } from "../database.ts"

/** Feedback for training the models, with its context. */
export type ObservationStore = ReturnType<typeof createObservationStore>

/** Results read per domain; more would not change the sample. */
const PER_DOMAIN = 60
/** Feedback rows scanned for a count: a year of them exceeds the store's time limit. */
const LATEST_FACTS = 300_000

export function createObservationStore(database: Database) {
  const kinds = sql.join(
    OUTCOME_KINDS.map((kind) => sql`${kind}`),
    sql`, `,
  )
  const teaches = (kind: ModelKind): SQL =>
    kind === "catch_all"
      ? sql`snapshot IS NOT NULL AND kind IN (${kinds}) AND predicted_status = 'accept_all'`
      : sql`snapshot IS NOT NULL AND kind IN (${kinds})`
  return {
    /** Counts delivery outcomes among the latest feedback, up to `limit`. @param since recording time, Unix ms */
    async count(kind: ModelKind, { since, limit }: { since: number; limit: number }): Promise<number> {
      const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (SELECT 1 FROM
        (SELECT rowid AS id FROM feedback WHERE recorded_at > ${since} ORDER BY recorded_at DESC LIMIT ${LATEST_FACTS}) AS latest
        CROSS JOIN feedback ON feedback.rowid = latest.id WHERE ${teaches(kind)} LIMIT ${limit})`)
      return row?.n ?? 0
    },

    /** Rows of the latest feedback, distributed evenly over the accounts, so that none dominates. */
    async latestRows({ since, limit }: { since: number; limit: number }): Promise<number[]> {
      const ids = new Map<string, readonly number[]>()
      let open = await accountsIn(database)
      // Unused shares are distributed over the other accounts until the limit is reached.
      for (let [most, room] = [0, limit]; open.length > 0 && room > 0; ) {
        most += Math.ceil(room / open.length)
        const latest = await latestOf(database, open, { since, most })
        for (const { account, found } of latest) ids.set(account, found)
        open = latest.flatMap(({ account, found }) => (found.length === most ? [account] : []))
        room = limit - [...ids.values()].reduce((sum, found) => sum + found.length, 0)
      }
      return [...ids.values()].flat().slice(0, limit)
    },

    /** The rows that are usable for training. */
    async read(rows: readonly number[], kind: ModelKind): Promise<Observation[]> {
      const found = await database.all<Row>(sql`SELECT f.account_id AS "accountId",
          f.address_hash AS "addressHash", f.domain, f.kind, f.at, f.snapshot
        FROM json_each(${JSON.stringify(rows)}) AS j CROSS JOIN feedback AS f ON f.rowid = j.value WHERE ${teaches(kind)}`)
      return found.map((row) => ({ ...row, snapshot: JSON.parse(row.snapshot) as Snapshot }))
    },

    async neighborhoods(domains: readonly string[]): Promise<Map<string, Neighborhood>> {
      const rows = await database.all<{ domain: string; found: string }>(sql`SELECT j.value AS domain,
        (SELECT json_group_array(json_array(status, local)) FROM (SELECT status,
          substr(address, 1, length(address) - length(domain) - 1) AS local
          FROM results WHERE domain = j.value LIMIT ${PER_DOMAIN})) AS found
        FROM json_each(${JSON.stringify(domains)}) AS j`)
      return new Map(rows.map(({ domain, found }) => [domain, toNeighborhood(JSON.parse(found))]))
    },

    /** The accounts with a proven mailbox, or with a plan or a key above free. */
    async trustedAccounts(accountIds: readonly string[]): Promise<Set<string>> {
      const rows = await database.all<{ account: string }>(sql`SELECT j.value AS account
        FROM json_each(${JSON.stringify(accountIds)}) AS j
        WHERE EXISTS (SELECT 1 FROM accounts WHERE account_id = j.value AND (email IS NOT NULL OR tier <> 'free'))
          OR EXISTS (SELECT 1 FROM api_keys WHERE account_id = j.value AND tier <> 'free')`)
      return new Set(rows.map(({ account }) => account))
    },
  }
}

/** The accounts with feedback: one index step each. */
async function accountsIn(database: Database): Promise<string[]> {
  const rows = await database.all<{ account: string }>(sql`WITH RECURSIVE accounts (account) AS (
      SELECT min(account_id) FROM feedback
      UNION ALL SELECT (SELECT min(account_id) FROM feedback WHERE account_id > account) FROM accounts WHERE account IS NOT NULL)
    SELECT account FROM accounts WHERE account IS NOT NULL`)
  return rows.map(({ account }) => account)
}

/** The latest rows of each account, at most `most` of each. */
async function latestOf(
  database: Database,
  accounts: readonly string[],
  { since, most }: { since: number; most: number },
): Promise<{ account: string; found: number[] }[]> {
  const rows = await database.all<{ account: string; found: string }>(sql`SELECT j.value AS account,
    (SELECT json_group_array(id) FROM (SELECT rowid AS id FROM feedback
      WHERE account_id = j.value AND recorded_at > ${since} ORDER BY recorded_at DESC LIMIT ${most})) AS found
    FROM json_each(${JSON.stringify(accounts)}) AS j`)
  return rows.map(({ account, found }) => ({ account, found: JSON.parse(found) as number[] }))
}

type Row = Omit<Observation, "snapshot"> & { readonly snapshot: string }

function toNeighborhood(found: readonly (readonly [Status, string])[]): Neighborhood {
  const formats = new Map<string, number>()
  let missing = 0
  for (const [status, local] of found) {
    if (status === "invalid") missing++
    else formats.set(patternOf(local), (formats.get(patternOf(local)) ?? 0) + 1)
  }
  return { formats, known: found.length - missing, missing }
}
