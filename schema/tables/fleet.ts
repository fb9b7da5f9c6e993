import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { CANARY_FINDINGS, HEALTH_STATES } from "../vocabulary.ts"
import type { NodeHealth } from "../wire/health.ts"

/** A public key of a node. Two are valid during a key rotation. */
export interface NodeKey {
  /** `<keyid>:<base64url>` (schema/wire/keys.ts). */
  readonly key: string
  /** Unix milliseconds; null: valid until it is replaced. */
  readonly notAfter: number | null
}

/** Enrolled nodes. Nodes of PROBE_NODES are settings and have no row here. */
export const fleetNodes = sqliteTable(
  "fleet_nodes",
  {
    id: text().primaryKey(),
    region: text().notNull(),
    url: text().notNull(),
    publicKeys: text({ mode: "json" }).$type<readonly NodeKey[]>().notNull(),
    sourceIps: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** Concurrent SMTP sessions. */
    capacity: integer().notNull(),
    version: text().notNull(),
    /** The only account that the node serves; null: shared. */
    accountId: text(),
    enrolledAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (table) => [index("fleet_nodes_account").on(table.accountId)],
)

/** Tokens that allow the enrollment of one node, by the digest of their secret. */
export const fleetTokens = sqliteTable("fleet_tokens", {
  digest: text().primaryKey(),
  accountId: text(),
  expiresAt: integer().notNull(),
  /** The node that it enrolled; null: unused. */
  usedBy: text(),
})

/** Blocklists that list a source IP. */
export interface IpListing {
  readonly ip: string
  readonly checked: readonly string[]
  readonly matched: readonly string[]
}

/** Health of each node since its last check, including static nodes. Times are Unix milliseconds. */
export const fleetHealth = sqliteTable("fleet_health", {
  nodeId: text().primaryKey(),
  state: text({ enum: HEALTH_STATES }).notNull(),
  reason: text(),
  /** Start of the current state. */
  since: integer().notNull(),
  /** Consecutive checks that support a better and a worse state. */
  good: integer().notNull(),
  bad: integer().notNull(),
  checkedAt: integer().notNull(),
  rttMs: integer(),
  skewMs: integer(),
  report: text({ mode: "json" }).$type<NodeHealth>(),
  listings: text({ mode: "json" }).$type<readonly IpListing[]>(),
  listingsAt: integer(),
})

/** Nodes that get no new probes until they are resumed, including static nodes. A restart changes nothing. */
export const fleetDrains = sqliteTable("fleet_drains", {
  nodeId: text().primaryKey(),
  /** Unix milliseconds. */
  drainedAt: integer().notNull(),
})

/** Answers of mail operators to each source IP, in slices of ten minutes. Isolates add their counts periodically. */
export const fleetOutcomes = sqliteTable(
  "fleet_outcomes",
  {
    nodeId: text().notNull(),
    sourceIp: text().notNull(),
    operator: text().notNull(),
    /** Unix time divided by ten minutes. */
    slice: integer().notNull(),
    answered: integer().notNull(),
    blocked: integer().notNull(),
    deferred: integer().notNull(),
    failed: integer().notNull(),
    missing: integer().notNull(),
    totalMs: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.slice, table.nodeId, table.sourceIp, table.operator] }),
    index("fleet_outcomes_operator").on(table.operator, table.slice),
  ],
)

/**
 * Answers of mail operators to all nodes by day, for reports. Unlike `fleet_outcomes` it stays for 30 days: it has one row
 * for each known operator, and one for all others.
 */
export const fleetAnswers = sqliteTable(
  "fleet_answers",
  {
    /** UTC, "2026-11-24". */
    day: text().notNull(),
    operator: text().notNull(),
    accepted: integer().notNull(),
    refused: integer().notNull(),
    deferred: integer().notNull(),
    blocked: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.operator] })],
)

/** Source IPs that are blocked or distrusted at an operator. */
export const fleetRoutes = sqliteTable(
  "fleet_pairs",
  {
    nodeId: text().notNull(),
    sourceIp: text().notNull(),
    operator: text().notNull(),
    /** Blocked until then, Unix milliseconds; 0: not blocked. */
    openUntil: integer().notNull().default(0),
    canary: text({ enum: CANARY_FINDINGS }),
    canaryAt: integer(),
    detail: text(),
  },
  (table) => [primaryKey({ columns: [table.nodeId, table.sourceIp, table.operator] })],
)

/** Canary addresses of the service's operator at a mail operator: an existing and a missing one. */
export const fleetCanaries = sqliteTable("fleet_canaries", {
  operator: text().primaryKey(),
  existing: text().notNull(),
  missing: text().notNull(),
  createdAt: integer().notNull(),
})

/** Source IPs by pool. Unlisted IPs are in "general". */
export const fleetIps = sqliteTable("fleet_ips", {
  ip: text().primaryKey(),
  pool: text().notNull(),
  registeredAt: integer().notNull(),
})

/** One check of a sender domain. */
export interface SenderFinding {
  readonly check: "mx" | "spf" | "ptr" | "dkim"
  readonly result: "ok" | "warn" | "fail" | "unknown"
  readonly subject: string | null
  readonly detail: string
}

/** Domains of MAIL FROM and HELO, with the results of their last check. */
export const fleetSenderDomains = sqliteTable("fleet_sender_domains", {
  domain: text().primaryKey(),
  registeredAt: integer().notNull(),
  checkedAt: integer().notNull(),
  findings: text({ mode: "json" }).$type<readonly SenderFinding[]>().notNull(),
})
