import { and, desc, eq, inArray, lt, or, type SQL, sql } from "drizzle-orm"
import { outboundEvents, webhookAttempts, webhookEndpoints } from "../../../../schema/tables/webhooks.ts"
import type { AttemptOutcome, EventState } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

export type Delivery = typeof outboundEvents.$inferSelect
export type Attempt = typeof webhookAttempts.$inferSelect

/** An event with a delivery lease. */
export interface ClaimedEvent {
  readonly eventId: string
  readonly accountId: string | null
  readonly url: string
  readonly payload: unknown
  /** Attempts of this round, including the next one. */
  readonly attempts: number
  /** The receiver is disabled. */
  readonly isDisabled: boolean
  /** Unix milliseconds; null when the receiver is not failing. */
  readonly failingSince: number | null
}

export interface AttemptEnd {
  readonly event: ClaimedEvent
  readonly outcome: AttemptOutcome
  readonly httpStatus: number | null
  readonly startedAt: number
  readonly durationMs: number
  readonly state: EventState
  /** The next attempt of a pending event, otherwise the end of the event. Unix milliseconds. */
  readonly dueAt: number
  /** The receiver's first failure since its last success. */
  readonly failingSince: number | null
  /** The receiver gets no further events. */
  readonly disablesEndpoint: boolean
}

/** Unix milliseconds, both. */
interface LeaseTimes {
  readonly now: number
  readonly leaseUntil: number
}

/** A position in a list with the newest first. */
export type DeliveryCursor = Pick<Delivery, "createdAt" | "eventId">

interface DeliveryQuery {
  readonly limit: number
  readonly before?: DeliveryCursor | null
  readonly state?: EventState | null
  readonly endpointId?: string | null
  readonly eventId?: string | null
}

/** Rows that one statement deletes, so that none takes long. */
const DELETE_ROWS = 5_000

/** Events on their way to receivers. */
export function createWebhookDeliveryStore(database: Database) {
  return {
    /** The account at a position of the rotation, among accounts with due events; null when there is none. */
    async accountAt(place: number, now: number): Promise<string | null> {
      const rows = await database.all<{ turn: string }>(sql`SELECT turn FROM (
          SELECT ${TURN} AS turn, row_number() OVER (ORDER BY ${TURN}) - 1 AS place, count(*) OVER () AS turns
          FROM outbound_events WHERE ${isDue(now)} GROUP BY ${TURN})
        WHERE place = ${place} % turns`)
      return rows[0]?.turn ?? null
    },

    /** Due events in turn: the oldest of each account, then the next of each. @param after the last account served */
    async due(
      now: number,
      { after, limit }: { after: string; limit: number },
    ): Promise<{ eventId: string; turn: string }[]> {
      return database.all(sql`SELECT event_id AS "eventId", ${TURN} AS turn FROM outbound_events WHERE ${isDue(now)}
        ORDER BY row_number() OVER (PARTITION BY ${TURN} ORDER BY due_at), ${TURN} <= ${after}, 2 LIMIT ${limit}`)
    },

    /** Leases that event if it is due. */
    async claim({ now, leaseUntil }: LeaseTimes, eventId: string): Promise<ClaimedEvent | null> {
      const endpoint = sql`FROM webhook_endpoints AS e
        WHERE e.account_id = outbound_events.account_id AND e.url = outbound_events.url`
      const [row] = await database.all<ClaimedEvent & { payload: string }>(sql`UPDATE outbound_events
        SET due_at = ${leaseUntil}, attempts = attempts + 1 WHERE event_id = ${eventId} AND ${isDue(now)}
        RETURNING event_id AS "eventId", account_id AS "accountId", url, payload, attempts,
          (SELECT e.disabled_at ${endpoint}) IS NOT NULL AS "isDisabled",
          (SELECT e.failing_since ${endpoint}) AS "failingSince"`)
      return row ? { ...row, payload: JSON.parse(row.payload) as unknown, isDisabled: Boolean(row.isDisabled) } : null
    },

    /** Records an attempt and its consequences in one transaction. */
    async finish({ event, state, dueAt, ...end }: AttemptEnd) {
      const { eventId, accountId, url } = event
      const attempt = database.run(sql`INSERT INTO webhook_attempts
          (event_id, attempt, outcome, http_status, started_at, duration_ms)
        SELECT ${eventId}, coalesce(max(attempt), 0) + 1, ${end.outcome}, ${end.httpStatus}, ${end.startedAt},
          ${end.durationMs} FROM webhook_attempts WHERE event_id = ${eventId}`)
      const update = database
        .update(outboundEvents)
        .set({ state, dueAt })
        .where(and(eq(outboundEvents.eventId, eventId), eq(outboundEvents.state, "pending")))
      if (accountId === null) {
        await database.batch([attempt, update])
        return
      }
      const disabledAt = end.disablesEndpoint ? dueAt : null
      const receiver = and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.url, url))
      const endpoint =
        end.outcome === "delivered"
          ? // A healthy receiver has no row: an account may use another URL for each job.
            database.delete(webhookEndpoints).where(receiver)
          : database
              .insert(webhookEndpoints)
              .values({ accountId, url, failingSince: end.failingSince, disabledAt })
              .onConflictDoUpdate({
                target: [webhookEndpoints.accountId, webhookEndpoints.url],
                set: {
                  failingSince: sql`coalesce(${webhookEndpoints.failingSince}, excluded.failing_since)`,
                  // Another event may have disabled the receiver during this attempt.
                  disabledAt: sql`coalesce(${webhookEndpoints.disabledAt}, excluded.disabled_at)`,
                },
              })
      await database.batch([attempt, update, endpoint])
    },

    /** Ends an event without an attempt, because its receiver is disabled. */
    async markDisabled(eventId: string) {
      const pending = and(eq(outboundEvents.eventId, eventId), eq(outboundEvents.state, "pending"))
      await database.update(outboundEvents).set({ state: "disabled" }).where(pending)
    },

    async list(accountId: string, { limit, before, state, ...only }: DeliveryQuery): Promise<Delivery[]> {
      const { createdAt, eventId, endpointId } = outboundEvents
      const older =
        before && or(lt(createdAt, before.createdAt), and(eq(createdAt, before.createdAt), lt(eventId, before.eventId)))
      // The plus keeps the planner from the index by account, which also has the events of other endpoints.
      const ofAccount = only.endpointId ? sql`+account_id = ${accountId}` : eq(outboundEvents.accountId, accountId)
      const own = and(
        ...[ofAccount, older || undefined, state ? eq(outboundEvents.state, state) : undefined],
        ...[only.endpointId ? eq(endpointId, only.endpointId) : undefined],
        ...[only.eventId ? eq(eventId, only.eventId) : undefined],
      )
      return database.select().from(outboundEvents).where(own).orderBy(desc(createdAt), desc(eventId)).limit(limit)
    },

    async attemptsOf(eventIds: readonly string[]): Promise<Attempt[]> {
      if (eventIds.length === 0) return []
      const theirs = inArray(webhookAttempts.eventId, [...eventIds])
      return database.select().from(webhookAttempts).where(theirs).orderBy(webhookAttempts.attempt)
    },

    /** Resets an event of the account to its first attempt and enables its receiver. @returns false without an event */
    async redrive(eventId: string, accountId: string, now: number): Promise<boolean> {
      const own = and(eq(outboundEvents.eventId, eventId), eq(outboundEvents.accountId, accountId))
      const [redriven] = await database.batch([
        database.update(outboundEvents).set({ state: "pending", attempts: 0, dueAt: now }).where(own).returning(),
        database.run(sql`DELETE FROM webhook_endpoints WHERE account_id = ${accountId}
          AND url = (SELECT url FROM outbound_events WHERE event_id = ${eventId} AND account_id = ${accountId})`),
      ])
      return redriven.length === 1
    },

    /** Deletes events that ended, and attempts, before a time. */
    async deleteBefore(before: number) {
      await database.batch([
        database.run(sql`DELETE FROM webhook_attempts WHERE rowid IN (
          SELECT rowid FROM webhook_attempts WHERE started_at < ${before} LIMIT ${DELETE_ROWS})`),
        database.run(sql`DELETE FROM outbound_events WHERE rowid IN (SELECT rowid FROM outbound_events
          WHERE state IN ('delivered', 'failed', 'disabled') AND due_at < ${before} LIMIT ${DELETE_ROWS})`),
      ])
    },
  }
}

/** Anonymous callers share one turn. A turn for each of their receivers would delay the accounts. */
const TURN = sql`coalesce(account_id, '')`

function isDue(now: number): SQL {
  return sql`state = 'pending' AND due_at <= ${now}`
}

/** A new event. `endpointId`: the account's endpoint with this URL, null for a URL that was given with a list. */
export type OutboundEvent = Pick<
  Delivery,
  "eventId" | "accountId" | "type" | "url" | "endpointId" | "payload" | "createdAt"
>

export type OutboundEventStore = ReturnType<typeof createOutboundEventStore>

export function createOutboundEventStore(database: Database) {
  return {
    /** Adds events that are due at once, in one statement. A repeated id changes nothing. */
    async add(events: readonly OutboundEvent[]) {
      const rows = events.map((event) => ({ ...event, dueAt: event.createdAt }))
      await database.insert(outboundEvents).values(rows).onConflictDoNothing()
    },
  }
}
