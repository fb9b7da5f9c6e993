import type { NodeState } from "./node-state.ts"

export interface CostFacts {
  /** Of this operator's answers to this node. */
  readonly latencyMs: number
  /** Acceptance of its usable source IPs at this operator, 0..1. */
  readonly acceptance: number
  /** Remaining share of the operator's rate ceiling, 0..1. */
  readonly budgetLeft: number
  /** Sessions in use over capacity; above 1 when work waits. */
  readonly load: number
  /** Recent recipients at this operator, over the node's even share. */
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
