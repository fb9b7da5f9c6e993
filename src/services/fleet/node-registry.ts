import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import { importTrustedKey } from "../../../schema/wire/keys.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { addressesOf } from "../../domain/dns/hosts.ts"
import { MAX_NODES_OF_ACCOUNT, type NodeState, withKey } from "../../domain/fleet/nodes.ts"
import { isExempt, readTargetUrl } from "../../domain/webhooks/target-url.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { findCredential } from "../accounts/identify.ts"
import { findOwnNode, ownerOf } from "./visible-nodes.ts"

const TTL_MS = 60 * 60_000

/** Creates a token that enrolls or replaces one shared or own node, once, within an hour. @throws AppError rate_limited */
export async function makeToken(ctx: Context, caller: Caller) {
  const { clock, digests, randomToken } = ctx
  const { fleetStore } = ctx.store
  const accountId = accountOf(caller)
  if (accountId !== null) await countFreeWork(ctx, "secrets", accountId)
  const token = `mvn_${randomToken()}${randomToken()}`
  const expiresAt = clock.now() + TTL_MS
  await fleetStore.addToken({ digest: await digests.of("fleet-token", token), accountId, expiresAt })
  return { token, expiresAt, accountId }
}

interface Enrolment {
  readonly token: string
  readonly id: string
  readonly region: string
  readonly url: string
  readonly publicKey: string
  readonly sourceIps: readonly string[]
  readonly capacity: number
  readonly version: string
}

/** How long responses signed with the former key are accepted after a key change. */
const OLD_KEY_MS = 24 * 3_600_000

/**
 * Adds a node to the registry, or replaces the token owner's node. It receives probes after its first health check. A
 * token works once: its enrollment may only be repeated without a change, as after a lost answer.
 */
export async function enrolNode(
  ctx: Context,
  { token, publicKey, ...node }: Enrolment,
  clientIp: string | undefined,
): Promise<void> {
  const { clock, digests, fleet } = ctx
  const { fleetStore } = ctx.store
  await readKey(publicKey)
  const digest = await digests.of("fleet-token", token)
  const known = await findCredential(ctx, { names: [`fleet token:${digest}`], clientIp }, async () =>
    (await fleetStore.isTokenKnown(digest, clock.now())) ? digest : null,
  )
  if (known === null) throw badToken()
  const problem = await checkNodeUrl(ctx, node.url)
  if (problem) throw new AppError("bad_request", `url ${problem}`)
  const isStatic = (await fleet.all()).some(({ id, isStatic }) => isStatic && id === node.id)
  const url = new URL(node.url).origin
  const now = clock.now()
  const enrolled = isStatic
    ? "taken"
    : await fleetStore.enroll(digest, { ...node, url, key: publicKey }, { now, oldKeysUntil: now + OLD_KEY_MS })
  if (enrolled === "bad_token") throw badToken()
  if (enrolled === "taken") throw new AppError("conflict", "another node has this id; choose another one")
  if (enrolled === "full")
    throw new AppError("conflict", `an account has at most ${MAX_NODES_OF_ACCOUNT} nodes; remove one first`)
  await fleet.refresh()
}

/** Validates a public key. @throws AppError bad_request with the problem */
async function readKey(text: string): Promise<void> {
  await importTrustedKey(text).catch((cause: Error) => {
    throw new AppError("bad_request", `public_key: ${cause.message}`, { cause })
  })
}

function badToken(): AppError {
  return new AppError(
    "unauthorized",
    "the token is unknown, expired or used: request a new one to enroll or change a node",
  )
}

/** Registers a node's new signing key. The former key is valid for a day. @returns its end, Unix ms */
export async function changeKey(
  ctx: Context,
  { caller, id, publicKey }: { caller: Caller; id: string; publicKey: string },
): Promise<number> {
  await readKey(publicKey)
  const now = ctx.clock.now()
  const oldKeysUntil = now + OLD_KEY_MS
  const node = (await ctx.store.fleetStore.nodes()).find((row) => row.id === id)
  const keys = withKey(node?.publicKeys ?? [], { key: publicKey, now, oldKeysUntil })
  const isChanged =
    node !== undefined && (await ctx.store.fleetStore.setKeys(id, keys, { owner: ownerOf(caller), now }))
  if (!isChanged) throw new AppError("not_found", "there is no such node, or it is not yours")
  await ctx.fleet.refresh()
  return oldKeysUntil
}

/**
 * Drains a node: it gets no new probe requests, and running ones end normally. It stays drained until it is resumed,
 * also after a restart. Draining it again changes nothing. @throws AppError not_found
 */
export async function drainNode(ctx: Context, { caller, id }: { caller: Caller; id: string }) {
  const node = await findOwnNode(ctx, { caller, id })
  const drainedAt = await ctx.store.fleetStore.drain(id, ctx.clock.now())
  await ctx.fleet.refresh()
  if (node.drainedAt === null) ctx.log("node_state", { node: id, from: node.state, to: "draining", reason: "drained" })
  return { drainedAt, nodesLeft: await ctx.probes.count(node.accountId) }
}

/**
 * Ends the drain of a node. It gets probes again when its health allows it. Resuming a node in use changes nothing.
 * @returns its state from now on @throws AppError not_found
 */
export async function resumeNode(ctx: Context, { caller, id }: { caller: Caller; id: string }): Promise<NodeState> {
  const node = await findOwnNode(ctx, { caller, id })
  if (node.drainedAt === null) return node.state
  await ctx.store.fleetStore.resume(id)
  const { state } = await findOwnNode(ctx, { caller, id })
  ctx.log("node_state", { node: id, from: "draining", to: state, reason: "resumed" })
  return state
}

/** Removes a node from the registry. Its running requests may still complete. */
export async function removeNode(ctx: Context, { caller, id }: { caller: Caller; id: string }): Promise<void> {
  const isStatic = (await ctx.fleet.all()).some((node) => node.id === id && node.isStatic)
  if (isStatic && caller.kind === "admin")
    throw new AppError("conflict", "this node is listed in PROBE_NODES: remove it there")
  if (!(await ctx.store.fleetStore.remove(id, ownerOf(caller))))
    throw new AppError("not_found", "there is no such node, or it is not yours")
  await ctx.fleet.refresh()
}

/**
 * Returns the problem of a node's URL, null when there is none. The name is resolved each time, because names change
 * and the edge must not connect to an internal network.
 */
export async function checkNodeUrl(ctx: Context, text: string): Promise<string | null> {
  const target = readTargetUrl(text, ctx.config.fleetRules)
  if (!target.ok) return target.problem
  const url = new URL(target.url)
  if (url.pathname !== "/" || url.search !== "") return "must be an origin, without a path"
  if (isExempt(url, ctx.config.fleetRules)) return null
  const addresses = await addressesOf(ctx.dns, url.hostname)
  if (!addresses?.length) return "names a host without an address"
  return addresses.every(isPublicAddress) ? null : "names a host of a private network"
}
