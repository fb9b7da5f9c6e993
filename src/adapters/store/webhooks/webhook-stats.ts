import { sql } from "drizzle-orm"
import type { AttemptOutcome, EventState } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

/** Statistics of one receiver. Unix milliseconds throughout. */
export interface EndpointStats {
  readonly accountId: string | null
  readonly url: string
  readonly events: Readonly<Record<EventState, number>>
  readonly failingSince: number | null
  readonly disabledAt: number | null
  readonly lastAttemptAt: number | null
  readonly lastOutcome: AttemptOutcome | null
  readonly lastHttpStatus: number | null
  /** The next attempt of any of its events. */
  readonly nextAttemptAt: number | null
}

export interface WebhookStatsStore {
  /** The most recent receivers among the newest 200,000 events, of one account or of all. */
  endpoints(accountId: string | null, limit: number): Promise<EndpointStats[]>
  /** Number of attempts since a time, by outcome. */
  outcomes(accountId: string | null, since: number): Promise<{ outcome: AttemptOutcome; count: number }[]>
}

const MAX_EVENTS = 200_000

export function createWebhookStatsStore(database: Database): WebhookStatsStore {
  return {
    async endpoints(accountId, limit) {
      const newest = accountId === null ? sql`ORDER BY rowid` : sql`WHERE account_id = ${accountId} ORDER BY created_at`
      const rows = await database.all<EndpointRow>(sql`
        WITH e AS MATERIALIZED (SELECT event_id, account_id, url, state, created_at, due_at
            FROM outbound_events ${newest} DESC LIMIT ${MAX_EVENTS}),
          g AS MATERIALIZED (SELECT account_id, url, max(created_at) AS latest,
            sum(state = 'pending') AS pending, sum(state = 'delivered') AS delivered,
            sum(state = 'failed') AS failed, sum(state = 'disabled') AS disabled,
            min(CASE WHEN state = 'pending' THEN due_at END) AS next_at
            FROM e GROUP BY account_id, url ORDER BY latest DESC LIMIT ${limit}),
          -- The other columns are those of the row with the greatest: SQLite says so of max().
          a AS MATERIALIZED (SELECT e.account_id, e.url, max(started_at) AS started_at, outcome, http_status
            FROM e CROSS JOIN webhook_attempts AS a ON a.event_id = e.event_id GROUP BY e.account_id, e.url)
        SELECT g.*, p.failing_since, p.disabled_at, a.started_at, a.outcome, a.http_status FROM g
        LEFT JOIN webhook_endpoints AS p ON p.account_id = g.account_id AND p.url = g.url
        LEFT JOIN a ON a.account_id IS g.account_id AND a.url = g.url
        ORDER BY g.latest DESC`)
      return rows.map(toStats)
    },

    async outcomes(accountId, since) {
      const own = accountId === null ? sql`true` : sql`o.account_id = ${accountId}`
      return database.all(sql`SELECT a.outcome, count(*) AS count FROM webhook_attempts AS a
        JOIN outbound_events AS o ON o.event_id = a.event_id
        WHERE ${own} AND a.started_at >= ${since} GROUP BY a.outcome`)
    },
  }
}

interface EndpointRow {
  readonly account_id: string | null
  readonly url: string
  readonly pending: number
  readonly delivered: number
  readonly failed: number
  readonly disabled: number
  readonly next_at: number | null
  readonly failing_since: number | null
  readonly disabled_at: number | null
  readonly started_at: number | null
  readonly outcome: AttemptOutcome | null
  readonly http_status: number | null
}

function toStats(row: EndpointRow): EndpointStats {
  const { pending, delivered, failed, disabled } = row
  return {
    accountId: row.account_id,
    url: row.url,
    events: { pending, delivered, failed, disabled },
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    lastAttemptAt: row.started_at,
    lastOutcome: row.outcome,
    lastHttpStatus: row.http_status,
    nextAttemptAt: row.next_at,
  }
}
