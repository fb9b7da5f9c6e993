import type { NodeState } from "../../../schema/vocabulary.ts"

export interface CostFacts {
  /** Of answers of this operator to this node. */
  readonly latencyMs: number
  /** 0..1, of its usable source IPs at this operator. */
  readonly acceptance: number
  /** 0..1 of what the operator stands from them. */
  readonly budgetLeft: number
  /** Of its sessions, 0..1 and more when work waits. */
  readonly load: number
  /** What it has asked this operator about, over its even share. */
  readonly crowding: number
  /** How much the domain is the node's own, 0..1. */
  readonly affinity: number
  /** It has had more than its share of the work lately. */
  readonly isOverloaded: boolean
  readonly state: NodeState
}

/** A refusal costs a second question elsewhere and reputation: as much as this many ms. */
const BLOCK_COST_MS = 20_000
const BASE_MS = 100
/** Of a node at its even share: standing out at an operator is what gets a source IP blocked. */
const CROWD_COST_MS = 400

/** What asking from a node is expected to cost, in ms of waiting, blocks included. Lower is better. */
export function costOf(facts: CostFacts): number {
  const { latencyMs, acceptance, budgetLeft, load, crowding, affinity, isOverloaded, state } = facts
  const queue = load < 1 ? 1 / (1 - Math.min(0.95, load)) : 20 * load
  const blocks = (1 - acceptance) * BLOCK_COST_MS + (1 - budgetLeft) ** 2 * 2_000 + crowding ** 2 * CROWD_COST_MS
  const strain = (isOverloaded ? 10 : 1) * (state === "healthy" ? 1 : 3)
  return ((BASE_MS + latencyMs) * queue + blocks) * strain * (1.15 - 0.3 * affinity)
}
