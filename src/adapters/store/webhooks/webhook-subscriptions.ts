import { and, eq, sql } from "drizzle-orm"
import { outboundEvents } from "../../../../schema/tables/outbound-events.ts"
import { webhookEndpoints, webhookSubscriptions } from "../../../../schema/tables/webhooks.ts"
import type { AttemptOutcome } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

/** An endpoint that an account added. Unix milliseconds throughout. */
export type Subscription = typeof webhookSubscriptions.$inferSelect

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

export interface WebhookSubscriptionStore {
  /** The account's endpoints. */
  list(accountId: string): Promise<Subscription[]>
  /** The account's endpoints with their state, the oldest first. */
  watch(accountId: string): Promise<WatchedSubscription[]>
  /** Adds an endpoint. @returns "full" at the limit, and "taken" when the account has an endpoint with this URL */
  add(endpoint: Subscription, max: number): Promise<"added" | "full" | "taken">
  /** Changes an endpoint, if it exists. @param enables also ends its failing state */
  change(which: Which, change: SubscriptionChange, enables: boolean): Promise<void>
  /** Enables a failing or disabled endpoint again. */
  enable(which: Which): Promise<void>
  /** Removes an endpoint. Its waiting events are not sent anymore. @returns false without such an endpoint */
  remove(which: Which): Promise<boolean>
}

/** Newest events of an endpoint among which its last attempt is searched. */
const RECENT_EVENTS = 20

export function createWebhookSubscriptionStore(database: Database): WebhookSubscriptionStore {
  const own = ({ accountId, endpointId }: Which) =>
    and(eq(webhookSubscriptions.accountId, accountId), eq(webhookSubscriptions.endpointId, endpointId))
  const forgetFailures = ({ accountId, endpointId }: Which) =>
    database
      .delete(webhookEndpoints)
      .where(
        and(
          eq(webhookEndpoints.accountId, accountId),
          sql`url = (SELECT url FROM webhook_subscriptions WHERE endpoint_id = ${endpointId} AND account_id = ${accountId})`,
        ),
      )

  return {
    async list(accountId) {
      return database.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.accountId, accountId))
    },

    async watch(accountId) {
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

    async add({ endpointId, accountId, url, events, description, createdAt }, max) {
      const [added, taken] = await database.batch([
        database.all(sql`INSERT INTO webhook_subscriptions
            (endpoint_id, account_id, url, events, description, created_at)
          SELECT ${endpointId}, ${accountId}, ${url}, ${JSON.stringify(events)}, ${description}, ${createdAt}
          WHERE (SELECT count(*) FROM webhook_subscriptions WHERE account_id = ${accountId}) < ${max}
          ON CONFLICT DO NOTHING RETURNING endpoint_id`),
        database.all(sql`SELECT 1 FROM webhook_subscriptions WHERE account_id = ${accountId} AND url = ${url}`),
      ])
      return added.length === 1 ? "added" : taken.length === 1 ? "taken" : "full"
    },

    async change(which, change, enables) {
      if (Object.keys(change).length === 0) return
      await database.batch([
        database.update(webhookSubscriptions).set(change).where(own(which)),
        ...(enables ? [forgetFailures(which)] : []),
      ])
    },

    async enable(which) {
      await forgetFailures(which)
    },

    async remove(which) {
      const waiting = and(
        eq(outboundEvents.endpointId, which.endpointId),
        eq(outboundEvents.accountId, which.accountId),
        eq(outboundEvents.state, "pending"),
      )
      const [, , removed] = await database.batch([
        database.update(outboundEvents).set({ state: "disabled" }).where(waiting),
        forgetFailures(which),
        database.delete(webhookSubscriptions).where(own(which)).returning(),
      ])
      return removed.length === 1
    },
  }
}
