import { type SQL, sql } from "drizzle-orm"
import { OPERATOR_ERASURE } from "../../../../schema/tables/compliance.ts"
import { dayOf } from "../../../domain/time.ts"
import type { StoredFacts } from "../../../domain/verification/evidence.ts"
import { packEvidence } from "../../verification/evidence-codec.ts"
import type { WrittenEntry } from "../../verification/write-behind.ts"
import { type Answer, addCounts, addKeyCounts, type HistoryEntry, NO_ACCOUNT } from "../accounts/history.ts"
import type { Database } from "../database.ts"
import { ownerOf } from "../owner-account.ts"
import { factsRow, insertFacts, insertResults, insertVerified, type ResultToStore, resultRow } from "./results.ts"

/** What the database stores of one answer, after the answer. Plain values. */
export interface AnswerWrite {
  /** Null for a caller without an account. */
  readonly accountId: string | null
  /** The key of the call, for which the answer is counted; null or missing without one. */
  readonly keyId?: string | null
  /** Unix ms. */
  readonly at: number
  /** Keyed hashes of the address and its domain. An erasure of one of them since `at` refuses the write. */
  readonly subjects: readonly string[]
  /** Replaces an older result, and is recorded as verified for the account. */
  readonly result?: ResultToStore
  readonly facts?: { readonly domain: string; readonly found: StoredFacts }
  /** The address as sent to the mail server. An existing schedule stays. */
  readonly recheck?: { readonly address: string; readonly dueAt: number }
  /** An answer for the account's history, which also counts it. */
  readonly listed?: HistoryEntry
  /** An answer that is only counted. */
  readonly counted?: Answer
}

export type AnswerWriteStore = ReturnType<typeof createAnswerWriteStore>

export function createAnswerWriteStore(database: Database) {
  return {
    /**
     * Stores what belongs to many answers in one transaction. A repeated entry adds no second row to a history; an answer
     * that is only counted may be counted twice.
     * @returns for each entry whether its result was refused: a newer one is stored, or its address was erased since
     */
    async writeAll(entries: readonly WrittenEntry<AnswerWrite>[]): Promise<boolean[]> {
      const writes = entries.map(({ entry }) => entry)
      const stored = withRows(writes, ({ result }) => result && resultRow(result))
      const statements = [
        ...statement(stored, (rows) => sql`${insertResults(rows, notErased(9))} RETURNING address, verified_at`),
        ...statement(withRows(writes, verifiedRow), insertVerifiedFor),
        ...statement(
          withRows(writes, ({ facts }) => facts && factsRow(facts.domain, facts.found)),
          (rows) => insertFacts(rows, notErased(4)),
        ),
        ...statement(
          withRows(writes, ({ recheck }) => recheck && [recheck.address, recheck.dueAt]),
          insertRechecks,
        ),
        ...statement(countRows(entries), addCountsOf),
        ...statement(
          countRows(entries).filter((row) => row[KEY_AT] !== null),
          addKeyCountsOf,
        ),
        ...statement(historyRows(entries), insertHistory),
      ]
      const [first, ...rest] = statements.map((one) => database.all<Stored>(one))
      if (!first) return writes.map(() => false)
      const answers = await database.batch([first, ...rest])
      const written = new Set(stored.length > 0 ? answers[0].map(nameOf) : [])
      return writes.map(({ result }) => result !== undefined && !written.has(nameOf(rowOf(result))))
    },
  }
}

/** About the bytes of a write in its statements. */
export function bytesOfWrite({ result, ...write }: AnswerWrite): number {
  return JSON.stringify(write).length + (result ? packEvidence(result.evidence).length : 0)
}

interface Stored {
  readonly address: string
  readonly verified_at: number
}
const rowOf = ({ key, verifiedAt }: ResultToStore): Stored => ({ address: key, verified_at: verifiedAt })
const nameOf = ({ address, verified_at }: Stored) => `${verified_at} ${address}`

type Row = readonly unknown[]

/** The rows of all entries that have one, each with the time, account and subjects that `notErased` reads. */
function withRows(writes: readonly AnswerWrite[], rowFrom: (write: AnswerWrite) => Row | undefined): Row[] {
  return writes.flatMap((write) => {
    const row = rowFrom(write)
    return row ? [[...row, write.at, write.accountId, write.subjects]] : []
  })
}

function statement(rows: readonly Row[], build: (rows: string) => SQL): SQL[] {
  return rows.length > 0 ? [build(JSON.stringify(rows))] : []
}

/** Condition: neither the account nor the operator has erased a subject since. @param at position of the time in a row */
function notErased(at: number): SQL {
  const column = (n: number) => sql.raw(String(at + n))
  return sql`NOT EXISTS (SELECT 1 FROM json_each(j.value -> ${column(2)}) AS h CROSS JOIN account_erasures AS e
    ON e.account_id IN (${OPERATOR_ERASURE}, j.value ->> ${column(1)}) AND e.subject_hash = h.value
    WHERE e.erased_at >= j.value ->> ${column(0)})`
}

/** Condition: the account was not deleted since. @param at position of the account in a row */
function hasAccount(at: number): SQL {
  return sql`EXISTS (SELECT 1 FROM accounts AS a WHERE a.account_id = ${ownerOf(sql`j.value ->> ${sql.raw(String(at))}`)})`
}

function verifiedRow({ accountId, result }: AnswerWrite): Row | undefined {
  return result && accountId !== null ? [result.key, result.domain, result.verifiedAt] : undefined
}

function insertVerifiedFor(rows: string): SQL {
  return insertVerified(sql`SELECT j.value ->> 4, j.value ->> 0, j.value ->> 1, j.value ->> 2
    FROM json_each(${rows}) AS j WHERE ${hasAccount(4)} AND ${notErased(3)}`)
}

function insertRechecks(rows: string): SQL {
  return sql`INSERT INTO rechecks (address, attempt, due_at)
    SELECT j.value ->> 0, 0, j.value ->> 1 FROM json_each(${rows}) AS j WHERE ${notErased(2)}
    ON CONFLICT (address) DO NOTHING`
}

/** Rows of an earlier write with the same answer. Answers of one account about one address differ in their time. */
const ALREADY_LISTED = sql`EXISTS (SELECT 1 FROM verifications AS v
  WHERE v.created_at = j.value ->> 1 AND v.account_id = j.value ->> 0 AND v.address = j.value ->> 2)`

function countRows(entries: readonly WrittenEntry<AnswerWrite>[]): Row[] {
  return entries.flatMap(({ entry: { accountId, keyId = null, at, listed, counted }, isRepeated }) => {
    const answer = listed ?? counted
    if (!answer) return []
    const address = isRepeated ? (listed?.address ?? null) : null
    const { status, cached, score, canSend } = answer
    const requester = [accountId ?? NO_ACCOUNT, at, address, dayOf(at)]
    return [[...requester, status, Number(cached), score, Number(canSend), keyId]]
  })
}

/** Condition: the answer is not counted yet, and its account was not deleted since. */
const IS_TO_COUNT = sql`(j.value ->> 0 = ${NO_ACCOUNT} OR ${hasAccount(0)})
  AND (j.value ->> 2 IS NULL OR NOT ${ALREADY_LISTED})`

function addCountsOf(rows: string): SQL {
  return addCounts(sql`SELECT j.value ->> 0, j.value ->> 3, j.value ->> 4, j.value ->> 5, count(*), sum(j.value ->> 6),
      sum(j.value ->> 7) FROM json_each(${rows}) AS j WHERE ${IS_TO_COUNT} GROUP BY 1, 2, 3, 4`)
}

/** Position of the key in a row of `countRows`. */
const KEY_AT = 8

function addKeyCountsOf(rows: string): SQL {
  return addKeyCounts(sql`SELECT j.value ->> ${sql.raw(String(KEY_AT))}, j.value ->> 3, count(*)
    FROM json_each(${rows}) AS j WHERE ${IS_TO_COUNT} GROUP BY 1, 2`)
}

function historyRows(entries: readonly WrittenEntry<AnswerWrite>[]): Row[] {
  return entries.flatMap(({ entry: { accountId, at, subjects, listed }, isRepeated }) => {
    if (!listed || accountId === null) return []
    const { address, domain, status, score, cached, checks } = listed
    const repeated = Number(isRepeated)
    return [[accountId, at, address, domain, status, score, Number(cached), checks, repeated, at, accountId, subjects]]
  })
}

function insertHistory(rows: string): SQL {
  return sql`INSERT INTO verifications (account_id, address, domain, status, score, cached, checks, created_at)
    SELECT j.value ->> 0, j.value ->> 2, j.value ->> 3, j.value ->> 4, j.value ->> 5, j.value ->> 6, j.value -> 7, j.value ->> 1
    FROM json_each(${rows}) AS j 
    WHERE (j.value ->> 8 = 0 OR NOT ${ALREADY_LISTED}) AND ${hasAccount(0)} AND ${notErased(9)} ORDER BY j.key`
}
