import { and, eq, gte, type lt, ne, not, or, type SQL, sql } from "drizzle-orm"
import {
  fleetDrains,
  fleetHealth,
  fleetNodes,
  fleetOutcomes,
  fleetRoutes,
  fleetTokens,
  type NodeKey,
} from "../../../../schema/tables/fleet.ts"
import { isRepeated, MAX_NODES_OF_ACCOUNT, withKey } from "../../../domain/fleet/nodes.ts"
import type { Counts, RouteName } from "../../../domain/fleet/route-stats.ts"
import { dayOf } from "../../../domain/time.ts"
import type { Database } from "../database.ts"

export type NodeRow = typeof fleetNodes.$inferSelect
export type HealthRow = typeof fleetHealth.$inferSelect
export type DrainRow = typeof fleetDrains.$inferSelect
export type RouteRow = typeof fleetRoutes.$inferSelect
export type RouteCounts = RouteName & Counts

/** The stored state behind routing decisions, as last written by any isolate. */
export interface FleetRows {
  readonly nodes: readonly NodeRow[]
  readonly health: readonly HealthRow[]
  readonly drains: readonly DrainRow[]
  /** Routes with a problem. */
  readonly routes: readonly RouteRow[]
  /** Of the last half hour. */
  readonly counts: readonly RouteCounts[]
}

/** `full`: the account has reached its maximum number of nodes. */
type Enrolled = "enrolled" | "bad_token" | "taken" | "full"

export type FleetStore = ReturnType<typeof createFleetStore>

export type NewNode = Pick<NodeRow, "id" | "region" | "url" | "sourceIps" | "capacity" | "version"> & {
  readonly key: string
}
/** The nodes that a caller may change: an account's own, or all for the operator. */
export type Owner = { readonly accountId: string } | "operator"

export const SLICE_MS = 600_000
const RECENT_SLICES = 3

export function createFleetStore(database: Database) {
  const nodes = () => database.select().from(fleetNodes)
  const drains = () => database.select().from(fleetDrains)

  return {
    async read(now: number): Promise<FleetRows> {
      const health = (whose: SQL) => database.select().from(fleetHealth).where(whose)
      // Reports of accounts' nodes may be too large for one response.
      const ofAccounts = health(isOfAccount(fleetHealth.nodeId)).catch(() => [])
      const [nodeRows, drainRows, ofOperator, routes, counts] = await database.batch([
        nodes(),
        drains(),
        health(not(isOfAccount(fleetHealth.nodeId))),
        database
          .select()
          .from(fleetRoutes)
          .where(or(gte(fleetRoutes.openUntil, now), sql`${fleetRoutes.canary} LIKE 'blanket%'`))
          .orderBy(isOfAccount(fleetRoutes.nodeId))
          .limit(MAX_COUNTS),
        countsSince(database, Math.floor(now / SLICE_MS) - RECENT_SLICES),
      ])
      return { nodes: nodeRows, drains: drainRows, health: [...ofOperator, ...(await ofAccounts)], routes, counts }
    },

    nodes,
    drains,

    /** Drains a node, static or enrolled. A draining node keeps its first time. @returns since when, Unix ms */
    async drain(nodeId: string, now: number): Promise<number> {
      const [row] = await database
        .insert(fleetDrains)
        .values({ nodeId, drainedAt: now })
        .onConflictDoUpdate({ target: fleetDrains.nodeId, set: { drainedAt: fleetDrains.drainedAt } })
        .returning()
      return row?.drainedAt ?? now
    },

    async resume(nodeId: string) {
      await database.delete(fleetDrains).where(eq(fleetDrains.nodeId, nodeId))
    },

    async addToken(token: { digest: string; accountId: string | null; expiresAt: number }) {
      await database.insert(fleetTokens).values({ ...token, usedBy: null })
    },

    /** Whether a token exists and has not expired. It may be used. */
    async isTokenKnown(digest: string, now: number): Promise<boolean> {
      return (await database.select().from(fleetTokens).where(isKnown(digest, now))).length > 0
    },

    /**
     * Enrolls a node with an unused token, or replaces the owner's node. Replaced keys expire at `oldKeysUntil`. A used
     * token answers `enrolled` when its enrollment is repeated without a change.
     */
    async enroll(
      tokenDigest: string,
      given: NewNode,
      { now, oldKeysUntil }: { now: number; oldKeysUntil: number },
    ): Promise<Enrolled> {
      const { key, ...node } = given
      const { id, region, url, sourceIps, capacity, version } = node
      const read = () =>
        database.batch([
          database.select().from(fleetTokens).where(isKnown(tokenDigest, now)),
          database.select().from(fleetNodes).where(eq(fleetNodes.id, id)),
        ])
      const [[token], [before]] = await read()
      const decided = outcomeOf(token, before, given)
      if (decided) return decided
      const publicKeys = withKey(before?.publicKeys ?? [], { key, now, oldKeysUntil })
      const mayEnroll = isUsableFor(tokenDigest, id)
      const [, , used] = await database.batch([
        // A new URL may be another machine, so it is checked again before its first probe.
        database
          .delete(fleetHealth)
          .where(
            and(
              eq(fleetHealth.nodeId, id),
              sql`EXISTS (SELECT 1 FROM fleet_tokens WHERE ${mayEnroll})`,
              sql`NOT EXISTS (SELECT 1 FROM fleet_nodes WHERE id = ${id} AND url = ${url})`,
            ),
          ),
        database.run(sql`INSERT INTO fleet_nodes
            (id, region, url, public_keys, source_ips, capacity, version, account_id, enrolled_at, updated_at)
          SELECT ${id}, ${region}, ${url}, ${JSON.stringify(publicKeys)}, ${JSON.stringify(sourceIps)}, ${capacity},
            ${version}, account_id, ${now}, ${now} FROM fleet_tokens WHERE ${mayEnroll}
          ON CONFLICT (id) DO UPDATE SET region = excluded.region, url = excluded.url, public_keys = excluded.public_keys,
            source_ips = excluded.source_ips, capacity = excluded.capacity, version = excluded.version, updated_at = ${now}`),
        database.update(fleetTokens).set({ usedBy: id }).where(mayEnroll).returning({ digest: fleetTokens.digest }),
      ])
      if (used.length > 0) return "enrolled"
      // Another enrollment used the token, the id or the last free place meanwhile.
      const [[tokenNow], [nodeNow]] = await read()
      return outcomeOf(tokenNow, nodeNow, given) ?? "full"
    },

    /** @returns false when the owner has no such node */
    async setKeys(
      id: string,
      publicKeys: readonly NodeKey[],
      { owner, now }: { owner: Owner; now: number },
    ): Promise<boolean> {
      const set = { publicKeys, updatedAt: now }
      const changed = await database
        .update(fleetNodes)
        .set(set)
        .where(ownedBy(id, owner))
        .returning({ id: fleetNodes.id })
      return changed.length > 0
    },

    async remove(id: string, owner: Owner): Promise<boolean> {
      const removed = await database.delete(fleetNodes).where(ownedBy(id, owner)).returning({ id: fleetNodes.id })
      if (removed.length === 0) return false
      await database.batch([
        database.delete(fleetHealth).where(eq(fleetHealth.nodeId, id)),
        database.delete(fleetRoutes).where(eq(fleetRoutes.nodeId, id)),
        database.delete(fleetDrains).where(eq(fleetDrains.nodeId, id)),
      ])
      return true
    },

    /** Adds outcome counts of routes to their slice and to their day. */
    async addCounts(counts: readonly RouteCounts[], slice: number) {
      if (counts.length === 0) return
      const added = sql`json_each(${JSON.stringify(counts)})`
      const day = dayOf(slice * SLICE_MS)
      const outcomes = database.run(sql`
        INSERT INTO fleet_outcomes (node_id, source_ip, operator, slice, answered, blocked, deferred, failed, missing, total_ms)
        SELECT value ->> 'nodeId', value ->> 'sourceIp', value ->> 'operator', ${slice}, value ->> 'answered', value ->> 'blocked',
          value ->> 'deferred', value ->> 'failed', value ->> 'missing', value ->> 'totalMs'
        FROM ${added} WHERE TRUE
        ON CONFLICT DO UPDATE SET answered = answered + excluded.answered, blocked = blocked + excluded.blocked,
          deferred = deferred + excluded.deferred, failed = failed + excluded.failed, missing = missing + excluded.missing,
          total_ms = total_ms + excluded.total_ms`)
      const answers = database.run(sql`
        INSERT INTO fleet_answers (day, operator, accepted, refused, deferred, blocked)
        SELECT ${day}, value ->> 'operator', sum((value ->> 'answered') - (value ->> 'missing')), sum(value ->> 'missing'),
          sum(value ->> 'deferred'), sum(value ->> 'blocked')
        FROM ${added} GROUP BY 2 HAVING sum((value ->> 'answered') + (value ->> 'deferred') + (value ->> 'blocked')) > 0
        ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted, refused = refused + excluded.refused,
          deferred = deferred + excluded.deferred, blocked = blocked + excluded.blocked`)
      await database.batch([outcomes, answers])
    },

    async pauseRoutes(routes: readonly (RouteName & { openUntil: number })[]) {
      if (routes.length === 0) return
      await database.run(sql`
        INSERT INTO fleet_pairs (node_id, source_ip, operator, open_until)
        SELECT value ->> 'nodeId', value ->> 'sourceIp', value ->> 'operator', value ->> 'openUntil'
        FROM json_each(${JSON.stringify(routes)}) WHERE TRUE
        ON CONFLICT DO UPDATE SET open_until = max(open_until, excluded.open_until)`)
    },
  }
}

const MAX_COUNTS = 20_000

const total = (column: Parameters<typeof lt>[0]) => sql<number>`sum(${column})`

/** Outcome counts from a slice on, by source IP and operator. */
export function countsSince(database: Database, slice: number) {
  return database
    .select({
      nodeId: fleetOutcomes.nodeId,
      sourceIp: fleetOutcomes.sourceIp,
      operator: fleetOutcomes.operator,
      answered: total(fleetOutcomes.answered),
      missing: total(fleetOutcomes.missing),
      deferred: total(fleetOutcomes.deferred),
      blocked: total(fleetOutcomes.blocked),
      failed: total(fleetOutcomes.failed),
      totalMs: total(fleetOutcomes.totalMs),
    })
    .from(fleetOutcomes)
    .where(gte(fleetOutcomes.slice, slice))
    .groupBy(fleetOutcomes.nodeId, fleetOutcomes.sourceIp, fleetOutcomes.operator)
    .orderBy(isOfAccount(fleetOutcomes.nodeId))
    .limit(MAX_COUNTS)
}

/** Whether a node belongs to an account. Configured nodes are in no table. */
export function isOfAccount(nodeId: Parameters<typeof lt>[0]): SQL {
  return sql`${nodeId} IN (SELECT id FROM fleet_nodes WHERE account_id IS NOT NULL)`
}

function ownedBy(id: string, owner: Owner) {
  return owner === "operator"
    ? eq(fleetNodes.id, id)
    : and(eq(fleetNodes.id, id), eq(fleetNodes.accountId, owner.accountId), ne(fleetNodes.accountId, ""))
}

const isKnown = (digest: string, now: number) => and(eq(fleetTokens.digest, digest), gte(fleetTokens.expiresAt, now))

/** The outcome of an enrollment that writes nothing; null when the token may enroll the node. */
function outcomeOf(
  token: typeof fleetTokens.$inferSelect | undefined,
  before: NodeRow | undefined,
  given: NewNode,
): Enrolled | null {
  if (!token) return "bad_token"
  const isOwn = before?.accountId === token.accountId
  if (token.usedBy !== null)
    return before && isOwn && token.usedBy === given.id && isRepeated(before, given) ? "enrolled" : "bad_token"
  return before && !isOwn ? "taken" : null
}

/** Whether an unused token enrolls this node: its owner has the node already, or the id is free and the limit not reached. */
function isUsableFor(digest: string, id: string): SQL {
  return sql`digest = ${digest} AND used_by IS NULL AND CASE
    WHEN EXISTS (SELECT 1 FROM fleet_nodes WHERE id = ${id})
      THEN EXISTS (SELECT 1 FROM fleet_nodes WHERE id = ${id} AND account_id IS fleet_tokens.account_id)
    ELSE fleet_tokens.account_id IS NULL
      OR (SELECT count(*) FROM fleet_nodes WHERE account_id = fleet_tokens.account_id) < ${MAX_NODES_OF_ACCOUNT} END`
}
