import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { CANARY_FINDINGS, NODE_STATES } from "../vocabulary.ts"
import type { NodeHealth } from "../wire/health.ts"

/** A public key of a node; while keys are exchanged two are good at a time. */
export interface NodeKey {
  /** `<keyid>:<base64url>` (schema/wire/keys.ts). */
  readonly key: string
  /** Unix milliseconds; null: it holds until another one comes. */
  readonly notAfter: number | null
}

/** Nodes that have enrolled. Those of PROBE_NODES are settings and have no row here. */
export const fleetNodes = sqliteTable(
  "fleet_nodes",
  {
    id: text().primaryKey(),
    region: text().notNull(),
    url: text().notNull(),
    publicKeys: text({ mode: "json" }).$type<readonly NodeKey[]>().notNull(),
    sourceIps: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    /** SMTP sessions at a time. */
    capacity: integer().notNull(),
    version: text().notNull(),
    /** Serves this account only; null: shared. */
    accountId: text(),
    enrolledAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (table) => [index("fleet_nodes_account").on(table.accountId)],
)

/** Right to enrol one node, by the digest of a secret. */
export const fleetTokens = sqliteTable("fleet_tokens", {
  digest: text().primaryKey(),
  accountId: text(),
  expiresAt: integer().notNull(),
  /** The node it was used for; it may be used again for that one only. */
  usedBy: text(),
})

/** Blocklists that have a source IP. */
export interface IpListing {
  readonly ip: string
  readonly checked: readonly string[]
  readonly matched: readonly string[]
}

/** What is known of each node, static ones too, since its last check. Times are Unix milliseconds. */
export const fleetHealth = sqliteTable("fleet_health", {
  nodeId: text().primaryKey(),
  state: text({ enum: NODE_STATES }).notNull(),
  reason: text(),
  /** Since when it is in this state. */
  since: integer().notNull(),
  /** Checks in a row that found it fit for a better state, and for a worse one. */
  good: integer().notNull(),
  bad: integer().notNull(),
  checkedAt: integer().notNull(),
  rttMs: integer(),
  skewMs: integer(),
  report: text({ mode: "json" }).$type<NodeHealth>(),
  listings: text({ mode: "json" }).$type<readonly IpListing[]>(),
  listingsAt: integer(),
})

/** How mail operators answered our source IPs, in slices of ten minutes; added up by isolates now and then. */
export const fleetOutcomes = sqliteTable(
  "fleet_outcomes",
  {
    nodeId: text().notNull(),
    sourceIp: text().notNull(),
    operator: text().notNull(),
    /** Unix time over ten minutes. */
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

/** Source IPs that an operator does not serve as it should. */
export const fleetPairs = sqliteTable(
  "fleet_pairs",
  {
    nodeId: text().notNull(),
    sourceIp: text().notNull(),
    operator: text().notNull(),
    /** Held back until then, Unix milliseconds; 0: not. */
    openUntil: integer().notNull().default(0),
    canary: text({ enum: CANARY_FINDINGS }),
    canaryAt: integer(),
    detail: text(),
  },
  (table) => [primaryKey({ columns: [table.nodeId, table.sourceIp, table.operator] })],
)

/** Addresses of the operator of this service with a mail operator: one that exists and one that does not. */
export const fleetCanaries = sqliteTable("fleet_canaries", {
  operator: text().primaryKey(),
  existing: text().notNull(),
  missing: text().notNull(),
  createdAt: integer().notNull(),
})

/** Source IPs by pool; one that is not here is in "general". */
export const fleetIps = sqliteTable("fleet_ips", {
  ip: text().primaryKey(),
  pool: text().notNull(),
  registeredAt: integer().notNull(),
})

/** One thing looked at when a sender domain is checked. */
export interface SenderFinding {
  readonly check: "spf" | "ptr" | "dkim"
  readonly result: "ok" | "warn" | "fail" | "unknown"
  readonly subject: string | null
  readonly detail: string
}

/** Domains of MAIL FROM and HELO, as they were found. */
export const fleetSenderDomains = sqliteTable("fleet_sender_domains", {
  domain: text().primaryKey(),
  registeredAt: integer().notNull(),
  checkedAt: integer().notNull(),
  findings: text({ mode: "json" }).$type<readonly SenderFinding[]>().notNull(),
})
