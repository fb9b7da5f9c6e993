import { and, asc, eq, gte, lt, sql } from "drizzle-orm"
import {
  fleetAnswers,
  fleetCanaries,
  fleetHealth,
  fleetIps,
  fleetOutcomes,
  fleetRoutes,
  fleetSenderDomains,
  fleetTokens,
  type IpListing,
} from "../../../../schema/tables/fleet.ts"
import { rechecks } from "../../../../schema/tables/verification.ts"
import type { CanaryFinding } from "../../../../schema/vocabulary.ts"
import type { RouteName } from "../../../domain/fleet/route-stats.ts"
import { DAY_MS, dayOf } from "../../../domain/time.ts"
import type { Database } from "../database.ts"
import { countsSince, type HealthRow, type RouteCounts, type RouteRow, SLICE_MS } from "./fleet.ts"

export type Canary = typeof fleetCanaries.$inferSelect
export type PoolIp = typeof fleetIps.$inferSelect
/** Answers of an operator on a day. */
export type AnswersOfDay = typeof fleetAnswers.$inferSelect
export type SenderDomain = typeof fleetSenderDomains.$inferSelect
export interface CheckedHealth extends Omit<HealthRow, "listings" | "listingsAt"> {
  /** `checkedAt` of the stored health that this check continues; null when none was read. */
  readonly previousAt: number | null
}

const RETAINED_SLICES = 144 // a day
const ANSWER_DAYS = 30
const SLACK_MS = 3_600_000
const MAX_SEARCHED = 100_000
const TOGETHER_MS = 10_000

export function createFleetRecords(database: Database) {
  return {
    health: (): Promise<HealthRow[]> => database.select().from(fleetHealth),

    /** Saves checks. One changes nothing when another check was saved since the health that it continues was read. */
    async saveHealth(checks: readonly CheckedHealth[]) {
      if (checks.length === 0) return
      const writes = checks.map(({ previousAt, ...one }) =>
        database
          .insert(fleetHealth)
          .values(one)
          .onConflictDoUpdate({
            target: fleetHealth.nodeId,
            set: one,
            setWhere: previousAt === null ? isOld(one.checkedAt) : eq(fleetHealth.checkedAt, previousAt),
          }),
      )
      await database.batch([writes[0]!, ...writes.slice(1)])
    },

    async saveListings(nodeId: string, listings: readonly IpListing[], now: number) {
      await database.update(fleetHealth).set({ listings, listingsAt: now }).where(eq(fleetHealth.nodeId, nodeId))
    },

    routes: (): Promise<RouteRow[]> => database.select().from(fleetRoutes),

    /** Outcome counts since a time, by source IP and operator. */
    countsSince: (since: number): Promise<RouteCounts[]> => countsSince(database, Math.floor(since / SLICE_MS)),

    /** Answers by day and operator. @param day the first day, UTC, "2026-11-24" */
    answersSince: (day: string): Promise<AnswersOfDay[]> =>
      database
        .select()
        .from(fleetAnswers)
        .where(gte(fleetAnswers.day, day))
        .orderBy(asc(fleetAnswers.day), asc(fleetAnswers.operator)),

    canaries: (): Promise<Canary[]> => database.select().from(fleetCanaries).orderBy(asc(fleetCanaries.operator)),

    /** Saves canary addresses. Every source IP probes them at the next run. */
    async saveCanary(canary: Canary) {
      const { operator, ...set } = canary
      await database.batch([
        database.insert(fleetCanaries).values(canary).onConflictDoUpdate({ target: fleetCanaries.operator, set }),
        database.update(fleetRoutes).set({ canaryAt: null }).where(eq(fleetRoutes.operator, operator)),
      ])
    },

    async removeCanary(operator: string): Promise<boolean> {
      const [gone] = await database.batch([
        database.delete(fleetCanaries).where(eq(fleetCanaries.operator, operator)).returning(),
        // No later canary run would clear these findings.
        database.update(fleetRoutes).set({ canary: null, canaryAt: null }).where(eq(fleetRoutes.operator, operator)),
      ])
      return gone.length > 0
    },

    async recordCanary(
      { nodeId, sourceIp, operator }: RouteName,
      { finding, at, detail }: { finding: CanaryFinding; at: number; detail: string },
    ) {
      const set = { canary: finding, canaryAt: at, detail }
      await database
        .insert(fleetRoutes)
        .values({ nodeId, sourceIp, operator, ...set })
        .onConflictDoUpdate({ target: [fleetRoutes.nodeId, fleetRoutes.sourceIp, fleetRoutes.operator], set })
    },

    /** Addresses waiting for a retry after greylisting: of an account among the first 100,000, with null all. */
    async waiting(
      now: number,
      accountId: string | null,
    ): Promise<{ waiting: number; due: number; nextDueAt: number | null }> {
      const oldest = sql`(SELECT address, due_at FROM rechecks ORDER BY due_at LIMIT ${MAX_SEARCHED})`
      const own = sql`${oldest} AS r WHERE EXISTS (SELECT 1 FROM verified_addresses AS v
        WHERE v.account_id = ${accountId} AND v.address = lower(r.address))`
      const [row] = await database.all<{ waiting: number; due: number; nextDueAt: number | null }>(
        sql`SELECT count(*) AS waiting, count(*) FILTER (WHERE due_at <= ${now}) AS due, min(due_at) AS "nextDueAt"
          FROM ${accountId === null ? rechecks : own}`,
      )
      return row ?? { waiting: 0, due: 0, nextDueAt: null }
    },

    ips: (): Promise<PoolIp[]> => database.select().from(fleetIps).orderBy(asc(fleetIps.ip)),

    /** @returns the stored row; a first save sets its registration time */
    async saveIp(ip: PoolIp): Promise<PoolIp> {
      const set = { pool: ip.pool }
      const rows = await database
        .insert(fleetIps)
        .values(ip)
        .onConflictDoUpdate({ target: fleetIps.ip, set })
        .returning()
      return rows[0] ?? ip
    },

    async removeIp(ip: string): Promise<boolean> {
      return (await database.delete(fleetIps).where(eq(fleetIps.ip, ip)).returning()).length > 0
    },

    senderDomains: (): Promise<SenderDomain[]> =>
      database.select().from(fleetSenderDomains).orderBy(asc(fleetSenderDomains.domain)),

    /** @returns the stored row; a first save sets its registration time */
    async saveSenderDomain(checked: SenderDomain): Promise<SenderDomain> {
      const { domain, registeredAt, ...set } = checked
      const rows = await database
        .insert(fleetSenderDomains)
        .values(checked)
        .onConflictDoUpdate({ target: fleetSenderDomains.domain, set })
        .returning()
      return rows[0] ?? checked
    },

    /** Deletes obsolete rows. */
    async deleteObsolete(now: number) {
      await database.batch([
        database.delete(fleetOutcomes).where(lt(fleetOutcomes.slice, Math.floor(now / SLICE_MS) - RETAINED_SLICES)),
        database.delete(fleetAnswers).where(lt(fleetAnswers.day, dayOf(now - ANSWER_DAYS * DAY_MS))),
        database.delete(fleetTokens).where(lt(fleetTokens.expiresAt, now - SLACK_MS)),
        database
          .delete(fleetRoutes)
          .where(and(lt(fleetRoutes.openUntil, now - SLACK_MS), sql`${fleetRoutes.canary} IS NULL`)),
      ])
    },
  }
}

/** Whether the stored check is none of those that began together. Reports that are too large are stored, and not read. */
const isOld = (now: number) => sql`abs(${fleetHealth.checkedAt} - ${now}) > ${TOGETHER_MS}`
