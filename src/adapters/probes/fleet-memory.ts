import type { RecipientLine } from "../../../schema/wire/probe.ts"
import { fateOf } from "../../domain/fleet/fate.ts"
import { Hedge } from "../../domain/fleet/hedge.ts"
import { type Counts, countsOf, NO_COUNTS, type PairName, pairKey } from "../../domain/fleet/pair.ts"
import { Router } from "../../domain/fleet/router.ts"
import { OPERATOR_NAMES } from "../../domain/mail/operators.ts"
import { type FleetRows, type PairCounts, SLICE_MS } from "../store/fleet.ts"
import { Disgrace } from "./disgrace.ts"
import type { FleetNode } from "./fleet-node.ts"

const FLUSH_MS = 10_000
const MAX_COUNTED = 2_000

interface Unwritten {
  readonly counts: readonly PairCounts[]
  readonly held: readonly (PairName & { readonly openUntil: number })[]
  readonly slice: number
}

/** What one isolate knows of the fleet. Plain values and keys only, so that it may outlive a request. */
export class FleetMemory {
  readonly router: Router
  readonly hedge = new Hedge()
  /** Nodes caught lying. */
  readonly disgrace = new Disgrace()
  nodes: readonly FleetNode[] = []
  readAt = Number.NEGATIVE_INFINITY
  readingUntil = 0
  #askable = new Map<string, readonly FleetNode[]>()
  #counted = new Map<string, PairCounts>()
  #held = new Map<string, PairName & { openUntil: number }>()
  #flushedAt = 0

  constructor(random: () => number) {
    this.router = new Router(random)
  }

  take(nodes: readonly FleetNode[], { pairs, counts }: Pick<FleetRows, "pairs" | "counts">, now: number): void {
    this.nodes = nodes
    this.readAt = now
    this.#askable = new Map()
    const held = pairs.map(({ canary, openUntil, nodeId, sourceIp, operator }) => {
      const drifted = canary === "blanket_accept" || canary === "blanket_refuse"
      return { nodeId, sourceIp, operator, openUntil, drifted }
    })
    const known = counts.map(({ nodeId, sourceIp, operator, ...own }) => ({ nodeId, sourceIp, operator, counts: own }))
    this.router.learn([...held, ...known], now)
  }

  /** The same array until the fleet is read anew. When no node is well, silent ones are tried. */
  askable(accountId: string | null): readonly FleetNode[] {
    const key = accountId ?? ""
    const known = this.#askable.get(key)
    if (known) return known
    const shared = this.nodes.filter((node) => node.accountId === null)
    const own = accountId === null ? [] : this.nodes.filter((node) => node.accountId === accountId)
    const found = [working(own), working(shared), silent(own), silent(shared)].find((nodes) => nodes.length > 0) ?? []
    this.#askable.set(key, found)
    return found
  }

  /** Counts what a line says about how its source IP stands with the operator. */
  note(node: FleetNode, line: RecipientLine, { operator, now }: { operator: string; now: number }): PairName {
    const pair = { nodeId: node.id, sourceIp: sourceOf(node, line), operator }
    const fate = fateOf(line.outcome, line.session)
    if (fate === null) return pair
    const ms = answerMs(line)
    const opened = this.router.noteFate(pair, { fate, recipients: 1, ms, now, isPrivate: node.accountId !== null })
    const isNamed = OPERATOR_NAMES.has(operator)
    this.#count({ ...pair, operator: isNamed ? operator : "other" }, countsOf(fate, 1, ms))
    if (opened && isNamed) this.#held.set(pairKey(pair), { ...pair, openUntil: this.router.pair(pair, now)!.openUntil })
    return pair
  }

  /** What is to be written, when it is time; it counts as written. */
  takeUnwritten(now: number): Unwritten | null {
    const isDue = now - this.#flushedAt >= FLUSH_MS || this.#counted.size >= MAX_COUNTED || this.#held.size > 0
    if (!isDue || this.#counted.size + this.#held.size === 0) return null
    const unwritten = { counts: [...this.#counted.values()], held: [...this.#held.values()] }
    this.#counted = new Map()
    this.#held = new Map()
    this.#flushedAt = now
    return { ...unwritten, slice: Math.floor(now / SLICE_MS) }
  }

  #count(pair: PairName, counts: Partial<Counts>): void {
    const key = pairKey(pair)
    const before = this.#counted.get(key) ?? { ...pair, ...NO_COUNTS }
    const sum: PairCounts = { ...before }
    for (const name of Object.keys(NO_COUNTS) as (keyof Counts)[]) sum[name] = before[name] + (counts[name] ?? 0)
    this.#counted.set(key, sum)
  }
}

function working(nodes: readonly FleetNode[]): FleetNode[] {
  return nodes.filter(({ state }) => state === "healthy" || state === "degraded")
}

function silent(nodes: readonly FleetNode[]): FleetNode[] {
  return nodes.filter(({ state, health }) => state === "gone" && health !== null)
}

/** The source IP as the node names it: one that leaves the choice to its system names none. */
function sourceOf({ sourceIps }: FleetNode, { session }: RecipientLine): string {
  const actual = session?.sourceIp
  return actual !== undefined && sourceIps.includes(actual) ? actual : sourceIps[0]!
}

/** How long the operator took, without the node's own queue. */
function answerMs({ outcome, session, totalMs }: RecipientLine): number {
  if (outcome.kind !== "reply" || !session) return Math.round(totalMs)
  return Math.round(session.connectMs + (session.greeting?.ms ?? 0) + outcome.reply.ms)
}
