import { sql } from "drizzle-orm"
import { MIGRATIONS } from "../../schema/migration-times.ts"
import {
  createInstallationStore,
  type InstallationRow,
  type InstallationStore,
} from "../../src/adapters/store/admin/installation.ts"
import { type Database, openDatabase } from "../../src/adapters/store/database.ts"
import { createFleetStore, type FleetRows } from "../../src/adapters/store/fleet/fleet.ts"
import { foreignDatabase, keyIdOf, ownershipOf, ownSecrets } from "../../src/domain/admin/installation.ts"
import type { Config } from "../../src/env.ts"
import { rootCause, TokenRefused } from "../../src/errors.ts"
import { appliedMigrations, isOlder, olderDatabase } from "../data/older-database.ts"
import type { Finding } from "./finding.ts"

const REFUSED = "refuses LIBSQL_AUTH_TOKEN: set a valid token here, and by `wrangler secret put LIBSQL_AUTH_TOKEN`"

interface CheckedDatabase extends Pick<FleetRows, "nodes" | "drains"> {
  readonly findings: readonly Finding[]
}

const NO_NODES = { nodes: [], drains: [] }

/** Checks that the database answers, has all migrations, accepts writes and belongs to this installation. Never throws. */
export async function checkDatabase(config: Config): Promise<CheckedDatabase> {
  const database = openDatabase(config.libsql)
  const failure = await failureOf(database.run(sql`SELECT 1`))
  if (failure) {
    const detail = failure instanceof TokenRefused ? REFUSED : "does not answer"
    return { findings: [{ about: "database", result: "fail", detail }], ...NO_NODES }
  }
  const reached: Finding = { about: "database", result: "ok", detail: "answers" }
  const missing = await missingMigrations(database)
  if (missing) return { findings: [reached, { about: "migrations", result: "fail", detail: missing }], ...NO_NODES }
  const upToDate: Finding = { about: "migrations", result: "ok", detail: `all ${MIGRATIONS.length} are applied` }
  const store = createInstallationStore(database)
  const own = [await checkWrites(store), await checkInstallation(store, config)]
  const fleet = createFleetStore(database)
  return { findings: [reached, upToDate, ...own], nodes: await fleet.nodes(), drains: await fleet.drains() }
}

async function missingMigrations(database: Database): Promise<string | null> {
  const applied = await appliedMigrations((statement) => database.all(statement)).catch((): number[] => [])
  const missing = MIGRATIONS.filter((when) => !applied.includes(when)).length
  if (missing === 0) return null
  return isOlder(applied)
    ? olderDatabase("the database", "Use a new database, or export the data with the version that created it.")
    : `${missing} of ${MIGRATIONS.length} are not applied: run \`npm run migrate\` before the next deploy`
}

async function checkWrites(store: InstallationStore): Promise<Finding> {
  const about = "database writes"
  const failure = await failureOf(store.beat())
  return failure
    ? { about, result: "fail", detail: `are refused: ${failure.message}` }
    : { about, result: "ok", detail: "are accepted" }
}

async function checkInstallation(store: InstallationStore, config: Config): Promise<Finding> {
  const about = "installation"
  const row = await store.read().catch((): InstallationRow | null => null)
  if (!row) return { about, result: "fail", detail: "cannot be read from the database: run `npm run migrate`" }
  const own = await ownSecrets(config.digests, config.edgePublicKey)
  if (ownershipOf(row, own) === "foreign") return { about, result: "fail", detail: foreignDatabase(row) }
  if (row.pepper === null) return { about, result: "ok", detail: "the database is new: the first request records it" }
  if (row.signingKey !== own.signingKey) {
    const keys = `is ${keyIdOf(own.signingKey)}, and the service last used ${keyIdOf(row.signingKey ?? "none")}`
    return { about, result: "warn", detail: `EDGE_SIGNING_KEY ${keys}: every node must trust the new one` }
  }
  return { about, result: "ok", detail: "the database was used with this KEY_PEPPER and EDGE_SIGNING_KEY" }
}

async function failureOf(work: Promise<unknown>): Promise<Error | null> {
  return work.then(() => null, rootCause)
}
