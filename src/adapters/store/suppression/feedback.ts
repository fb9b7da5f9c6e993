import { type SQL, sql } from "drizzle-orm"
import type { FeedbackKind, SuppressionReason, VerdictOutcome } from "../../../../schema/vocabulary.ts"
import type { Snapshot } from "../../../domain/learning/features.ts"
import type { KindCount, OutcomeCount } from "../../../domain/suppression/feedback.ts"
import { dayOf } from "../../../domain/time.ts"
import type { Database } from "../database.ts"
import { jsonRows, valuesOf } from "../json-rows.ts"
import { IS_BOUNCED, judgeVerdicts, strongerReport } from "./feedback-sql.ts"

export interface FeedbackRow {
  readonly eventKey: string
  readonly addressHash: string
  /** Normalized; written only to the suppression list, never to the sample. */
  readonly address: string
  readonly domain: string
  readonly kind: FeedbackKind
  readonly source: string
  readonly code: string | null
  /** Unix milliseconds. */
  readonly at: number
  readonly verifiedAt: number | null
  readonly predictedStatus: string | null
  readonly predictedScore: number | null
  readonly snapshot: Snapshot | null
  /** What the report says about that verdict; null without one. */
  readonly outcome: VerdictOutcome | null
  /** A hard bounce that says that the mailbox does not exist. */
  readonly isMailboxMissing: boolean
  /** The suppression reason for the account's list; null for no suppression. */
  readonly suppressFor: SuppressionReason | null
}

interface Recording {
  readonly accountId: string
  /** Identifies this call: only rows that it wrote first move the counters. */
  readonly batch: string
  /** Unix milliseconds. */
  readonly now: number
  /** Repeated feedback also suppresses and updates the last times, but no counter. */
  readonly appliesRepeats: boolean
}

export interface Recorded {
  /** The number of new rows. */
  readonly fresh: number
  /** Hashes of addresses that had bounced, until these rows showed that they exist. */
  readonly revived: readonly string[]
}

export interface DailyKind {
  readonly day: string
  readonly kind: FeedbackKind
  readonly count: number
}

export interface DomainKind {
  readonly domain: string
  readonly kind: FeedbackKind
  readonly count: number
}

export type FeedbackStore = ReturnType<typeof createFeedbackStore>

export function createFeedbackStore(database: Database) {
  return {
    /** Writes samples, counters, sums per address and suppressions in one transaction. */
    async record(rows: readonly FeedbackRow[], recording: Recording): Promise<Recorded> {
      // Starts with a write: SQLite may refuse to upgrade a read transaction while others write.
      const answers = await database.batch([
        database.run(insertSamples(rows, recording)),
        database.run(countDays(recording)),
        database.run(countDomains(recording)),
        database.all<{ hash: string }>(selectBounced(rows, recording)),
        database.run(sumUpAddresses(rows, recording)),
        database.all<{ hash: string }>(selectBounced(rows, recording)),
        database.run(suppressThose(rows, recording)),
        database.all<{ n: number }>(sql`SELECT count(*) AS n FROM feedback WHERE batch = ${recording.batch}`),
        ...judgeVerdicts(rows, recording).map((one) => database.run(one)),
      ])
      const stillBounced = new Set(answers[5].map(({ hash }) => hash))
      const revived = answers[3].map(({ hash }) => hash).filter((hash) => !stillBounced.has(hash))
      return { fresh: answers[7][0]?.n ?? 0, revived }
    },

    /** @param accountId null for the sums of all accounts, also in `daily` and `topDomains` */
    async counts(accountId: string | null): Promise<KindCount[]> {
      return database.all(sql`SELECT kind, predicted_status AS "predictedStatus", sum(count) AS count
        FROM feedback_counts WHERE ${ofAccount(accountId)} GROUP BY kind, predicted_status`)
    },

    /** Verdicts by status and outcome, each counted once. @param accountId null for the sums of all accounts */
    async outcomes(accountId: string | null): Promise<OutcomeCount[]> {
      return database.all(sql`SELECT status, outcome, sum(count) AS count FROM verdict_outcomes
        WHERE ${ofAccount(accountId)} GROUP BY status, outcome`)
    },

    /** Counts by day and kind from that UTC day on. */
    async daily(accountId: string | null, day: string): Promise<DailyKind[]> {
      return database.all(sql`SELECT day, kind, sum(count) AS count FROM feedback_counts
        WHERE ${ofAccount(accountId)} AND day >= ${day} GROUP BY day, kind ORDER BY day, kind`)
    },

    async ofDomains(accountId: string, domains: readonly string[]): Promise<DomainKind[]> {
      return database.all(sql`SELECT f.domain, f.kind, f.count FROM json_each(${JSON.stringify(domains)}) AS j
        CROSS JOIN feedback_domains AS f ON f.account_id = ${accountId} AND f.domain = j.value ORDER BY f.domain, f.kind`)
    },

    async topDomains(accountId: string | null, kind: FeedbackKind, limit: number): Promise<DomainKind[]> {
      return database.all(sql`SELECT domain, kind, sum(count) AS count FROM feedback_domains
        WHERE ${ofAccount(accountId)} AND kind = ${kind} GROUP BY domain ORDER BY 3 DESC, domain LIMIT ${limit}`)
    },
  }
}

const ofAccount = (accountId: string | null) => (accountId === null ? sql`true` : sql`account_id = ${accountId}`)

function insertSamples(rows: readonly FeedbackRow[], { accountId, batch, now }: Recording): SQL {
  const values = jsonRows(
    rows,
    ...(["eventKey", "addressHash", "domain", "kind", "source", "code", "at", "verifiedAt"] as const),
    ...(["predictedStatus", "predictedScore", "snapshot"] as const),
  )
  return sql`INSERT OR IGNORE INTO feedback (event_key, account_id, address_hash, domain, kind, source, code, at,
      recorded_at, verified_at, predicted_status, predicted_score, snapshot, batch)
    SELECT value ->> 0, ${accountId}, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
      ${now}, value ->> 7, value ->> 8, value ->> 9, value ->> 10, ${batch}
    FROM json_each(${values})`
}

/** By the day of recording: a counted day does not change any more. */
function countDays({ batch, now }: Recording): SQL {
  const day = dayOf(now)
  return sql`INSERT INTO feedback_counts (account_id, day, kind, predicted_status, count)
    SELECT account_id, ${day}, kind, coalesce(predicted_status, ''), count(*) FROM feedback WHERE batch = ${batch}
    GROUP BY account_id, kind, coalesce(predicted_status, '')
    ON CONFLICT (account_id, day, kind, predicted_status) DO UPDATE SET count = feedback_counts.count + excluded.count`
}

function countDomains({ batch }: Recording): SQL {
  return sql`INSERT INTO feedback_domains (account_id, domain, kind, count)
    SELECT account_id, domain, kind, count(*) FROM feedback WHERE batch = ${batch} GROUP BY account_id, domain, kind
    ON CONFLICT (account_id, domain, kind) DO UPDATE SET count = feedback_domains.count + excluded.count`
}

/** The columns of last times, each with its kind. */
const LAST_MOMENTS = [
  ["received_at", "received"],
  ["delivered_at", "delivered"],
  ["opened_at", "opened"],
  ["clicked_at", "clicked"],
  ["hard_bounced_at", "hard_bounce"],
  ["soft_bounced_at", "soft_bounce"],
  ["complained_at", "spam_complaint"],
  ["unsubscribed_at", "unsubscribe"],
] as const

/** The addresses of these rows that have bounced. */
function selectBounced(rows: readonly FeedbackRow[], { accountId }: Recording): SQL {
  const hashes = JSON.stringify([...new Set(rows.map(({ addressHash }) => addressHash))])
  return sql`SELECT f.address_hash AS hash FROM json_each(${hashes}) AS j
    CROSS JOIN address_feedback AS f ON f.account_id = ${accountId} AND f.address_hash = j.value WHERE ${IS_BOUNCED}`
}

/** SQLite's max() of several values is null when one of them is null, so an empty one counts as 0. */
function sumUpAddresses(rows: readonly FeedbackRow[], { accountId, batch, appliesRepeats }: Recording): SQL {
  const repeated = jsonRows(appliesRepeats ? rows : [], "addressHash", "kind", "at", "eventKey")
  const missing = rows.filter(({ isMailboxMissing }) => isMailboxMissing).map(({ eventKey }) => eventKey)
  const names = [...LAST_MOMENTS.map(([column]) => column), "mailbox_missing_at"]
  const columns = sql.raw(names.join(", "))
  const latest = sql.join(
    [
      ...LAST_MOMENTS.map(([, kind]) => sql`max(CASE WHEN kind = ${kind} THEN at END)`),
      sql`max(CASE WHEN event_key IN ${valuesOf(missing)} THEN at END)`,
    ],
    sql`, `,
  )
  const later = sql.raw(
    names
      .map(
        (column) =>
          `${column} = nullif(max(coalesce(address_feedback.${column}, 0), coalesce(excluded.${column}, 0)), 0)`,
      )
      .join(", "),
  )
  return sql`INSERT INTO address_feedback (account_id, address_hash, ${columns}, soft_bounces)
    SELECT ${accountId}, address_hash, ${latest}, sum(is_new AND kind = 'soft_bounce') FROM (
      SELECT address_hash, kind, at, event_key, true AS is_new FROM feedback WHERE batch = ${batch}
      UNION ALL SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, false
        FROM json_each(${repeated}))
    GROUP BY address_hash
    ON CONFLICT (account_id, address_hash) DO UPDATE SET ${later},
      soft_bounces = address_feedback.soft_bounces + excluded.soft_bounces`
}

function suppressThose(rows: readonly FeedbackRow[], { accountId, batch, now, appliesRepeats }: Recording): SQL {
  const bad = rows.filter(({ suppressFor }) => suppressFor !== null)
  const values = jsonRows(bad, "eventKey", "addressHash", "address", "suppressFor", "source")
  const isDue = appliesRepeats
    ? sql`true`
    : sql`EXISTS (SELECT 1 FROM feedback WHERE event_key = value ->> 0 AND batch = ${batch})`
  return sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at)
    SELECT ${accountId}, value ->> 1, value ->> 2, value ->> 3, value ->> 4, ${now}, NULL
    FROM json_each(${values}) WHERE ${isDue} ${strongerReport(now)}`
}
