import type { HealthState, Refusal } from "../../../schema/vocabulary.ts"

/** State of a probe node. Only `healthy` and `degraded` ones get requests. A `draining` one waits for its owner. */
export const NODE_STATES = ["healthy", "degraded", "draining", "unfit", "quarantined", "gone"] as const
export type NodeState = (typeof NODE_STATES)[number]

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
      readonly paused: number
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
export const NEW = "not checked yet"

/** The state after one more check. Wrong answers count at once. Overload and silence must last, as must recovery. */
export function nextNodeStatus(before: NodeStatus, observation: Observation, now: number): NodeStatus {
  const seen = assess(observation)
  const worse = RANK[seen.state] > RANK[before.state]
  const same = seen.state === before.state || RANK[seen.state] === RANK[before.state]
  if (same) return { ...before, ...seen, since: seen.state === before.state ? before.since : now, good: 0, bad: 0 }
  if (worse) return worsen(before, seen, now)
  const good = before.good + 1
  // After a restart with a passing doctor report, the state of the old process no longer applies.
  const isRepaired = observation.kind === "answered" && observation.isFirstReport && observation.fit === true
  if (good < TO_RETURN && !isRepaired) return { ...before, good, bad: 0 }
  return { ...seen, since: now, good: 0, bad: 0 }
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
  const { draining, fit, ips, paused, load } = observation
  if (draining) return { state: "unfit", reason: "is shutting down" }
  if (fit === null) return { state: "unfit", reason: "its doctor has not reported since its start" }
  if (!fit) return { state: "unfit", reason: "its doctor found it unfit" }
  if (ips > 0 && paused === ips) return { state: "quarantined", reason: "all its source IPs rest after blocks" }
  if (load >= HIGH_LOAD) return { state: "degraded", reason: "is busy" }
  return paused > 0
    ? { state: "degraded", reason: "a source IP rests after blocks" }
    : { state: "healthy", reason: null }
}

/** Whose clock is wrong, by other clocks. Null when only the difference is known. */
type WrongClock = "node" | "edge" | null

/** A larger clock difference soon makes signatures fail (MAX_AGE and skew of schema/wire/signature.ts). */
export const MAX_SKEW_MS = 3_000
/** Two nodes with the same difference are both right: the edge is not. */
const SAME_SKEW_MS = 2_000

/** Whose clock is wrong, by other nodes' clocks, else by the node's doctor. @param skews node minus edge, in ms */
export function wrongClockOf(skews: readonly number[], isNodeRight: boolean | null): WrongClock {
  if (skews.some((skew) => Math.abs(skew) <= MAX_SKEW_MS)) return "node"
  if (skews.length > 1 && Math.max(...skews) - Math.min(...skews) <= SAME_SKEW_MS) return "edge"
  if (isNodeRight === null) return null
  return isNodeRight ? "edge" : "node"
}

/** Says whose clock must change. @param skewMs the node's clock minus the edge's */
export function clockReason(skewMs: number, wrong: WrongClock): string {
  const size = `${(Math.abs(skewMs) / 1_000).toFixed(1)} s`
  if (wrong === "edge")
    return `this edge's clock is off by ${size}, as the nodes' own clocks are right: turn on time synchronization on the edge`
  const side = skewMs < 0 ? "behind" : "ahead of"
  const advice = wrong === "node" ? "turn on time synchronization on the node" : "compare both with `timedatectl`"
  return `the node's clock is ${size} ${side} this edge's: ${advice}`
}

/** Says what must change for the node to accept the edge, or the edge the node. */
export function refusedReason(why: Refusal | "unknown_node_key" | "not_a_node", status: number): string {
  if (why !== "not_a_node") return REFUSED[why]
  return `no probe node answers at its URL (HTTP ${status}): check the proxy in front of the node`
}

const REFUSED: Readonly<Record<Refusal | "unknown_node_key", string>> = {
  unknown_key: "the node does not know this edge's key: add it to PROBE_TRUSTED_KEYS on the node",
  wrong_signature:
    "the node reads another request than this edge signs: compare PROBE_PUBLIC_URL on the node with its URL here",
  clock: "the node finds this edge's signature too old or too new: compare both clocks with `timedatectl`",
  refused: "the node refuses this edge's requests: its log has the reason (`request_refused`)",
  unknown_node_key: "this edge does not know the key that signs the node's answers: add the node's key here",
}

/** Causes in plain words, by what runtimes print. workerd reports a refused connection like a broken one. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/connection refused|ECONNREFUSED/i, "connection refused"],
  [/dns|resolve|ENOTFOUND|getaddrinfo/i, "its host name has no address"],
  [/timeout|timed out|aborted|in time/i, "no answer in time"],
  [/network connection lost|reset|disconnected|socket|peer/i, "connection refused or broken"],
  [/certificate|tls|ssl/i, "its TLS certificate is not valid"],
  // The text of workerd for a certificate that it does not trust.
  [/^internal error; reference/, "the connection failed. Is its TLS certificate valid?"],
]

/** Says why a node gave no answer. @param error the text of the runtime's error, or a problem with the node's URL */
export function silentReason(error: string): string {
  const cause = CAUSES.find(([pattern]) => pattern.test(error))?.[1] ?? error.slice(0, 120)
  return `the node cannot be reached: ${cause}`
}

export const MAX_NODES_OF_ACCOUNT = 20
const MAX_KEYS = 2

interface SigningKey {
  readonly key: string
  /** Unix milliseconds, null while it is the current key. */
  readonly notAfter: number | null
}

interface EnrolledNode {
  readonly region: string
  readonly url: string
  readonly sourceIps: readonly string[]
  readonly capacity: number
  readonly version: string
}

/** Whether an enrollment repeats the stored one, as after a lost answer: it would change nothing. */
export function isRepeated(
  stored: EnrolledNode & { readonly publicKeys: readonly SigningKey[] },
  sent: EnrolledNode & { readonly key: string },
): boolean {
  return (
    stored.publicKeys.some(({ key, notAfter }) => key === sent.key && notAfter === null) &&
    (["region", "url", "capacity", "version"] as const).every((field) => stored[field] === sent[field]) &&
    stored.sourceIps.join() === sent.sourceIps.join()
  )
}

/** Puts a new signing key first. The former key stays valid until `oldKeysUntil`, so that a node can change over. */
export function withKey(
  keys: readonly SigningKey[],
  { key, now, oldKeysUntil }: { key: string; now: number; oldKeysUntil: number },
): SigningKey[] {
  const others = keys
    .filter((one) => one.key !== key && (one.notAfter === null || one.notAfter > now))
    .map((one) => ({ ...one, notAfter: Math.min(one.notAfter ?? Number.POSITIVE_INFINITY, oldKeysUntil) }))
  return [{ key, notAfter: null }, ...others].slice(0, MAX_KEYS)
}
