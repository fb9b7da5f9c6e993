import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { sql } from "drizzle-orm"
import { publicKeyOf } from "../../schema/wire/keys.ts"
import { randomToken } from "../../src/adapters/platform.ts"
import { createInstallationStore, DATABASE_NOW } from "../../src/adapters/store/admin/installation.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { foreignDatabase, keyIdOf, ownershipOf, ownSecrets } from "../../src/domain/admin/installation.ts"

/** The Worker's settings that belong to one installation. */
export interface WorkerSecrets {
  readonly KEY_PEPPER: string
  readonly KEY_PEPPER_PREVIOUS?: string | undefined
  readonly EDGE_SIGNING_KEY: string
}

/**
 * Records the secrets of this installation in its database, at the first start or after a change.
 * @param onNotice receives a line when the signing key has changed
 * @throws Error with the reason when the database belongs to an installation with another pepper
 */
export async function claimDatabase(
  database: Database,
  { KEY_PEPPER, KEY_PEPPER_PREVIOUS, EDGE_SIGNING_KEY }: WorkerSecrets,
  onNotice: (line: string) => void,
): Promise<void> {
  const digests = await createDigests([KEY_PEPPER, ...(KEY_PEPPER_PREVIOUS ? [KEY_PEPPER_PREVIOUS] : [])])
  const own = await ownSecrets(digests, await publicKeyOf(EDGE_SIGNING_KEY))
  const store = createInstallationStore(database)
  const row = await store.read()
  if (!row) throw new Error("LIBSQL_URL: the database lacks a migration of this version: run `npm run migrate`")
  const ownership = ownershipOf(row, own)
  if (ownership === "own") return
  if (ownership === "foreign" || !(await store.record(own))) throw new Error(`KEY_PEPPER: ${foreignDatabase(row)}`)
  if (row.signingKey === null || row.signingKey === own.signingKey) return
  const keys = `${keyIdOf(own.signingKey)}, before ${keyIdOf(row.signingKey)}`
  onNotice(`EDGE_SIGNING_KEY has changed (${keys}): nodes elsewhere need its public half in PROBE_TRUSTED_KEYS`)
}

const LEASE_MS = 30_000
const RENEW_EVERY_MS = 10_000
/** A stop does not wait longer for a database that does not answer. */
const RELEASE_WITHIN_MS = 2_000

export interface EdgeLeaseOptions {
  /** Identifies the state folder, and so an edge after a restart: its KV and Durable Objects stay the same. */
  readonly edgeId: string
  /** Takes a lease that another edge still holds. */
  readonly isTakeover: boolean
  /** Receives a line when the lease cannot be renewed, and when it can again. */
  readonly onNotice: (line: string) => void
  /** Milliseconds between two renewals. */
  readonly renewEveryMs?: number
}

export interface EdgeLease {
  /** Rejects when another edge has taken the lease: this one must stop. */
  readonly lost: Promise<never>
  /** Ends the renewals, and lets another edge start at once. */
  release(): Promise<void>
}

/** The holder of the lease. */
interface Holder {
  readonly host: string
  /** How long ago it was renewed, and how long it still lasts, in ms by the database's clock. */
  readonly renewedMs: number
  readonly leftMs: number
}

/**
 * Takes the lease of the only edge on this database and renews it until its release. While the database does not answer,
 * the holder goes on: no other edge can take the lease then either, unless it alone reaches the database.
 * @throws Error that explains how to go on while another edge holds the lease
 */
export async function holdEdgeLease(database: Database, options: EdgeLeaseOptions): Promise<EdgeLease> {
  const run = randomToken()
  if (!(await acquireLease(database, run, options))) throw new Error(heldByOther(await readHolder(database)))
  const ending = new AbortController()
  const renewals = renewUntilLost(database, { run, ending: ending.signal, options })
  const lost = renewals.then((holder) => {
    if (ending.signal.aborted) return new Promise<never>(() => undefined)
    throw new Error(lostToOther(holder))
  })
  lost.catch(() => undefined)
  return {
    lost,
    async release() {
      ending.abort()
      const freed = database.run(
        sql`UPDATE installation SET edge_id = NULL, edge_run = NULL, edge_host = NULL, edge_until = 0 WHERE edge_run = ${run}`,
      )
      await Promise.race([freed.catch(() => undefined), sleep(RELEASE_WITHIN_MS, undefined, { ref: false })])
    },
  }
}

/** The id of a state folder, which is created on first use. It is no secret. A restored backup gets another one. */
export function edgeIdOf(stateDir: string): string {
  const file = join(stateDir, "edge-id")
  if (existsSync(file)) return readFileSync(file, "utf8").trim()
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const id = randomToken()
  writeFileSync(file, `${id}\n`, { mode: 0o600 })
  return id
}

async function acquireLease(
  database: Database,
  run: string,
  { edgeId, isTakeover }: EdgeLeaseOptions,
): Promise<boolean> {
  const rows = await database.all(sql`UPDATE installation
    SET edge_id = ${edgeId}, edge_run = ${run}, edge_host = ${hostname()}, edge_until = ${DATABASE_NOW} + ${LEASE_MS}
    WHERE id = 1 AND (edge_id IS NULL OR edge_id = ${edgeId} OR edge_until <= ${DATABASE_NOW} OR ${Number(isTakeover)})
    RETURNING id`)
  return rows.length > 0
}

/** @returns the new holder after the lease was lost; null after the end */
async function renewUntilLost(
  database: Database,
  { run, ending, options }: { run: string; ending: AbortSignal; options: EdgeLeaseOptions },
): Promise<Holder | null> {
  const { renewEveryMs = RENEW_EVERY_MS, onNotice } = options
  let isAway = false
  while (!ending.aborted) {
    await sleep(renewEveryMs, undefined, { signal: ending, ref: false }).catch(() => undefined)
    if (ending.aborted) break
    try {
      // Also after its end, when no other edge has taken it meanwhile.
      const rows = await database.all(sql`UPDATE installation SET edge_until = ${DATABASE_NOW} + ${LEASE_MS}
        WHERE edge_run = ${run} RETURNING id`)
      if (rows.length === 0) return ending.aborted ? null : await readHolder(database).catch(() => null)
      if (isAway) onNotice("the lease of this edge is renewed again")
      isAway = false
    } catch {
      if (!isAway) onNotice("the lease of this edge cannot be renewed, because the database accepts no write; retrying")
      isAway = true
    }
  }
  return null
}

async function readHolder(database: Database): Promise<Holder | null> {
  const [row] = await database.all<{ host: string | null; leftMs: number }>(
    sql`SELECT edge_host AS host, edge_until - ${DATABASE_NOW} AS "leftMs" FROM installation WHERE edge_id IS NOT NULL`,
  )
  return row ? { host: row.host ?? "", leftMs: row.leftMs, renewedMs: LEASE_MS - row.leftMs } : null
}

const WHY = `Each edge has its own caches and limiters. With two, an address suppressed or erased at one stays usable at \
the other, and limits count twice.`

function heldByOther(holder: Holder | null): string {
  const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000))
  const { host, renewedMs, leftMs } = holder ?? { host: "unknown", renewedMs: 0, leftMs: 0 }
  return `LIBSQL_URL: another edge uses this database: host ${host}, seen ${seconds(renewedMs)} s ago.
${WHY}
Stop that edge and start again. If it has crashed, wait ${seconds(leftMs)} s, or start with \`EDGE_TAKEOVER=1 npm start\`:
an edge that still runs then stops itself. More machines: docs/scale.md, "More than one machine".`
}

function lostToOther(holder: Holder | null): string {
  const taker = holder ? `The edge on host ${holder.host}` : "Another edge"
  return `${taker} has taken over this database, so this edge stops. ${WHY} See docs/scale.md, "More than one machine"`
}
