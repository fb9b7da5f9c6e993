import { type SQL, sql } from "drizzle-orm"

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

/**
 * Whether the verdict in `excluded` replaces the stored one: a newer verdict does, and so does a later decisive report
 * about the same verdict.
 */
const IS_LATER = sql`(address_feedback.verdict_at IS NULL OR excluded.verdict_at > address_feedback.verdict_at
  OR (excluded.verdict_at = address_feedback.verdict_at AND excluded.outcome <> 'undecided'
    AND (address_feedback.outcome = 'undecided' OR excluded.outcome_at >= address_feedback.outcome_at)))`

/** The assignments of an upsert that keep the later verdict with its outcome. */
export const KEEP_LATER_VERDICT = sql.join(
  ["verdict_at", "verdict_status", "outcome", "outcome_at"]
    .map(sql.raw)
    .map(
      (column) => sql`${column} = CASE WHEN ${IS_LATER} THEN excluded.${column} ELSE address_feedback.${column} END`,
    ),
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
  const values = rows.map((row) => [
    row.addressHash,
    row.verifiedAt,
    row.predictedStatus,
    row.outcome,
    row.at,
    row.eventKey,
  ])
  const isDue = appliesRepeats
    ? sql`true`
    : sql`EXISTS (SELECT 1 FROM feedback WHERE event_key = value ->> 5 AND batch = ${batch})`
  return sql`INSERT INTO address_feedback (account_id, address_hash, ${VERDICT_COLUMNS})
    SELECT ${accountId}, hash, ${VERDICT_COLUMNS} FROM (
      SELECT value ->> 0 AS hash, value ->> 1 AS verdict_at, value ->> 2 AS verdict_status, value ->> 3 AS outcome,
        value ->> 4 AS outcome_at,
        row_number() OVER (PARTITION BY value ->> 0 ORDER BY value ->> 3 = 'undecided', value ->> 4 DESC, key DESC) AS place
      FROM json_each(${JSON.stringify(values)}) WHERE ${isDue})
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
