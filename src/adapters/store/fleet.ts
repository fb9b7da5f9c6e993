import { and, eq, gte, isNull, type lt, ne, not, or, type SQL, sql } from "drizzle-orm"
import {
  fleetHealth,
  fleetNodes,
  fleetOutcomes,
  fleetPairs,
  fleetTokens,
  type NodeKey,
} from "../../../schema/tables/fleet.ts"
import type { Counts, PairName } from "../../domain/fleet/pair.ts"
import type { Database } from "./database.ts"

export type NodeRow = typeof fleetNodes.$inferSelect
export type HealthRow = typeof fleetHealth.$inferSelect
export type PairRow = typeof fleetPairs.$inferSelect
export type PairCounts = PairName & Counts

/** Everything a choice among nodes goes by, as last written by anybody. */
export interface FleetRows {
  readonly nodes: readonly NodeRow[]
  readonly health: readonly HealthRow[]
  /** Pairs that something is the matter with. */
  readonly pairs: readonly PairRow[]
  /** Of the last half hour. */
  readonly counts: readonly PairCounts[]
}

/** `full`: the account has as many nodes as it may have. */
type Enrolled = "enrolled" | "bad_token" | "taken" | "full"

export interface FleetStore {
  read(now: number): Promise<FleetRows>
  nodes(): Promise<NodeRow[]>
  addToken(token: { digest: string; accountId: string | null; expiresAt: number }): Promise<void>
  isTokenGood(digest: string, now: number): Promise<boolean>
  /** Enters a node by a token, or again what is its own; keys that are no longer shown run out at `oldKeysUntil`. */
  enrol(tokenDigest: string, node: NewNode, times: { now: number; oldKeysUntil: number }): Promise<Enrolled>
  /** @returns false when there is none of that owner */
  setKeys(id: string, keys: readonly NodeKey[], by: { owner: Owner; now: number }): Promise<boolean>
  remove(id: string, owner: Owner): Promise<boolean>
  /** Adds to what operators said, and notes pairs to be held back. */
  addCounts(counts: readonly PairCounts[], slice: number): Promise<void>
  hold(pairs: readonly (PairName & { openUntil: number })[]): Promise<void>
}

export type NewNode = Pick<NodeRow, "id" | "region" | "url" | "sourceIps" | "capacity" | "version"> & {
  readonly key: string
}
/** Whose nodes may be touched: an account's own, or everybody's for the operator. */
export type Owner = { readonly accountId: string } | "operator"

/** Each is looked at every minute. The operator's own are not counted. */
export const MAX_NODES_OF_ACCOUNT = 20
export const SLICE_MS = 600_000
const RECENT_SLICES = 3

export function createFleetStore(database: Database): FleetStore {
  const nodes = () => database.select().from(fleetNodes)

  return {
    async read(now) {
      const since = Math.floor(now / SLICE_MS) - RECENT_SLICES
      const health = (whose: SQL) => database.select().from(fleetHealth).where(whose)
      // What accounts' nodes say of themselves may be too much to read.
      const ofAccounts = health(isOfAccount(fleetHealth.nodeId)).catch(() => [])
      const [nodeRows, ofOperator, pairs, counts] = await database.batch([
        nodes(),
        health(not(isOfAccount(fleetHealth.nodeId))),
        database
          .select()
          .from(fleetPairs)
          .where(or(gte(fleetPairs.openUntil, now), sql`${fleetPairs.canary} LIKE 'blanket%'`))
          .orderBy(isOfAccount(fleetPairs.nodeId))
          .limit(MAX_COUNTS),
        database
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
          .where(gte(fleetOutcomes.slice, since))
          .groupBy(fleetOutcomes.nodeId, fleetOutcomes.sourceIp, fleetOutcomes.operator)
          .orderBy(isOfAccount(fleetOutcomes.nodeId))
          .limit(MAX_COUNTS),
      ])
      return { nodes: nodeRows, health: [...ofOperator, ...(await ofAccounts)], pairs, counts }
    },

    nodes,

    async addToken(token) {
      await database.insert(fleetTokens).values({ ...token, usedBy: null })
    },

    async isTokenGood(digest, now) {
      const isGood = and(eq(fleetTokens.digest, digest), gte(fleetTokens.expiresAt, now))
      return (await database.select({ digest: fleetTokens.digest }).from(fleetTokens).where(isGood)).length > 0
    },

    async enrol(tokenDigest, { key, ...node }, { now, oldKeysUntil }) {
      const isGood = and(
        eq(fleetTokens.digest, tokenDigest),
        gte(fleetTokens.expiresAt, now),
        or(isNull(fleetTokens.usedBy), eq(fleetTokens.usedBy, node.id)),
      )
      const [token] = await database.select().from(fleetTokens).where(isGood)
      if (!token) return "bad_token"
      const [before] = await database.select().from(fleetNodes).where(eq(fleetNodes.id, node.id))
      if (before && before.accountId !== token.accountId) return "taken"
      const publicKeys = withKey(before?.publicKeys ?? [], { key, now, oldKeysUntil })
      const { id, region, url, sourceIps, capacity, version } = node
      const { accountId } = token
      const hasRoom = roomFor(id)
      const [used] = await database.batch([
        database
          .update(fleetTokens)
          .set({ usedBy: id })
          .where(and(isGood, hasRoom))
          .returning({ digest: fleetTokens.digest }),
        database.run(sql`INSERT INTO fleet_nodes
            (id, region, url, public_keys, source_ips, capacity, version, account_id, enrolled_at, updated_at)
          SELECT ${id}, ${region}, ${url}, ${JSON.stringify(publicKeys)}, ${JSON.stringify(sourceIps)}, ${capacity},
            ${version}, account_id, ${now}, ${now} FROM fleet_tokens WHERE digest = ${tokenDigest} AND used_by = ${id} AND ${hasRoom}
          ON CONFLICT (id) DO UPDATE SET region = excluded.region, url = excluded.url, public_keys = excluded.public_keys,
            source_ips = excluded.source_ips, capacity = excluded.capacity, version = excluded.version, updated_at = ${now}
            WHERE account_id IS ${accountId}`),
        // Another URL may be another machine: it is looked at anew before it is asked.
        database
          .delete(fleetHealth)
          .where(and(eq(fleetHealth.nodeId, id), before?.url === url ? sql`FALSE` : sql`TRUE`)),
      ])
      if (used.length > 0) return "enrolled"
      // The token is what it was, unless another node has been quicker with it.
      return (await database.select().from(fleetTokens).where(isGood)).length > 0 ? "full" : "bad_token"
    },

    async setKeys(id, publicKeys, { owner, now }) {
      const set = { publicKeys, updatedAt: now }
      const changed = await database
        .update(fleetNodes)
        .set(set)
        .where(ownedBy(id, owner))
        .returning({ id: fleetNodes.id })
      return changed.length > 0
    },

    async remove(id, owner) {
      const gone = await database.delete(fleetNodes).where(ownedBy(id, owner)).returning({ id: fleetNodes.id })
      if (gone.length === 0) return false
      await database.batch([
        database.delete(fleetHealth).where(eq(fleetHealth.nodeId, id)),
        database.delete(fleetPairs).where(eq(fleetPairs.nodeId, id)),
      ])
      return true
    },

    async addCounts(counts, slice) {
      if (counts.length === 0) return
      await database.run(sql`
        INSERT INTO fleet_outcomes (node_id, source_ip, operator, slice, answered, blocked, deferred, failed, missing, total_ms)
        SELECT value ->> 'nodeId', value ->> 'sourceIp', value ->> 'operator', ${slice}, value ->> 'answered', value ->> 'blocked',
          value ->> 'deferred', value ->> 'failed', value ->> 'missing', value ->> 'totalMs'
        FROM json_each(${JSON.stringify(counts)}) WHERE TRUE
        ON CONFLICT DO UPDATE SET answered = answered + excluded.answered, blocked = blocked + excluded.blocked,
          deferred = deferred + excluded.deferred, failed = failed + excluded.failed, missing = missing + excluded.missing,
          total_ms = total_ms + excluded.total_ms`)
    },

    async hold(pairs) {
      if (pairs.length === 0) return
      await database.run(sql`
        INSERT INTO fleet_pairs (node_id, source_ip, operator, open_until)
        SELECT value ->> 'nodeId', value ->> 'sourceIp', value ->> 'operator', value ->> 'openUntil'
        FROM json_each(${JSON.stringify(pairs)}) WHERE TRUE
        ON CONFLICT DO UPDATE SET open_until = max(open_until, excluded.open_until)`)
    },
  }
}

const MAX_COUNTS = 20_000
const MAX_KEYS = 2

const total = (column: Parameters<typeof lt>[0]) => sql<number>`sum(${column})`

/** Whether a node is an account's; those of the settings are in no table. */
export function isOfAccount(nodeId: Parameters<typeof lt>[0]): SQL {
  return sql`${nodeId} IN (SELECT id FROM fleet_nodes WHERE account_id IS NOT NULL)`
}

function ownedBy(id: string, owner: Owner) {
  return owner === "operator"
    ? eq(fleetNodes.id, id)
    : and(eq(fleetNodes.id, id), eq(fleetNodes.accountId, owner.accountId), ne(fleetNodes.accountId, ""))
}

/** Whether the owner of a token of `fleet_tokens` may have this node: theirs already, or one more is not too many. */
function roomFor(id: string) {
  return sql`(fleet_tokens.account_id IS NULL
    OR EXISTS (SELECT 1 FROM fleet_nodes WHERE id = ${id} AND account_id = fleet_tokens.account_id)
    OR (SELECT count(*) FROM fleet_nodes WHERE account_id = fleet_tokens.account_id) < ${MAX_NODES_OF_ACCOUNT})`
}

/** The new key first; the one before it stays good for a while, so that nothing fails while a node changes over. */
export function withKey(
  keys: readonly NodeKey[],
  { key, now, oldKeysUntil }: { key: string; now: number; oldKeysUntil: number },
): NodeKey[] {
  const others = keys
    .filter((one) => one.key !== key && (one.notAfter === null || one.notAfter > now))
    .map((one) => ({ ...one, notAfter: Math.min(one.notAfter ?? Number.POSITIVE_INFINITY, oldKeysUntil) }))
  return [{ key, notAfter: null }, ...others].slice(0, MAX_KEYS)
}
