import { z } from "@hono/zod-openapi"
import { PUBLIC_KEY_PATTERN } from "../../../schema/wire/keys.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { counted } from "../../domain/counted.ts"
import { NODE_STATES } from "../../domain/fleet/nodes.ts"
import { iso } from "../../domain/time.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import {
  changeKey,
  drainNode,
  enrolNode,
  makeToken,
  removeNode,
  resumeNode,
} from "../../services/fleet/node-registry.ts"
import { reasonOf, visibleNodes } from "../../services/fleet/visible-nodes.ts"
import { VersionDiffers, versionOf } from "./regions.ts"

const endpoint = endpointsOf("fleet")

const nodeId = z
  .string()
  .regex(/^[\w.-]{1,64}$/)
  .openapi({ description: "Id of the node, unique in the service", example: "fra-1" })
const publicKey = z.string().max(120).openapi({
  pattern: PUBLIC_KEY_PATTERN,
  example: "fra-1.2026-11:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  description: "Ed25519, `<key id>:<base64url>`",
})
const NodeId = z.object({ node_id: z.string().max(64).openapi({ description: "Id of the node", example: "fra-1" }) })

/** Options that only the node's owner knows (probe-node/README.md). */
const OWNER_OPTIONS = "--id … --region … --url https://… --helo … --mail-from …"

const tokens = endpoint("key-or-admin", "POST /fleet/tokens", {
  operationId: "createFleetToken",
  summary: "Create an enrollment token",
  description:
    "Returns a token that enrolls one probe node, once, within an hour, with the command to run there. With a key, the node serves your account only. The token can also replace a node of the same owner.",
  answer: component("FleetToken", {
    token: z.string().openapi({ description: "Shown only once" }),
    expires_at: z.iso.datetime(),
    shared: z.boolean().openapi({ description: "Whether the node will serve all accounts" }),
    command: z.string().openapi({ description: "Run it on the node's machine; it asks for the token" }),
  }),
  async handle(c) {
    const { token, expiresAt, accountId } = await makeToken(c.var.ctx, c.var.caller)
    c.header("cache-control", "no-store")
    const command = `node probe-node.mjs enrol --edge ${c.var.ctx.config.baseUrl} --token-file - ${OWNER_OPTIONS}`
    return { token, expires_at: iso(expiresAt), shared: accountId === null, command }
  },
})

const enrol = endpoint("public", "POST /fleet/nodes/enrol", {
  operationId: "enrolNode",
  summary: "Enroll a node",
  description:
    "A probe node calls this with its token, its public key and its URL. A token works once: it may only repeat the same request, as after a lost answer. Another key or URL needs a new token of the node's owner.",
  json: z.object({
    token: z.string().min(1).max(200).openapi({ description: "Token of POST /fleet/tokens" }),
    id: nodeId,
    region: z
      .string()
      .regex(/^[\w.-]{1,64}$/)
      .openapi({ description: "Name of the place, for routing and reports", example: "eu-central" }),
    url: z.string().max(500).openapi({
      pattern: PATTERNS.webUrl,
      description: "Origin, public and https",
      example: "https://probe1.example.org",
    }),
    public_key: publicKey,
    source_ips: z
      .array(
        z.union([z.ipv4().openapi({ format: "ipv4" }), z.ipv6().openapi({ format: "ipv6" })], {
          error: "must be an IPv4 or IPv6 address, such as 192.0.2.10",
        }),
      )
      .max(64)
      .default([])
      .openapi({ description: "Source addresses that the node sends from" }),
    capacity: z.int().min(1).max(50_000).default(1_000).openapi({ description: "Concurrent SMTP sessions" }),
    version: z.string().max(64).default("").openapi({ description: "Version of the node's program" }),
  }),
  answer: component("Enrolled", {
    id: z.string(),
    status: z.literal("enrolled"),
    edge_public_keys: z.array(z.string()).openapi({
      description: "Keys that the node must trust (PROBE_TRUSTED_KEYS)",
    }),
  }),
  problems: [400, 401, 409],
  async handle(c) {
    const { public_key, source_ips, ...rest } = c.req.valid("json")
    const enrolment = { ...rest, publicKey: public_key, sourceIps: source_ips }
    await enrolNode(c.var.ctx, enrolment, clientIpOf(c))
    c.set("auditNote", { subject: rest.id, details: { region: rest.region } })
    return { id: rest.id, status: "enrolled" as const, edge_public_keys: [c.var.ctx.config.edgePublicKey] }
  },
})

const FleetNodeView = component("FleetNode", {
  id: z.string(),
  region: z.string(),
  state: z.enum(NODE_STATES),
  reason: z.string().nullable(),
  draining_since: z.iso
    .datetime()
    .nullable()
    .openapi({ description: "Since when it gets no new probes; null when it is not draining" }),
  owner: z.enum(["shared", "own", "account"]),
  bootstrap: z.boolean().openapi({ description: "Listed in PROBE_NODES" }),
  version: z.string().nullable(),
  version_differs: VersionDiffers,
  checked_at: z.iso.datetime().nullable(),
  url: z.string().nullable().openapi({ description: "Only for your own nodes; the operator sees all" }),
  key_ids: z.array(z.string()).openapi({ description: "Keys it may sign with" }),
  capacity: z.int(),
})

const list = endpoint("key-or-admin", "GET /fleet/nodes", {
  operationId: "listNodes",
  summary: "List the nodes",
  description: "Returns the probe nodes that serve you with their state: the shared ones and your own.",
  answer: z.object({ nodes: z.array(FleetNodeView) }),
  async handle(c) {
    const nodes = await visibleNodes(c.var.ctx, c.var.caller)
    return { nodes: nodes.map((node) => presentNode(node, c.var.caller)) }
  },
})

const remove = endpoint("key-or-admin", "DELETE /fleet/nodes/{node_id}", {
  operationId: "removeNode",
  summary: "Remove a node",
  description:
    "Removes a node and its keys from the registry. Drain it first, so that running probes end. 409 for a node that the setting `PROBE_NODES` names.",
  params: NodeId,
  answer: z.object({ id: z.string(), status: z.literal("removed") }),
  problems: [404, 409],
  async handle(c) {
    const { node_id } = c.req.valid("param")
    await removeNode(c.var.ctx, { caller: c.var.caller, id: node_id })
    c.set("auditNote", { subject: node_id })
    return { id: node_id, status: "removed" as const }
  },
})

/** What happens to new probes when a node is drained. @param nodesLeft nodes that still probe for the same accounts */
function noteOn(nodesLeft: number): string {
  if (nodesLeft > 0) return `${counted(nodesLeft, "node is", "nodes are")} left.`
  return "No node is left: until one is resumed, mailboxes stay unknown and cost nothing, and lists try them again later."
}

const drain = endpoint("key-or-admin", "POST /fleet/nodes/{node_id}/drain", {
  operationId: "drainNode",
  summary: "Drain a node",
  description:
    "Sends no new probes to a node. Running ones end, and it stays drained until it is resumed. Your own nodes; with the admin secret, any node, also one of PROBE_NODES. Other instances of the service follow within about 20 seconds, an idle one within 120. A restart of the node changes nothing.",
  params: NodeId,
  answer: z.object({
    id: z.string(),
    status: z.literal("draining"),
    draining_since: z.iso.datetime(),
    nodes_left: z
      .int()
      .openapi({ description: "Nodes that still probe for the same accounts; with 0, mailboxes stay unknown" }),
    note: z.string().openapi({ description: "What happens to new probes", example: noteOn(1) }),
  }),
  problems: [404],
  async handle(c) {
    const { node_id } = c.req.valid("param")
    const { drainedAt, nodesLeft } = await drainNode(c.var.ctx, { caller: c.var.caller, id: node_id })
    c.set("auditNote", { subject: node_id, details: { nodes_left: nodesLeft } })
    const answer = { id: node_id, status: "draining" as const, draining_since: iso(drainedAt), nodes_left: nodesLeft }
    return { ...answer, note: noteOn(nodesLeft) }
  },
})

const resume = endpoint("key-or-admin", "POST /fleet/nodes/{node_id}/resume", {
  operationId: "resumeNode",
  summary: "Resume a node",
  description: "Ends the drain of a node. It gets probes again once it is healthy.",
  params: NodeId,
  answer: z.object({ id: z.string(), status: z.literal("resumed"), state: z.enum(NODE_STATES) }),
  problems: [404],
  async handle(c) {
    const { node_id } = c.req.valid("param")
    const state = await resumeNode(c.var.ctx, { caller: c.var.caller, id: node_id })
    c.set("auditNote", { subject: node_id })
    return { id: node_id, status: "resumed" as const, state }
  },
})

const keys = endpoint("key-or-admin", "POST /fleet/nodes/{node_id}/keys", {
  operationId: "changeNodeKey",
  summary: "Change a node's key",
  description: "Registers a new signing key of a node. The old key stays valid for 24 hours, so that no probe is lost.",
  params: NodeId,
  json: z.object({ public_key: publicKey }),
  answer: z.object({ id: z.string(), old_keys_until: z.iso.datetime() }),
  problems: [400, 404],
  async handle(c) {
    const { node_id } = c.req.valid("param")
    const { public_key } = c.req.valid("json")
    const until = await changeKey(c.var.ctx, { caller: c.var.caller, id: node_id, publicKey: public_key })
    c.set("auditNote", { subject: node_id })
    return { id: node_id, old_keys_until: iso(until) }
  },
})

function presentNode(node: FleetNode, caller: Caller): z.infer<typeof FleetNodeView> {
  const { id, region, state, health, accountId, isStatic, url, publicKeys, capacity } = node
  const isOwn = caller.kind === "member" && accountId === caller.accountId
  return {
    id,
    region,
    state,
    capacity,
    reason: reasonOf(node),
    draining_since: iso(node.drainedAt),
    owner: accountId === null ? "shared" : isOwn ? "own" : "account",
    bootstrap: isStatic,
    ...versionOf(node),
    checked_at: health ? iso(health.checkedAt) : null,
    url: isOwn || caller.kind === "admin" ? url : null,
    key_ids: publicKeys.map(({ keyid }) => keyid),
  }
}

export const nodeEndpoints: Endpoint[] = [tokens, enrol, list, drain, resume, remove, keys]
