import { readFileSync } from "node:fs"
import { sql } from "drizzle-orm"
import type { DnsFailure } from "../../src/adapters/dns/answer.ts"
import { askResolver } from "../../src/adapters/dns/exchange.ts"
import { jsonLog, randomToken, systemClock } from "../../src/adapters/platform.ts"
import { type FleetNode, nodesOf } from "../../src/adapters/probes/fleet-node.ts"
import { createNodeDoor, type HealthLook } from "../../src/adapters/probes/node-door.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { createFleetStore } from "../../src/adapters/store/fleet.ts"
import { MAX_SKEW_MS } from "../../src/domain/fleet/node-state.ts"
import type { Config } from "../../src/env.ts"
import type { Finding } from "./finding.ts"

const DNS_MS = 5_000
const JOURNAL = new URL("../../schema/migrations/meta/_journal.json", import.meta.url)

/** The database, the resolvers and the operator's own nodes, as they answer now. Never throws. */
export async function reach(config: Config): Promise<Finding[]> {
  const [database, resolvers] = await Promise.all([
    lookAtDatabase(config),
    Promise.all(config.dohUrls.map(lookAtResolver)),
  ])
  return [...database.findings, ...resolvers, ...(await lookAtNodes(config, database.nodes))]
}

type NodeRows = Awaited<ReturnType<ReturnType<typeof createFleetStore>["nodes"]>>

async function lookAtDatabase({ libsql }: Config): Promise<{ findings: Finding[]; nodes: NodeRows }> {
  const database = openDatabase(libsql)
  try {
    await database.run(sql`SELECT 1`)
  } catch {
    return {
      findings: [{ about: "database", result: "fail", detail: "does not answer, or not to this token" }],
      nodes: [],
    }
  }
  const reached: Finding = { about: "database", result: "ok", detail: "answers" }
  const wanted = (JSON.parse(readFileSync(JOURNAL, "utf8")) as { entries: { when: number }[] }).entries
  const applied = await database
    .all<{ at: number }>(sql`SELECT created_at AS at FROM __drizzle_migrations`)
    .catch(() => [])
  const have = new Set(applied.map(({ at }) => Number(at)))
  const missing = wanted.filter(({ when }) => !have.has(when)).length
  if (missing > 0) {
    const detail = `${missing} of ${wanted.length} are not applied: npm run migrate, before the next deploy`
    return { findings: [reached, { about: "migrations", result: "fail", detail }], nodes: [] }
  }
  const upToDate: Finding = { about: "migrations", result: "ok", detail: `all ${wanted.length} are applied` }
  return { findings: [reached, upToDate], nodes: await createFleetStore(database).nodes() }
}

async function lookAtResolver(url: string): Promise<Finding> {
  const about = `resolver ${new URL(url).host}`
  const ask = (name: string) => askResolver({ url, fetch, signal: AbortSignal.timeout(DNS_MS) }, name, "A")
  const [real, none] = await Promise.all([
    ask("example.com"),
    ask(`${randomToken().toLowerCase().replace(/[-_]/g, "")}.invalid`),
  ])
  if (real.kind === "failure") return { about, result: "fail", detail: explained(real) }
  if (none.kind === "records")
    return { about, result: "fail", detail: "has addresses for names that do not exist: take another" }
  return { about, result: "ok", detail: "answers" }
}

function explained({ reason, detail }: DnsFailure): string {
  if (reason !== "unreachable" && reason !== "http_status") return detail
  return `${detail}, asked by HTTP/1.1: one that takes HTTP/2 only needs a proxy before it (docs/self-hosting.md)`
}

async function lookAtNodes(config: Config, rows: NodeRows): Promise<Finding[]> {
  const nodes = (await nodesOf(config, { nodes: rows, health: [] }, Date.now())).filter(
    ({ accountId }) => accountId === null,
  )
  if (nodes.length === 0)
    return [{ about: "probe nodes", result: "fail", detail: "there are none: without one nothing is ever verified" }]
  const door = createNodeDoor({ config, clock: systemClock, log: jsonLog({}), randomToken, fetch })
  return Promise.all(nodes.map(async (node) => judge(node, await door.health(node))))
}

function judge(node: FleetNode, look: HealthLook): Finding {
  const about = `node ${node.id}`
  const fail = (detail: string): Finding => ({ about, result: "fail", detail })
  if (look.kind === "silent") return fail("does not answer")
  if (look.kind === "refused")
    return look.skewMs !== null && Math.abs(look.skewMs) > MAX_SKEW_MS
      ? fail("does not understand us: its clock or ours is off")
      : fail(
          "does not understand us: look at its public key here, and at PROBE_TRUSTED_KEYS and PROBE_PUBLIC_URL there",
        )
  const { health, skewMs, rttMs } = look
  if (Math.abs(skewMs) > MAX_SKEW_MS) return fail("its clock or ours is more than 3 s off")
  const failed = health.doctor?.findings.filter(({ result }) => result === "fail").map(({ check }) => check) ?? []
  if (failed.length > 0) return fail(`is unfit: ${[...new Set(failed)].join(", ")} (run its own doctor)`)
  if (health.draining) return { about, result: "warn", detail: "is about to stop" }
  if (new URL(node.url).protocol === "http:") return { about, result: "warn", detail: "answers, over plain http" }
  return { about, result: "ok", detail: `answers signed and is fit (${Math.round(rttMs)} ms)` }
}
