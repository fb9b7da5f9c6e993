import type { HealthState, Refusal } from "../../../schema/vocabulary.ts"
import { clockReason, MAX_SKEW_MS, refusedReason, silentReason, type WrongClock } from "./node-reasons.ts"

/**
 * State of a probe node in the fleet. Only `healthy` and `degraded` nodes receive requests. A `draining` node gets none
 * until its owner resumes it, whatever its health.
 */
export const NODE_STATES = ["healthy", "degraded", "draining", "unfit", "quarantined", "gone"] as const
export type NodeState = (typeof NODE_STATES)[number]

/** The result of one health check of a node. */
export type Observation =
  | {
      readonly kind: "answered"
      /** The node's clock minus the Worker's clock, ms. */
      readonly skewMs: number
      readonly wrongClock: WrongClock
      readonly draining: boolean
      /** The doctor's verdict; null while it has not run. */
      readonly fit: boolean | null
      /** This is the first doctor report of the node's process: the node has restarted. */
      readonly isFirstReport: boolean
      /** Source IPs, and how many of them are paused because several operators block them. */
      readonly ips: number
      readonly resting: number
      /** Active sessions over the session limit, 0..1. */
      readonly load: number
    }
  /** The answer had no valid signature of a trusted key. */
  | {
      readonly kind: "refused"
      readonly skewMs: number | null
      readonly wrongClock: WrongClock
      readonly why: Refusal | "unknown_node_key" | "not_a_node"
      readonly status: number
    }
  | { readonly kind: "silent"; readonly error: string }

export interface NodeStatus {
  readonly state: HealthState
  /** Why the node is not healthy; null when it is. */
  readonly reason: string | null
  /** Unix milliseconds. */
  readonly since: number
  readonly good: number
  readonly bad: number
}

/** Consecutive checks before a node returns to use, becomes degraded, or counts as gone. */
const TO_RETURN = 3
const TO_DEGRADE = 2
const TO_GO = 2
const HIGH_LOAD = 0.9
const LONG_GONE_MS = 3_600_000
const LONG_GONE_EVERY_MS = 600_000
const RANK: Readonly<Record<HealthState, number>> = { healthy: 0, degraded: 1, unfit: 2, quarantined: 2, gone: 3 }

/** The state of a new node: not used, but the first good check makes it usable. */
export function newNodeStatus(now: number): NodeStatus {
  return { state: "unfit", reason: NEW, since: now, good: TO_RETURN - 1, bad: 0 }
}
/** The reason of a node without a check. */
export const NEW = "not checked yet"

/**
 * The state after one more check. Anything that makes a node's answers wrong takes effect at once. Overload and silence
 * must last. A return takes several good checks, so that a node does not oscillate. After a restart with a passing
 * doctor report one check is enough: the state of the old process no longer applies.
 */
export function nextNodeStatus(before: NodeStatus, observation: Observation, now: number): NodeStatus {
  const seen = assess(observation)
  const worse = RANK[seen.state] > RANK[before.state]
  const same = seen.state === before.state || RANK[seen.state] === RANK[before.state]
  if (same) return { ...before, ...seen, since: seen.state === before.state ? before.since : now, good: 0, bad: 0 }
  if (worse) return worsen(before, seen, now)
  const good = before.good + 1
  if (good < TO_RETURN && !isRepaired(observation)) return { ...before, good, bad: 0 }
  return { ...seen, since: now, good: 0, bad: 0 }
}

function isRepaired(observation: Observation): boolean {
  return observation.kind === "answered" && observation.isFirstReport && observation.fit === true
}

/** Whether to skip this check: a node gone for over an hour is checked every ten minutes until it answers. */
export function isCheckSkipped(before: NodeStatus & { readonly checkedAt: number }, now: number): boolean {
  const isLongGone = before.state === "gone" && before.good === 0 && now - before.since > LONG_GONE_MS
  return isLongGone && now - before.checkedAt < LONG_GONE_EVERY_MS
}

function worsen(before: NodeStatus, seen: Assessment, now: number): NodeStatus {
  const bad = before.bad + 1
  const settled: NodeStatus = { ...seen, since: now, good: 0, bad: 0 }
  if (seen.state === "gone") {
    if (bad >= TO_GO) return settled
    // One missed check lowers a healthy node to degraded. An excluded node keeps its state.
    const state = before.state === "healthy" ? "degraded" : before.state
    return { ...before, state, reason: seen.reason, since: state === before.state ? before.since : now, good: 0, bad }
  }
  if (seen.state === "degraded" && bad < TO_DEGRADE) return { ...before, good: 0, bad }
  return settled
}

type Assessment = Pick<NodeStatus, "state" | "reason">

function assess(observation: Observation): Assessment {
  if (observation.kind === "silent") return { state: "gone", reason: silentReason(observation.error) }
  const { skewMs, wrongClock } = observation
  if (skewMs !== null && Math.abs(skewMs) > MAX_SKEW_MS)
    return { state: "unfit", reason: clockReason(skewMs, wrongClock) }
  if (observation.kind === "refused")
    return { state: "unfit", reason: refusedReason(observation.why, observation.status) }
  const { draining, fit, ips, resting, load } = observation
  if (draining) return { state: "unfit", reason: "is shutting down" }
  if (fit === null) return { state: "unfit", reason: "its doctor has not reported since its start" }
  if (!fit) return { state: "unfit", reason: "its doctor found it unfit" }
  if (ips > 0 && resting === ips) return { state: "quarantined", reason: "all its source IPs rest after blocks" }
  if (load >= HIGH_LOAD) return { state: "degraded", reason: "is busy" }
  return resting > 0
    ? { state: "degraded", reason: "a source IP rests after blocks" }
    : { state: "healthy", reason: null }
}
