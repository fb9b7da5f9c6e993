import { type SQL, sql } from "drizzle-orm"
import { NO_SUPPRESSION_FLAGS, type SuppressionFlags } from "../../../domain/suppression/flags.ts"
import type { Suppression } from "../../../domain/suppression/suppression.ts"
import { jsonRows } from "../json-rows.ts"

type Entry = Suppression & { readonly addressHash: string; readonly address: string | null }

/** One statement that adds entries to a list. */
export function upsertSuppressions(list: string, entries: readonly Entry[], now: number): SQL {
  const rows = jsonRows(entries, "addressHash", "address", "reason", "source", "createdAt", "expiresAt", "note")
  return sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at, note)
    SELECT ${list}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    FROM json_each(${rows}) WHERE true ${strongerReport(now)}`
}

/**
 * The conflict clause for an entry that is added again. An expired entry is replaced. An active entry keeps its
 * creation date and the later expiry, and its note until another one comes with a reason as strong. A bounce, complaint or unsubscribe is never replaced by a weaker reason.
 */
export function strongerReport(now: number): SQL {
  const expired = sql`coalesce(suppressions.expires_at <= ${now}, false)`
  const milder = sql`(excluded.reason IN ('soft_bounce', 'manual') AND suppressions.reason NOT IN ('soft_bounce', 'manual'))`
  const strongest = (column: SQL) =>
    sql`CASE WHEN ${expired} OR NOT ${milder} THEN excluded.${column} ELSE suppressions.${column} END`
  return sql`ON CONFLICT (account_id, address_hash) DO UPDATE SET
      address = excluded.address,
      reason = ${strongest(sql`reason`)},
      source = ${strongest(sql`source`)},
      note = CASE
        WHEN ${expired} THEN excluded.note
        WHEN ${milder} THEN coalesce(suppressions.note, excluded.note)
        ELSE coalesce(excluded.note, suppressions.note) END,
      created_at = CASE WHEN ${expired} THEN excluded.created_at ELSE suppressions.created_at END,
      expires_at = CASE
        WHEN ${expired} THEN excluded.expires_at
        WHEN suppressions.expires_at IS NULL OR excluded.expires_at IS NULL THEN NULL
        ELSE max(suppressions.expires_at, excluded.expires_at) END`
}

/** Whether a row shows that the mailbox does not exist: by a hard bounce later than every report of the opposite. */
export const IS_BOUNCED = sql`(mailbox_missing_at > max(coalesce(received_at, 0), coalesce(delivered_at, 0),
  coalesce(opened_at, 0), coalesce(clicked_at, 0), coalesce(complained_at, 0), coalesce(unsubscribed_at, 0)))`

/** What a flag comes from: a suppression until `at`, a report, or an erasure that hides results until `at`. */
export interface FlagRow {
  readonly kind: "suppressed" | "received" | "bounced" | "complained" | "erased"
  readonly list: string
  readonly hash: string
  /** Unix ms; null without an end. */
  readonly at: number | null
}

/** The query for the flags of hashes on lists, as a `FlagRow` each. @param now Unix ms */
export function selectFlags(lists: readonly string[], hashes: readonly string[], now: number): SQL {
  const each = sql`json_each(${JSON.stringify(lists)}) AS l CROSS JOIN json_each(${JSON.stringify(hashes)}) AS h`
  return sql`SELECT 'suppressed' AS kind, l.value AS list, h.value AS hash, s.expires_at AS at FROM ${each}
      CROSS JOIN suppressions AS s ON s.account_id = l.value AND s.address_hash = h.value
      WHERE s.expires_at IS NULL OR s.expires_at > ${now}
    UNION ALL SELECT CASE WHEN ${IS_BOUNCED} THEN 'bounced' ELSE 'received' END, l.value, h.value, NULL FROM ${each}
      CROSS JOIN address_feedback AS f ON f.account_id = l.value AND f.address_hash = h.value
      WHERE ${IS_BOUNCED} OR f.received_at >= coalesce(f.hard_bounced_at, 0)
    UNION ALL SELECT 'complained', l.value, h.value, NULL FROM ${each}
      CROSS JOIN address_feedback AS f ON f.account_id = l.value AND f.address_hash = h.value
      WHERE f.complained_at IS NOT NULL
    UNION ALL SELECT 'erased', l.value, h.value, e.hides_until FROM ${each}
      CROSS JOIN account_erasures AS e ON e.account_id = l.value AND e.subject_hash = h.value`
}

/** Joins the rows of `selectFlags` into flags by list and hash. */
export function flagsOf(
  lists: readonly string[],
  rows: readonly FlagRow[],
): Map<string, Map<string, SuppressionFlags>> {
  const flags = new Map<string, Map<string, SuppressionFlags>>(lists.map((list) => [list, new Map()]))
  for (const { kind, list, hash, at } of rows) {
    const known = flags.get(list)?.get(hash) ?? NO_SUPPRESSION_FLAGS
    const added = {
      suppressed: { suppression: { expiresAt: at } },
      received: { isReceived: true },
      bounced: { hasBounced: true },
      complained: { hasComplained: true },
      erased: { hidesUntil: at ?? Number.POSITIVE_INFINITY },
    }[kind]
    flags.get(list)?.set(hash, { ...known, ...added })
  }
  return flags
}

/** A report about a verdict. */
interface JudgingRow {
  readonly eventKey: string
  readonly addressHash: string
  /** Time of the event, Unix milliseconds. */
  readonly at: number
  /** Of the verdict. */
  readonly verifiedAt: number | null
  readonly predictedStatus: string | null
  readonly outcome: string | null
}

/** As in `FeedbackStore.record`. */
interface Recording {
  readonly accountId: string
  readonly batch: string
  readonly appliesRepeats: boolean
}

/** The columns of `address_feedback` about the verdict that reports judge. */
export const VERDICT_COLUMNS = sql.raw("verdict_at, verdict_status, outcome, outcome_at")

/** Whether the verdict in `excluded` replaces the stored one: a newer one, or a later decisive report about it. */
const IS_LATER = sql`(address_feedback.verdict_at IS NULL OR excluded.verdict_at > address_feedback.verdict_at
  OR (excluded.verdict_at = address_feedback.verdict_at AND excluded.outcome <> 'undecided'
    AND (address_feedback.outcome = 'undecided' OR excluded.outcome_at >= address_feedback.outcome_at)))`

/** The assignments of an upsert that keep the later verdict with its outcome. */
export const KEEP_LATER_VERDICT = sql.join(
  ["verdict_at", "verdict_status", "outcome", "outcome_at"].map((name) => {
    const column = sql.raw(name)
    return sql`${column} = CASE WHEN ${IS_LATER} THEN excluded.${column} ELSE address_feedback.${column} END`
  }),
  sql`, `,
)

/**
 * The statements that judge the verdicts of these rows: they take them out of the counters, set their outcomes, and count
 * them again. They follow the writes of the samples and of `address_feedback` in one transaction.
 */
export function judgeVerdicts(given: readonly JudgingRow[], recording: Recording): SQL[] {
  const rows = given.filter(({ verifiedAt }) => verifiedAt !== null)
  if (rows.length === 0) return []
  return [withdrawOutcomes(rows, recording), setOutcomes(rows, recording), addOutcomes(rows, recording)]
}

function withdrawOutcomes(rows: readonly JudgingRow[], { accountId }: Recording): SQL {
  return sql`UPDATE verdict_outcomes SET count = count - o.n
    FROM (${countVerdicts(rows, accountId)}) AS o
    WHERE account_id = ${accountId} AND verdict_outcomes.status = o.status AND verdict_outcomes.outcome = o.outcome`
}

/** Sets the verdict of each address and its outcome, by the latest decisive row. Repeats count as in `record`. */
function setOutcomes(rows: readonly JudgingRow[], { accountId, batch, appliesRepeats }: Recording): SQL {
  const values = jsonRows(rows, "addressHash", "verifiedAt", "predictedStatus", "outcome", "at", "eventKey")
  const isDue = appliesRepeats
    ? sql`true`
    : sql`EXISTS (SELECT 1 FROM feedback WHERE event_key = value ->> 5 AND batch = ${batch})`
  return sql`INSERT INTO address_feedback (account_id, address_hash, ${VERDICT_COLUMNS})
    SELECT ${accountId}, hash, ${VERDICT_COLUMNS} FROM (
      SELECT value ->> 0 AS hash, value ->> 1 AS verdict_at, value ->> 2 AS verdict_status, value ->> 3 AS outcome,
        value ->> 4 AS outcome_at,
        row_number() OVER (PARTITION BY value ->> 0 ORDER BY value ->> 3 = 'undecided', value ->> 4 DESC, key DESC) AS place
      FROM json_each(${values}) WHERE ${isDue})
    WHERE place = 1
    ON CONFLICT (account_id, address_hash) DO UPDATE SET ${KEEP_LATER_VERDICT}`
}

function addOutcomes(rows: readonly JudgingRow[], { accountId }: Recording): SQL {
  return sql`INSERT INTO verdict_outcomes (account_id, status, outcome, count)
    SELECT ${accountId}, status, outcome, n FROM (${countVerdicts(rows, accountId)}) WHERE true
    ON CONFLICT (account_id, status, outcome) DO UPDATE SET count = verdict_outcomes.count + excluded.count`
}

/** Counts the verdicts that these rows are about, as `address_feedback` has them now. */
function countVerdicts(rows: readonly JudgingRow[], accountId: string): SQL {
  const verdicts = new Map(rows.map(({ addressHash, verifiedAt }) => [addressHash, verifiedAt]))
  return sql`SELECT f.verdict_status AS status, f.outcome AS outcome, count(*) AS n
    FROM json_each(${JSON.stringify([...verdicts])}) AS j CROSS JOIN address_feedback AS f
      ON f.account_id = ${accountId} AND f.address_hash = j.value ->> 0 AND f.verdict_at = j.value ->> 1
    GROUP BY 1, 2`
}
