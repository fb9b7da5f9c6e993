import { Recent } from "../recent.ts"
import type { RoutedNode } from "./node-set.ts"
import type { NodeState } from "./nodes.ts"
import { decayAfter } from "./route-stats.ts"

export interface CostFacts {
  /** Of this operator's answers to this node. */
  readonly latencyMs: number
  /** Acceptance of its usable source IPs at this operator, 0..1. */
  readonly acceptance: number
  /** Remaining share of the operator's rate ceiling, 0..1. */
  readonly budgetLeft: number
  /** Sessions in use over capacity; above 1 when work waits. */
  readonly load: number
  /** Recent recipients of its usable source IPs at this operator, over the even share; 0 when that is little. */
  readonly crowding: number
  /** How strongly the domain prefers this node, 0..1. */
  readonly affinity: number
  /** The node has recently received more than its share of the work. */
  readonly isOverloaded: boolean
  readonly state: NodeState
}

/** A refusal costs a second probe and reputation. It counts as this many ms. */
const BLOCK_COST_MS = 20_000
const BASE_MS = 100
/** Cost at the even share: a source IP with more traffic than others at an operator is blocked sooner. */
const CROWD_COST_MS = 400

/** Expected cost of a probe from a node, in ms of waiting, blocks included. Lower is better. */
export function costOf(facts: CostFacts): number {
  const { latencyMs, acceptance, budgetLeft, load, crowding, affinity, isOverloaded, state } = facts
  const queue = load < 1 ? 1 / (1 - Math.min(0.95, load)) : 20 * load
  const blocks = (1 - acceptance) * BLOCK_COST_MS + (1 - budgetLeft) ** 2 * 2_000 + crowding ** 2 * CROWD_COST_MS
  const strain = (isOverloaded ? 10 : 1) * (state === "healthy" ? 1 : 3)
  return ((BASE_MS + latencyMs) * queue + blocks) * strain * (1.15 - 0.3 * affinity)
}

const HALF_LIFE_MS = 300_000
/** A node above this multiple of its capacity share is overloaded. */
const MAX_SHARE = 1.25
/** Minimum even share, in recipients, for a meaningful comparison. */
const MIN_WORK = 50
const SMOOTHING = 0.1
const MAX_OPERATORS = 2_500
const MAX_LATENCIES = 2_500

/** Tracks the work sent to each node and how fast it answers. */
export class Workload {
  readonly #inFlight = new Map<string, number>()
  readonly #sent = new Map<string, { work: number; at: number }>()
  readonly #total = { work: 0, at: 0 }
  readonly #operators = new Recent<{ rate: number; at: number }>(MAX_OPERATORS)
  readonly #latency = new Recent<number>(MAX_LATENCIES)

  sent(id: string, operator: string, { recipients, now }: { recipients: number; now: number }): void {
    this.#operators.set(operator, { rate: this.recentRate(operator, now) + recipients, at: now })
    this.#inFlight.set(id, this.inFlight(id) + recipients)
    const own = this.#sent.get(id)
    this.#sent.set(id, { work: (own ? decayed(own, now) : 0) + recipients, at: now })
    this.#total.work = decayed(this.#total, now) + recipients
    this.#total.at = now
  }

  /** Decayed number of recipients that the whole fleet has probed at an operator. */
  recentRate(operator: string, now: number): number {
    const known = this.#operators.get(operator)
    return known ? known.rate * decayAfter(now - known.at) : 0
  }

  done(nodeId: string, recipients: number): void {
    this.#inFlight.set(nodeId, Math.max(0, this.inFlight(nodeId) - recipients))
  }

  inFlight(nodeId: string): number {
    return this.#inFlight.get(nodeId) ?? 0
  }

  /** @param capacity of all nodes together */
  isAboveShare({ id, capacity: own }: RoutedNode, { now, capacity }: { now: number; capacity: number }): boolean {
    const sent = this.#sent.get(id)
    if (!sent) return false
    const even = (decayed(this.#total, now) * own) / capacity
    return even > MIN_WORK && decayed(sent, now) > MAX_SHARE * even
  }

  answered(nodeId: string, operator: string, ms: number): void {
    for (const key of [nodeId, `${nodeId}\n${operator}`]) {
      const before = this.#latency.get(key)
      this.#latency.set(key, before === undefined ? ms : before + SMOOTHING * (ms - before))
    }
  }

  /** Latency of the node at this operator, else of the node overall, else 500 ms. */
  latencyMs(nodeId: string, operator: string): number {
    return this.#latency.get(`${nodeId}\n${operator}`) ?? this.#latency.get(nodeId) ?? 500
  }
}

function decayed({ work, at }: { work: number; at: number }, now: number): number {
  return work * 0.5 ** (Math.max(0, now - at) / HALF_LIFE_MS)
}
