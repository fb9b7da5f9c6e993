import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { sql } from "drizzle-orm"
import { MIGRATIONS } from "../../schema/migration-times.ts"
import type { DnsFailure } from "../../src/adapters/dns/message.ts"
import { queryResolver } from "../../src/adapters/dns/resolver.ts"
import { type FleetNode, nodesOf } from "../../src/adapters/fleet/fleet-node.ts"
import { createNodeClient, type HealthCheck } from "../../src/adapters/fleet/node-client.ts"
import { jsonLog, randomToken, systemClock } from "../../src/adapters/platform.ts"
import {
  createInstallationStore,
  type InstallationRow,
  type InstallationStore,
} from "../../src/adapters/store/admin/installation.ts"
import { type Database, openDatabase } from "../../src/adapters/store/database.ts"
import { createFleetStore, type FleetRows } from "../../src/adapters/store/fleet/fleet.ts"
import { foreignDatabase, keyIdOf, ownershipOf, ownSecrets } from "../../src/domain/admin/installation.ts"
import { MAX_SKEW_MS } from "../../src/domain/fleet/nodes.ts"
import { type Config, readConfig } from "../../src/env.ts"
import { rootCause, TokenRefused } from "../../src/errors.ts"
import { appliedMigrations, isOlder, olderDatabase } from "../data/data-dir.ts"
import { withSecretFiles } from "../dev/settings.ts"
import { type Finding, fail, ok, warn } from "./finding.ts"
import { failure, forProduction, malformed, unknownIn } from "./settings.ts"

/** The fields of wrangler.toml that the doctor reads. wrangler's own type needs packages that are not installed. */
interface WranglerConfig {
  readonly name?: string
  readonly services: readonly { readonly binding: string; readonly service: string }[]
  readonly vars: Readonly<Record<string, unknown>>
  readonly kv_namespaces: readonly { readonly binding: string; readonly id?: string }[]
}

/** The placeholder id of a namespace that does not exist yet. */
const NO_NAMESPACE = /^0+$/

export interface Examined {
  /** The environment. Its values take precedence over those of the files. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Paths of the settings file, which may be missing, and of wrangler.toml. */
  readonly files: { readonly env: string; readonly config: string }
  /** Settings only: no call to another host. */
  readonly isOffline: boolean
}

/** Checks whether a service with these settings is ready for production. */
export async function examine({ environment, files, isOffline }: Examined): Promise<Finding[]> {
  // A release is no clone: it has neither wrangler nor a configuration for Cloudflare.
  const { unstable_readConfig } = await import("wrangler")
  const wrangler: WranglerConfig = unstable_readConfig({ config: files.config })
  const vars = Object.fromEntries(Object.entries(wrangler.vars).map(([name, value]) => [name, String(value)]))
  const own = existsSync(files.env) ? parseEnv(readFileSync(files.env, "utf8")) : {}
  const { env: given, problems } = withSecretFiles({ ...vars, ...own, ...environment })
  const namespaces = wrangler.kv_namespaces.map(({ binding, id }) => {
    const isCreated = id !== undefined && !NO_NAMESPACE.test(id)
    const missing = `has no id: run \`wrangler kv namespace create ${binding}\` and write the id to wrangler.toml`
    return isCreated ? ok(`KV ${binding}`, "has an id") : fail(`KV ${binding}`, missing)
  })
  const foreign = wrangler.services
    .filter(({ service }) => service !== wrangler.name)
    .map(({ binding }) =>
      fail(`service ${binding}`, "names another Worker: set service to the name at the top of wrangler.toml"),
    )
  const parts = [...namespaces, ...foreign, ...unknownIn(files.env), ...problems.map(failure)]
  const read = await readConfig(given)
  if (!read.ok) return [...parts, ...malformed(read.problems, given)]
  const settings = forProduction({ given, config: read.config, vars })
  return [...parts, ...settings, ...(isOffline ? [] : await reach(read.config))]
}

const DNS_MS = 5_000

/** Checks the database, the resolvers and the operator's own nodes over the network. Never throws. */
export async function reach(config: Config): Promise<Finding[]> {
  const [database, resolvers] = await Promise.all([
    checkDatabase(config),
    Promise.all(config.dohUrls.map((url) => checkResolver(url, "example.com"))),
  ])
  return [...database.findings, ...resolvers, ...(await checkNodes(config, database))]
}

/** Asks a resolver of DOH_URL for a public name, and for one that does not exist. */
export async function checkResolver(url: string, name: string): Promise<Finding> {
  const about = `resolver ${new URL(url).host}`
  const query = (one: string) => queryResolver({ url, fetch, signal: AbortSignal.timeout(DNS_MS) }, one, "A")
  const [real, none] = await Promise.all([
    query(name),
    query(`${randomToken().toLowerCase().replace(/[-_]/g, "")}.invalid`),
  ])
  if (real.kind === "failure") return fail(about, explained(real))
  if (none.kind === "records") return fail(about, "returns addresses for names that do not exist: use another resolver")
  return ok(about, "answers")
}

function explained({ reason, detail }: DnsFailure): string {
  if (reason !== "unreachable" && reason !== "http_status") return detail
  return `${detail}, over HTTP/1.1: a resolver that supports only HTTP/2 needs a proxy (docs/settings.md)`
}

async function checkNodes(config: Config, rows: Pick<FleetRows, "nodes" | "drains">): Promise<Finding[]> {
  const nodes = (await nodesOf(config, { ...rows, health: [] }, Date.now())).filter(
    ({ accountId }) => accountId === null,
  )
  if (nodes.length === 0) return [fail("probe nodes", "there are none: add one, or no mailbox can be verified")]
  const client = createNodeClient({ config, clock: systemClock, log: jsonLog({}), randomToken, fetch })
  return Promise.all(nodes.map(async (node) => findingOf(node, await client.health(node))))
}

function findingOf(node: FleetNode, reply: HealthCheck): Finding {
  const about = `node ${node.id}`
  if (reply.kind === "silent") return fail(about, "does not answer")
  if (reply.kind === "refused")
    return reply.skewMs !== null && Math.abs(reply.skewMs) > MAX_SKEW_MS
      ? fail(about, "rejects our requests: set its clock or the clock of this machine")
      : fail(
          about,
          "rejects our requests: check its public key here, and PROBE_TRUSTED_KEYS and PROBE_PUBLIC_URL there",
        )
  const { health, skewMs, rttMs } = reply
  if (Math.abs(skewMs) > MAX_SKEW_MS)
    return fail(about, "its clock and the clock of this machine differ by more than 3 s")
  const failed = health.doctor?.findings.filter(({ result }) => result === "fail").map(({ check }) => check) ?? []
  if (failed.length > 0)
    return fail(about, `is unfit: ${[...new Set(failed)].join(", ")} (run the doctor of that node)`)
  if (health.draining) return warn(about, "is shutting down")
  if (node.drainedAt !== null) return warn(about, `is draining: \`mailverdict nodes resume ${node.id}\` uses it again`)
  if (new URL(node.url).protocol === "http:") return warn(about, "answers, over plain http")
  return ok(about, `answers with a valid signature and is fit (${Math.round(rttMs)} ms)`)
}

const REFUSED = "refuses LIBSQL_AUTH_TOKEN: set a valid token here, and by `wrangler secret put LIBSQL_AUTH_TOKEN`"

type CheckedDatabase = Pick<FleetRows, "nodes" | "drains"> & { readonly findings: readonly Finding[] }

const NO_NODES = { nodes: [], drains: [] }

/** Checks that the database answers, has all migrations, accepts writes and belongs to this installation. Never throws. */
export async function checkDatabase(config: Config): Promise<CheckedDatabase> {
  const database = openDatabase(config.libsql)
  const error = await failureOf(database.run(sql`SELECT 1`))
  const detail = error instanceof TokenRefused ? REFUSED : "does not answer"
  if (error) return { findings: [fail("database", detail)], ...NO_NODES }
  const reached = ok("database", "answers")
  const missing = await missingMigrations(database)
  if (missing) return { findings: [reached, fail("migrations", missing)], ...NO_NODES }
  const upToDate = ok("migrations", `all ${MIGRATIONS.length} are applied`)
  const store = createInstallationStore(database)
  const refusal = await failureOf(store.beat())
  const writes = refusal
    ? fail("database writes", `are refused: ${refusal.message}`)
    : ok("database writes", "are accepted")
  const own = [writes, await checkInstallation(store, config)]
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

async function checkInstallation(store: InstallationStore, config: Config): Promise<Finding> {
  const about = "installation"
  const row = await store.read().catch((): InstallationRow | null => null)
  if (!row) return fail(about, "cannot be read from the database: run `npm run migrate`")
  const own = await ownSecrets(config.digests, config.edgePublicKey)
  if (ownershipOf(row, own) === "foreign") return fail(about, foreignDatabase(row))
  if (row.pepper === null) return ok(about, "the database is new: the first request records it")
  if (row.signingKey !== own.signingKey) {
    const keys = `is ${keyIdOf(own.signingKey)}, and the service last used ${keyIdOf(row.signingKey ?? "none")}`
    return warn(about, `EDGE_SIGNING_KEY ${keys}: every node must trust the new one`)
  }
  return ok(about, "the database was used with this KEY_PEPPER and EDGE_SIGNING_KEY")
}

async function failureOf(work: Promise<unknown>): Promise<Error | null> {
  return work.then(() => null, rootCause)
}
