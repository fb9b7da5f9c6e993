import { and, desc, eq, gt, isNull, notInArray, or, sql } from "drizzle-orm"
import {
  outboundEvents,
  webhookEndpoints,
  webhookSecrets,
  webhookSubscriptions,
} from "../../../../schema/tables/webhooks.ts"
import type { AttemptOutcome, EventState } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

/** An endpoint that an account added. Unix milliseconds throughout. */
type Subscription = typeof webhookSubscriptions.$inferSelect

/** An endpoint with the state of its deliveries. Unix milliseconds throughout. */
export interface WatchedSubscription extends Subscription {
  readonly failingSince: number | null
  readonly disabledAt: number | null
  /** The newest attempt among its newest events; null without one. */
  readonly lastAttemptAt: number | null
  readonly lastOutcome: AttemptOutcome | null
  readonly lastHttpStatus: number | null
}

export type SubscriptionChange = Partial<Pick<Subscription, "events" | "description" | "pausedAt">>

interface Which {
  readonly accountId: string
  readonly endpointId: string
}

/** Newest events of an endpoint among which its last attempt is searched. */
const RECENT_EVENTS = 20

export function createWebhookSubscriptionStore(database: Database) {
  const own = ({ accountId, endpointId }: Which) =>
    and(eq(webhookSubscriptions.accountId, accountId), eq(webhookSubscriptions.endpointId, endpointId))
  const clearFailures = ({ accountId, endpointId }: Which) =>
    database
      .delete(webhookEndpoints)
      .where(
        and(
          eq(webhookEndpoints.accountId, accountId),
          sql`url = (SELECT url FROM webhook_subscriptions WHERE endpoint_id = ${endpointId} AND account_id = ${accountId})`,
        ),
      )

  return {
    /** The account's endpoints. */
    async list(accountId: string): Promise<Subscription[]> {
      return database.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.accountId, accountId))
    },

    /** The account's endpoints with their state, the oldest first. */
    async watch(accountId: string): Promise<WatchedSubscription[]> {
      const rows = await database.all<Omit<WatchedSubscription, "events"> & { events: string }>(sql`
        SELECT s.endpoint_id AS "endpointId", s.account_id AS "accountId", s.url, s.events, s.description,
          s.created_at AS "createdAt", s.paused_at AS "pausedAt", p.failing_since AS "failingSince",
          p.disabled_at AS "disabledAt", a.started_at AS "lastAttemptAt", a.outcome AS "lastOutcome",
          a.http_status AS "lastHttpStatus"
        FROM webhook_subscriptions AS s
        LEFT JOIN webhook_endpoints AS p ON p.account_id = s.account_id AND p.url = s.url
        LEFT JOIN webhook_attempts AS a ON a.rowid = (SELECT t.rowid FROM webhook_attempts AS t
          WHERE t.event_id IN (SELECT event_id FROM outbound_events
            WHERE endpoint_id = s.endpoint_id ORDER BY created_at DESC LIMIT ${RECENT_EVENTS})
          ORDER BY t.started_at DESC LIMIT 1)
        WHERE s.account_id = ${accountId} ORDER BY s.created_at, s.endpoint_id`)
      return rows.map((row) => ({ ...row, events: JSON.parse(row.events) as Subscription["events"] }))
    },

    /** Adds an endpoint. @returns "full" at the limit, and "taken" when the account has an endpoint with this URL */
    async add(
      { endpointId, accountId, url, events, description, createdAt }: Subscription,
      max: number,
    ): Promise<"added" | "full" | "taken"> {
      const [added, used] = await database.batch([
        database.all(sql`INSERT INTO webhook_subscriptions
            (endpoint_id, account_id, url, events, description, created_at)
          SELECT ${endpointId}, ${accountId}, ${url}, ${JSON.stringify(events)}, ${description}, ${createdAt}
          WHERE (SELECT count(*) FROM webhook_subscriptions WHERE account_id = ${accountId}) < ${max}
          ON CONFLICT DO NOTHING RETURNING endpoint_id`),
        database.all(sql`SELECT 1 FROM webhook_subscriptions WHERE account_id = ${accountId} AND url = ${url}`),
      ])
      return added.length === 1 ? "added" : used.length === 1 ? "taken" : "full"
    },

    /** Changes an endpoint, if it exists. @param enables also ends its failing state */
    async change(which: Which, change: SubscriptionChange, enables: boolean) {
      if (Object.keys(change).length === 0) return
      await database.batch([
        database.update(webhookSubscriptions).set(change).where(own(which)),
        ...(enables ? [clearFailures(which)] : []),
      ])
    },

    /** Enables a failing or disabled endpoint again. */
    async enable(which: Which) {
      await clearFailures(which)
    },

    /** Removes an endpoint. Its waiting events are not sent anymore. @returns false without such an endpoint */
    async remove(which: Which): Promise<boolean> {
      const waiting = and(
        eq(outboundEvents.endpointId, which.endpointId),
        eq(outboundEvents.accountId, which.accountId),
        eq(outboundEvents.state, "pending"),
      )
      const [, , removed] = await database.batch([
        database.update(outboundEvents).set({ state: "disabled" }).where(waiting),
        clearFailures(which),
        database.delete(webhookSubscriptions).where(own(which)).returning(),
      ])
      return removed.length === 1
    },
  }
}

export type WebhookSecret = typeof webhookSecrets.$inferSelect
export type NewWebhookSecret = Pick<WebhookSecret, "secretId" | "accountId" | "sealed" | "createdAt">

export function createWebhookSecretStore(database: Database) {
  const { accountId, createdAt, expiresAt, secretId, shownAt } = webhookSecrets
  const inUse = (account: string, now: number) => and(eq(accountId, account), or(isNull(expiresAt), gt(expiresAt, now)))

  return {
    /** The account's active secrets, the newest first. */
    async list(account: string, now: number): Promise<WebhookSecret[]> {
      return database.select().from(webhookSecrets).where(inUse(account, now)).orderBy(desc(createdAt), desc(secretId))
    },

    /** Adds a secret that was not shown yet, unless the account has an active one; `unreadable` ones do not count. */
    async addFirst(secret: NewWebhookSecret, unreadable: readonly string[]) {
      const others = and(inUse(secret.accountId, secret.createdAt), notInArray(secretId, [...unreadable]))
      await database.run(sql`INSERT INTO webhook_secrets (secret_id, account_id, sealed, created_at)
        SELECT ${secret.secretId}, ${secret.accountId}, ${secret.sealed}, ${secret.createdAt}
        WHERE NOT EXISTS (SELECT 1 FROM webhook_secrets WHERE ${others})`)
    },

    /** Adds a secret and marks it as shown. All other active secrets without an expiry expire, in one transaction. */
    async rotate(secret: NewWebhookSecret, othersExpireAt: number) {
      const endless = and(eq(accountId, secret.accountId), isNull(expiresAt))
      await database.batch([
        database.update(webhookSecrets).set({ expiresAt: othersExpireAt }).where(endless),
        database.insert(webhookSecrets).values({ ...secret, shownAt: secret.createdAt }),
      ])
    },

    /** Marks a secret as shown. @returns false when it was shown before */
    async markShown(id: string, now: number): Promise<boolean> {
      const unseen = and(eq(secretId, id), isNull(shownAt))
      const marked = await database.update(webhookSecrets).set({ shownAt: now }).where(unseen).returning()
      return marked.length === 1
    },
  }
}

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

const MAX_EVENTS = 200_000

export function createWebhookStatsStore(database: Database) {
  return {
    /** The most recent receivers among the newest 200,000 events, of one account or of all. */
    async endpoints(accountId: string | null, limit: number): Promise<EndpointStats[]> {
      const newest = accountId === null ? sql`ORDER BY rowid` : sql`WHERE account_id = ${accountId} ORDER BY created_at`
      const rows = await database.all<Omit<EndpointStats, "events"> & EndpointStats["events"]>(sql`
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
        SELECT g.account_id AS "accountId", g.url, g.pending, g.delivered, g.failed, g.disabled,
          g.next_at AS "nextAttemptAt", p.failing_since AS "failingSince", p.disabled_at AS "disabledAt",
          a.started_at AS "lastAttemptAt", a.outcome AS "lastOutcome", a.http_status AS "lastHttpStatus" FROM g
        LEFT JOIN webhook_endpoints AS p ON p.account_id = g.account_id AND p.url = g.url
        LEFT JOIN a ON a.account_id IS g.account_id AND a.url = g.url
        ORDER BY g.latest DESC`)
      return rows.map(({ pending, delivered, failed, disabled, ...row }) => ({
        ...row,
        events: { pending, delivered, failed, disabled },
      }))
    },

    /** Number of attempts since a time, by outcome. */
    async outcomes(accountId: string | null, since: number): Promise<{ outcome: AttemptOutcome; count: number }[]> {
      const own = accountId === null ? sql`true` : sql`o.account_id = ${accountId}`
      return database.all(sql`SELECT a.outcome, count(*) AS count FROM webhook_attempts AS a
        JOIN outbound_events AS o ON o.event_id = a.event_id
        WHERE ${own} AND a.started_at >= ${since} GROUP BY a.outcome`)
    },
  }
}
