import { and, desc, eq, gt, lt, or, sql } from "drizzle-orm"
import { integrationEvents, integrationSyncs, integrations } from "../../../../schema/tables/integrations.ts"
import type { IntegrationProvider } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

export type Integration = typeof integrations.$inferSelect
export type IntegrationEvent = typeof integrationEvents.$inferSelect

/** Recent outcomes of an integration. */
export interface EventCounts {
  readonly integrationId: string
  readonly succeeded: number
  readonly failed: number
}

/** When the provider last answered an integration as it should, and its last failure. Null without one. */
export interface LastEvents {
  readonly integrationId: string
  /** Unix milliseconds. */
  readonly lastAnswerAt: number | null
  readonly lastFailure: Pick<IntegrationEvent, "createdAt" | "outcome" | "httpStatus" | "detail"> | null
}

/** As the partial index has it. A page whose results were rejected was read before. */
const HAS_ANSWER = sql.raw("e.kind <> 'sync_started' AND (e.outcome = 'ok' OR e.contacts > 0)")

export function createIntegrationStore(database: Database) {
  return {
    /** @returns false when the account already has `most` integrations */
    async add(integration: Integration, most: number): Promise<boolean> {
      const { integrationId, accountId, provider, name, sealed, sealKeyId, settings, createdAt } = integration
      const added = await database.all(sql`INSERT INTO integrations
          (integration_id, account_id, provider, name, sealed, seal_key_id, settings, created_at)
        SELECT ${integrationId}, ${accountId}, ${provider}, ${name}, ${sealed}, ${sealKeyId},
          ${JSON.stringify(settings)}, ${createdAt}
        WHERE (SELECT count(*) FROM integrations WHERE account_id = ${accountId}) < ${most}
        RETURNING integration_id`)
      return added.length === 1
    },

    /** An integration of that account; null for an unknown one and for another account's. */
    async find(integrationId: string, accountId: string): Promise<Integration | null> {
      const own = and(eq(integrations.integrationId, integrationId), eq(integrations.accountId, accountId))
      return (await database.select().from(integrations).where(own))[0] ?? null
    },

    /** Newest first. */
    async list(accountId: string, provider?: IntegrationProvider): Promise<Integration[]> {
      const own = and(eq(integrations.accountId, accountId), provider && eq(integrations.provider, provider))
      return database
        .select()
        .from(integrations)
        .where(own)
        .orderBy(desc(integrations.createdAt), desc(integrations.integrationId))
    },

    /** Deletes it with its syncs and its log. @returns false when there is none */
    async remove(integrationId: string, accountId: string): Promise<boolean> {
      const own = and(eq(integrations.integrationId, integrationId), eq(integrations.accountId, accountId))
      const [removed] = await database.batch([
        database.delete(integrations).where(own).returning({ integrationId: integrations.integrationId }),
        database
          .delete(integrationSyncs)
          .where(and(eq(integrationSyncs.integrationId, integrationId), eq(integrationSyncs.accountId, accountId))),
        database
          .delete(integrationEvents)
          .where(and(eq(integrationEvents.integrationId, integrationId), eq(integrationEvents.accountId, accountId))),
      ])
      return removed.length === 1
    },

    /** @param expected the value to replace: a changed value stays; null replaces any value */
    async reseal(
      integrationId: string,
      sealed: Pick<Integration, "sealed" | "sealKeyId">,
      instead: Integration["sealed"] | null,
    ) {
      const unchanged = instead === null ? undefined : eq(integrations.sealed, instead)
      await database
        .update(integrations)
        .set(sealed)
        .where(and(eq(integrations.integrationId, integrationId), unchanged))
    },

    /** Integrations with credentials sealed under another key. */
    async sealedOtherwise(sealKeyId: string, limit: number): Promise<Integration[]> {
      // Two index ranges, in random order: credentials that cannot be unsealed must not block the others.
      const otherwise = or(lt(integrations.sealKeyId, sealKeyId), gt(integrations.sealKeyId, sealKeyId))
      return database.select().from(integrations).where(otherwise).orderBy(sql`random()`).limit(limit)
    },

    async record(event: IntegrationEvent) {
      await database.insert(integrationEvents).values(event)
    },

    /** Newest first. */
    async events(
      integrationId: string,
      {
        limit,
        before,
      }: { readonly limit: number; readonly before: Pick<IntegrationEvent, "createdAt" | "eventId"> | null },
    ): Promise<IntegrationEvent[]> {
      const { createdAt, eventId } = integrationEvents
      const older =
        before && or(lt(createdAt, before.createdAt), and(eq(createdAt, before.createdAt), lt(eventId, before.eventId)))
      return database
        .select()
        .from(integrationEvents)
        .where(and(eq(integrationEvents.integrationId, integrationId), older ?? undefined))
        .orderBy(desc(createdAt), desc(eventId))
        .limit(limit)
    },

    /** Counts the events of requests to the provider. The start of a sync makes none. */
    async eventCounts(accountId: string, since: number): Promise<EventCounts[]> {
      return database.all<EventCounts>(
        sql`SELECT integration_id AS "integrationId", sum(outcome = 'ok') AS succeeded, sum(outcome <> 'ok') AS failed
          FROM integration_events WHERE account_id = ${accountId} AND created_at >= ${since} AND kind <> 'sync_started'
          GROUP BY integration_id`,
      )
    },

    /** Of each integration of the account. */
    async lastEvents(accountId: string): Promise<LastEvents[]> {
      const rows = await database.all<{ integrationId: string; lastAnswerAt: number | null; failure: string | null }>(
        sql`SELECT i.integration_id AS "integrationId",
            (SELECT max(e.created_at) FROM integration_events AS e
              WHERE e.integration_id = i.integration_id AND ${HAS_ANSWER}) AS "lastAnswerAt",
            (SELECT json_object('createdAt', e.created_at, 'outcome', e.outcome, 'httpStatus', e.http_status,
                'detail', e.detail)
              FROM integration_events AS e WHERE e.integration_id = i.integration_id AND e.outcome <> 'ok'
              ORDER BY e.created_at DESC, e.event_id DESC LIMIT 1) AS failure
          FROM integrations AS i WHERE i.account_id = ${accountId}`,
      )
      return rows.map(({ failure, ...row }) => ({
        ...row,
        lastFailure: failure === null ? null : (JSON.parse(failure) as LastEvents["lastFailure"]),
      }))
    },
  }
}
