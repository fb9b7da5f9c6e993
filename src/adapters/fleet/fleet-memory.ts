import type { RecipientLine } from "../../../schema/wire/probe.ts"
import { Hedge } from "../../domain/fleet/hedge.ts"
import { silentReason } from "../../domain/fleet/nodes.ts"
import { outcomeClassOf } from "../../domain/fleet/outcome-class.ts"
import { type Counts, countsOf, NO_COUNTS, type RouteName, routeKey } from "../../domain/fleet/route-stats.ts"
import { Router } from "../../domain/fleet/router.ts"
import { Recent } from "../../domain/recent.ts"
import type { ReplyVerdict } from "../../domain/smtp-reply/classify-reply.ts"
import { OPERATOR_NAMES } from "../../domain/smtp-reply/operators.ts"
import { type FleetRows, type RouteCounts, SLICE_MS } from "../store/fleet/fleet.ts"
import type { FleetNode } from "./fleet-node.ts"

const FLUSH_MS = 10_000
const MAX_COUNTED = 2_000
const MAX_CHECKED = 1_000
/** Failed calls in a row after which a node counts as gone. */
const FAILURES_TO_GO = 2
/** A check after a missed one comes at least this much later, so that one short outage is not two missed checks. */
const MISSED_APART_MS = 5_000
/** A check that has not ended by then never will: 5 s for the answer, the lookup of the node's name, and the write. */
const CHECK_MS = 10_000

interface Unwritten {
  readonly counts: readonly RouteCounts[]
  readonly paused: readonly (RouteName & { readonly openUntil: number })[]
  readonly slice: number
}

/** Fleet state of one isolate. Plain values and keys only, so that it may outlive a request. */
export class FleetMemory {
  readonly router: Router
  readonly hedge = new Hedge()
  /** Nodes that violated the protocol. */
  readonly penalties = new NodePenalties()
  #nodes: readonly FleetNode[] = []
  /** Failed calls to a node since its last answer or good health check, and when the last one was, Unix ms. */
  readonly #failures = new Map<string, { count: number; at: number; error: string }>()
  /** When this isolate began its last check of a node, Unix ms. */
  readonly #checks = new Recent<number>(MAX_CHECKED)
  /** When it began the checks that have not ended, Unix ms. */
  readonly #running = new Map<string, number>()
  readAt = Number.NEGATIVE_INFINITY
  readingUntil = 0
  #usable = new Map<string, readonly FleetNode[]>()
  #counted = new Map<string, RouteCounts>()
  #paused = new Map<string, RouteName & { openUntil: number }>()
  #flushedAt = 0

  constructor(random: () => number) {
    this.router = new Router(random)
  }

  /** Every node. One that calls cannot reach shows that at once, before its next health check. */
  get nodes(): readonly FleetNode[] {
    return this.#failures.size === 0 ? this.#nodes : this.#nodes.map((node) => this.#withFailures(node))
  }

  /** A call could not reach the node. */
  addFailure(nodeId: string, error: string, at: number): void {
    this.#failures.set(nodeId, { count: (this.#failures.get(nodeId)?.count ?? 0) + 1, at, error })
    this.#usable = new Map()
  }

  /** The node has answered a call. */
  clearFailures(nodeId: string): void {
    if (this.#failures.delete(nodeId)) this.#usable = new Map()
  }

  /** Whether to check a node now. True once within that time, and never while this isolate checks it. */
  claimCheck({ id, health }: FleetNode, withinMs: number, now: number): boolean {
    const apartMs = health && health.bad > 0 ? Math.max(withinMs, MISSED_APART_MS) : withinMs
    const isRecent = [this.#checks.get(id) ?? 0, health?.checkedAt ?? 0].some((at) => isWithin(at, apartMs, now))
    if (isRecent || isWithin(this.#running.get(id) ?? 0, CHECK_MS, now)) return false
    this.#checks.set(id, now)
    this.#running.set(id, now)
    return true
  }

  /** The check of a node has ended, and is stored. */
  endCheck(id: string): void {
    this.#running.delete(id)
  }

  replaceFleet(
    nodes: readonly FleetNode[],
    { routes, counts }: Pick<FleetRows, "routes" | "counts">,
    now: number,
  ): void {
    this.#nodes = nodes
    for (const { id, health } of nodes) {
      const failedAt = this.#failures.get(id)?.at ?? Number.POSITIVE_INFINITY
      if (health && health.bad === 0 && health.checkedAt > failedAt) this.#failures.delete(id)
    }
    this.readAt = now
    this.#usable = new Map()
    const paused = routes.map(({ canary, openUntil, nodeId, sourceIp, operator }) => {
      const drifted = canary === "blanket_accept" || canary === "blanket_refuse"
      return { nodeId, sourceIp, operator, openUntil, drifted }
    })
    const known = counts.map(({ nodeId, sourceIp, operator, ...own }) => ({ nodeId, sourceIp, operator, counts: own }))
    this.router.learn([...paused, ...known], now)
  }

  /** The same array until the fleet is read again. Only healthy and degraded nodes, or, without any, those that do not answer health checks. */
  usableNodes(accountId: string | null): readonly FleetNode[] {
    const key = accountId ?? ""
    const known = this.#usable.get(key)
    if (known) return known
    const shared = this.nodes.filter((node) => node.accountId === null)
    const own = accountId === null ? [] : this.nodes.filter((node) => node.accountId === accountId)
    const found = [working(own), working(shared), silent(own), silent(shared)].find((nodes) => nodes.length > 0) ?? []
    this.#usable.set(key, found)
    return found
  }

  /** Counts the outcome class of a line for its route (node, source IP, operator). */
  record(
    node: FleetNode,
    line: RecipientLine & { readonly classified: ReplyVerdict | null },
    { operator, now }: { operator: string; now: number },
  ): RouteName {
    const route = { nodeId: node.id, sourceIp: sourceOf(node, line), operator }
    const outcomeClass = outcomeClassOf(line.outcome, line.classified)
    if (outcomeClass === null) return route
    const ms = answerMs(line)
    const opened = this.router.recordOutcome(route, {
      outcomeClass: outcomeClass,
      recipients: 1,
      ms,
      now,
      isPrivate: node.accountId !== null,
    })
    const isNamed = OPERATOR_NAMES.has(operator)
    this.#count({ ...route, operator: isNamed ? operator : "other" }, countsOf(outcomeClass, 1, ms))
    if (opened && isNamed)
      this.#paused.set(routeKey(route), { ...route, openUntil: this.router.route(route, now)!.openUntil })
    return route
  }

  /** Returns the counts to write when they are due, and treats them as written. */
  drainUnsavedCounts(now: number): Unwritten | null {
    const isDue = now - this.#flushedAt >= FLUSH_MS || this.#counted.size >= MAX_COUNTED || this.#paused.size > 0
    if (!isDue || this.#counted.size + this.#paused.size === 0) return null
    const unwritten = { counts: [...this.#counted.values()], paused: [...this.#paused.values()] }
    this.#counted = new Map()
    this.#paused = new Map()
    this.#flushedAt = now
    return { ...unwritten, slice: Math.floor(now / SLICE_MS) }
  }

  #withFailures(node: FleetNode): FleetNode {
    const failures = this.#failures.get(node.id)
    if (!failures || !node.health || !isWorking(node)) return node
    const { count, error, at } = failures
    const state = count >= FAILURES_TO_GO ? "gone" : "degraded"
    return { ...node, state, failure: { reason: silentReason(error), since: at } }
  }

  #count(route: RouteName, counts: Partial<Counts>): void {
    const key = routeKey(route)
    const before = this.#counted.get(key) ?? { ...route, ...NO_COUNTS }
    const sum: RouteCounts = { ...before }
    for (const name of Object.keys(NO_COUNTS) as (keyof Counts)[]) sum[name] = before[name] + (counts[name] ?? 0)
    this.#counted.set(key, sum)
  }
}

/** The time may also be ahead: another edge's clock wrote it. */
function isWithin(at: number, ms: number, now: number): boolean {
  return Math.abs(now - at) < ms
}

function working(nodes: readonly FleetNode[]): FleetNode[] {
  return nodes.filter(isWorking)
}

function isWorking({ state }: FleetNode): boolean {
  return state === "healthy" || state === "degraded"
}

function silent(nodes: readonly FleetNode[]): FleetNode[] {
  return nodes.filter(({ state, health }) => state === "gone" && health !== null)
}

/** The source IP under the node's name for it. A node that leaves the choice to its system lists no IP. */
function sourceOf({ sourceIps }: FleetNode, { session }: RecipientLine): string {
  const actual = session?.sourceIp
  return actual !== undefined && sourceIps.includes(actual) ? actual : sourceIps[0]!
}

/** How long the operator took, without the node's own queue. */
function answerMs({ outcome, session, totalMs }: RecipientLine): number {
  if (outcome.kind !== "reply" || !session) return Math.round(totalMs)
  return Math.round(session.connectMs + (session.greeting?.ms ?? 0) + outcome.reply.ms)
}

const PENALTY_MS = 10 * 60_000

/** Nodes that violated the protocol. For ten minutes they are used only when no other node is left. */
export class NodePenalties {
  readonly #until = new Map<string, number>()

  add(nodeId: string, now: number): void {
    this.#until.set(nodeId, now + PENALTY_MS)
  }

  isActive(nodeId: string, now: number): boolean {
    return (this.#until.get(nodeId) ?? 0) > now
  }
}
