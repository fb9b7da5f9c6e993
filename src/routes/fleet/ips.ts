import { z } from "@hono/zod-openapi"
import ipaddr from "ipaddr.js"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import { NODE_STATES } from "../../domain/fleet/nodes.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { senderDomainOf } from "../../services/fleet/sender-domains.ts"
import { listIps, registerIp, type SourceIp, unregisterIp } from "../../services/fleet/source-ips.ts"
import { ownNodes } from "../../services/fleet/visible-nodes.ts"
import { Finding } from "./regions.ts"

const endpoint = endpointsOf("senders")

const Ip = component("SourceIp", {
  ip: z.string().openapi({ description: "`system`: the node's operating system chooses" }),
  node_id: z.string(),
  region: z.string(),
  pool: z.string().openapi({ description: "A label; routing does not read it" }),
  node_state: z.enum(NODE_STATES),
  resting: z.boolean().openapi({ description: "True while it pauses after blocks by several operators" }),
  spent_today: z.int().openapi({ description: "Recipients probed since midnight UTC" }),
  answered_24h: z.int(),
  blocked_24h: z.int(),
  block_rate: z.number().nullable(),
  held: arrayOf({ operator: z.string(), until: z.iso.datetime().nullable(), why: z.string() }).openapi({
    description:
      "Known mail operators that it is not used for now, and those whose canaries fail. `/regions/route` shows the others",
  }),
  blacklists: z.array(z.string()),
})

const ips = endpoint("key-or-admin", "GET /ips", {
  operationId: "listIps",
  summary: "List the source addresses",
  description: "Returns the source addresses of your own nodes with their state. The admin secret covers all nodes.",
  answer: z.object({ ips: z.array(Ip) }),
  handle: async (c) => ({ ips: (await listIps(c.var.ctx, c.var.caller)).map(presentIp) }),
})

const Pool = z.object({
  pool: z.string(),
  ips: z.int(),
  usable: z.int(),
  resting: z.int(),
  blacklisted: z.int(),
  registered_without_node: z.int().openapi({ description: "Registered, but no node sends from it" }),
})

const pools = endpoint("key-or-admin", "GET /ip-pool/status", {
  operationId: "ipPoolStatus",
  summary: "List the pools",
  description: "Groups the source addresses of your own nodes by pool. The admin secret covers all nodes.",
  answer: z.object({ pools: z.array(Pool), total: z.int() }),
  async handle(c) {
    const found = await listIps(c.var.ctx, c.var.caller)
    const isAdmin = c.var.caller.kind === "admin"
    const registered = isAdmin ? await c.var.ctx.store.fleetRecords.ips() : []
    const used = new Set(found.map(({ ip }) => ip))
    const idle = registered.filter(({ ip }) => !used.has(ip))
    const names = [...new Set([...found, ...idle].map(({ pool }) => pool))].toSorted()
    const answer = names.map((pool) =>
      presentPool(
        pool,
        found.filter((one) => one.pool === pool),
        idle.filter((one) => one.pool === pool).length,
      ),
    )
    return { pools: answer, total: found.length }
  },
})

/** ipaddr.js reads "198.51.7" as 198.51.0.7, so a missing octet would register another address. */
export const FullAddress = z.union([z.ipv4(), z.ipv6()])

/** Normalizes an IP address. @throws AppError bad_request */
function readIp(text: string): string {
  if (!FullAddress.safeParse(text).success) throw new AppError("bad_request", "ip: must be an IP address")
  return ipaddr.process(text).toString()
}

const POOL_NOTE =
  "The pool is a label in /ips and /ip-pool/status. Routing does not read it. PROBE_WARMUP_FROM of a node warms up its addresses."

const register = endpoint("admin", "POST /ip-pool/register", {
  operationId: "registerIp",
  summary: "Add a source address to a pool",
  description: "Labels a public source address with a pool, for reports. Routing does not read pools.",
  query: z.object({
    ip: z.string().openapi({
      pattern: PATTERNS.ipAddress,
      example: "1.2.3.4",
      description: "Public: private, reserved and documentation addresses are refused",
    }),
    pool: z
      .string()
      .regex(/^[a-z0-9_-]{1,64}$/)
      .default("general")
      .openapi({ description: "Name of the pool" }),
  }),
  answer: z.object({
    ip: z.string(),
    pool: z.string(),
    registered_at: z.iso.datetime(),
    note: z.string().openapi({ description: "What the pool is used for", example: POOL_NOTE }),
  }),
  problems: [400],
  async handle(c) {
    const { ip, pool } = c.req.valid("query")
    const entered = await registerIp(c.var.ctx, { ip: readIp(ip), pool })
    const { registeredAt, ...rest } = entered
    return { ...rest, registered_at: iso(registeredAt), note: POOL_NOTE }
  },
})

const unregister = endpoint("admin", "DELETE /ip-pool/{ip}", {
  operationId: "unregisterIp",
  summary: "Remove a source address from its pool",
  description: "Removes the label. A node that sends from the address is then in the pool `general`.",
  params: z.object({
    ip: z.string().max(64).openapi({
      pattern: PATTERNS.ipAddress,
      description: "The source address",
      example: "1.2.3.4",
    }),
  }),
  answer: z.object({ ip: z.string(), status: z.literal("removed") }),
  problems: [400, 404],
  async handle(c) {
    const ip = readIp(c.req.valid("param").ip)
    await unregisterIp(c.var.ctx, ip)
    return { ip, status: "removed" as const }
  },
})

const Listing = z.object({
  ip: z.string(),
  node_id: z.string(),
  status: z.enum(["listed", "clean", "unknown"]),
  listed_on: z.array(z.string()),
  lists_checked: z.int(),
  checked_at: z.iso.datetime().nullable(),
})

const blacklists = endpoint("key-or-admin", "GET /infra/blacklist-status", {
  operationId: "blacklistStatus",
  summary: "Get blocklist entries",
  description:
    "Returns the blocklist entries of your own nodes' source addresses, which are checked every hour. The admin secret covers all nodes.",
  answer: z.object({ listed: z.int(), clean: z.int(), unknown: z.int(), ips: z.array(Listing) }),
  async handle(c) {
    const found = (await listIps(c.var.ctx, c.var.caller)).map(presentListing)
    const count = (wanted: z.infer<typeof Listing>["status"]) => found.filter(({ status }) => status === wanted).length
    return { listed: count("listed"), clean: count("clean"), unknown: count("unknown"), ips: found }
  },
})

const Sender = z.object({
  node_id: z.string(),
  region: z.string(),
  helo: z.string().nullable(),
  mail_from_domain: z.string().nullable(),
  fit: z.boolean().nullable().openapi({ description: "The result of the node's doctor; null before its first run" }),
  problems: z.array(z.string()).openapi({ description: "The details of `findings`" }),
  findings: z.array(Finding).openapi({ description: "What is wrong with the names, each with its check" }),
})

const senders = endpoint("key-or-admin", "GET /senders", {
  operationId: "listSenders",
  summary: "List the senders",
  description:
    "Returns the HELO name and sender domain of your own nodes, and whether they are fit to probe. The admin secret covers all nodes.",
  answer: z.object({ senders: z.array(Sender) }),
  async handle(c) {
    const nodes = await ownNodes(c.var.ctx, c.var.caller)
    return { senders: nodes.map(presentSender) }
  },
})

const IDENTITY_CHECKS = ["helo", "ptr", "sender", "spf"]

function presentSender(node: FleetNode): z.infer<typeof Sender> {
  const { id, region, health } = node
  const doctor = health?.report?.doctor ?? null
  const isWrong = ({ check, result }: z.infer<typeof Finding>) =>
    IDENTITY_CHECKS.includes(check) && (result === "fail" || result === "warn")
  const findings = doctor?.findings.filter(isWrong) ?? []
  return {
    node_id: id,
    region,
    helo: doctor?.findings.find(({ check }) => check === "helo")?.subject ?? null,
    mail_from_domain: senderDomainOf(node),
    fit: doctor?.fit ?? null,
    problems: findings.map(({ detail }) => detail),
    findings,
  }
}

function presentIp(one: SourceIp): z.infer<typeof Ip> {
  const { ip, nodeId, region, pool, state, resting, spentToday, answered, blocked, held, matched } = one
  const total = answered + blocked
  return {
    ip,
    region,
    pool,
    resting,
    node_id: nodeId,
    node_state: state,
    spent_today: spentToday,
    answered_24h: answered,
    blocked_24h: blocked,
    block_rate: total > 0 ? Math.round((blocked / total) * 10_000) / 10_000 : null,
    held: held.map(({ operator, until, why }) => ({ operator, until: iso(until), why })),
    blacklists: [...matched],
  }
}

function presentPool(pool: string, found: readonly SourceIp[], idle: number): z.infer<typeof Pool> {
  const isUsable = ({ state, resting }: SourceIp) => !resting && (state === "healthy" || state === "degraded")
  return {
    pool,
    ips: found.length,
    usable: found.filter(isUsable).length,
    resting: found.filter(({ resting }) => resting).length,
    blacklisted: found.filter(({ matched }) => matched.length > 0).length,
    registered_without_node: idle,
  }
}

function presentListing({ ip, nodeId, checked, matched, checkedAt }: SourceIp): z.infer<typeof Listing> {
  return {
    ip,
    node_id: nodeId,
    status: matched.length > 0 ? "listed" : checked.length > 0 ? "clean" : "unknown",
    listed_on: [...matched],
    lists_checked: checked.length,
    checked_at: iso(checkedAt),
  }
}

export const ipEndpoints: Endpoint[] = [ips, pools, register, unregister, blacklists, senders]
