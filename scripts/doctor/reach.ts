import type { DnsFailure } from "../../src/adapters/dns/message.ts"
import { queryResolver } from "../../src/adapters/dns/resolver.ts"
import { type FleetNode, nodesOf } from "../../src/adapters/fleet/fleet-node.ts"
import { createNodeClient, type HealthCheck } from "../../src/adapters/fleet/node-client.ts"
import { jsonLog, randomToken, systemClock } from "../../src/adapters/platform.ts"
import type { FleetRows } from "../../src/adapters/store/fleet/fleet.ts"
import { MAX_SKEW_MS } from "../../src/domain/fleet/nodes.ts"
import type { Config } from "../../src/env.ts"
import { checkDatabase } from "./database.ts"
import type { Finding } from "./finding.ts"

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
  if (real.kind === "failure") return { about, result: "fail", detail: explained(real) }
  if (none.kind === "records")
    return { about, result: "fail", detail: "returns addresses for names that do not exist: use another resolver" }
  return { about, result: "ok", detail: "answers" }
}

function explained({ reason, detail }: DnsFailure): string {
  if (reason !== "unreachable" && reason !== "http_status") return detail
  return `${detail}, over HTTP/1.1: a resolver that supports only HTTP/2 needs a proxy (docs/settings.md)`
}

async function checkNodes(config: Config, rows: Pick<FleetRows, "nodes" | "drains">): Promise<Finding[]> {
  const nodes = (await nodesOf(config, { ...rows, health: [] }, Date.now())).filter(
    ({ accountId }) => accountId === null,
  )
  if (nodes.length === 0)
    return [{ about: "probe nodes", result: "fail", detail: "there are none: add one, or no mailbox can be verified" }]
  const client = createNodeClient({ config, clock: systemClock, log: jsonLog({}), randomToken, fetch })
  return Promise.all(nodes.map(async (node) => findingOf(node, await client.health(node))))
}

function findingOf(node: FleetNode, reply: HealthCheck): Finding {
  const about = `node ${node.id}`
  const fail = (detail: string): Finding => ({ about, result: "fail", detail })
  if (reply.kind === "silent") return fail("does not answer")
  if (reply.kind === "refused")
    return reply.skewMs !== null && Math.abs(reply.skewMs) > MAX_SKEW_MS
      ? fail("rejects our requests: set its clock or the clock of this machine")
      : fail("rejects our requests: check its public key here, and PROBE_TRUSTED_KEYS and PROBE_PUBLIC_URL there")
  const { health, skewMs, rttMs } = reply
  if (Math.abs(skewMs) > MAX_SKEW_MS) return fail("its clock and the clock of this machine differ by more than 3 s")
  const failed = health.doctor?.findings.filter(({ result }) => result === "fail").map(({ check }) => check) ?? []
  if (failed.length > 0) return fail(`is unfit: ${[...new Set(failed)].join(", ")} (run the doctor of that node)`)
  if (health.draining) return { about, result: "warn", detail: "is shutting down" }
  if (node.drainedAt !== null)
    return { about, result: "warn", detail: `is draining: \`mailverdict nodes resume ${node.id}\` uses it again` }
  if (new URL(node.url).protocol === "http:") return { about, result: "warn", detail: "answers, over plain http" }
  return { about, result: "ok", detail: `answers with a valid signature and is fit (${Math.round(rttMs)} ms)` }
}
