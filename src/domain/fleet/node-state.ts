import type { NodeState } from "../../../schema/vocabulary.ts"

/** What one look at a node showed. */
export type Observation =
  | {
      readonly kind: "answered"
      /** The node's clock minus ours, ms. */
      readonly skewMs: number
      readonly draining: boolean
      /** Null: it has not examined itself. */
      readonly fit: boolean | null
      /** Source IPs, and those resting because several operators block them. */
      readonly ips: number
      readonly resting: number
      /** Active sessions over those it can have, 0..1. */
      readonly load: number
    }
  /** It answered, but not with what a trusted key signed. */
  | { readonly kind: "refused"; readonly skewMs: number | null }
  | { readonly kind: "silent" }

export interface Standing {
  readonly state: NodeState
  /** Why it is not healthy; null when it is. */
  readonly reason: string | null
  /** Unix milliseconds. */
  readonly since: number
  readonly good: number
  readonly bad: number
}

/** Clocks further apart than this fail signatures soon (MAX_AGE and skew of schema/wire/signature.ts). */
export const MAX_SKEW_MS = 3_000
/** Checks in a row before a node that was out is asked again, before one that strains is called so, before silence is absence. */
const TO_RETURN = 3
const TO_DEGRADE = 2
const TO_GO = 3
const HIGH_LOAD = 0.9
const LONG_GONE_MS = 3_600_000
const LONG_GONE_EVERY_MS = 600_000
const RANK: Readonly<Record<NodeState, number>> = { healthy: 0, degraded: 1, unfit: 2, quarantined: 2, gone: 3 }

/** A node nobody has looked at yet: not asked, but the first good look admits it. */
export function newcomer(now: number): Standing {
  return { state: "unfit", reason: NEW, since: now, good: TO_RETURN - 1, bad: 0 }
}
const NEW = "not looked at yet"

/**
 * The state after one more look. What makes a node's answers wrong takes it out at once; strain and silence must last;
 * and coming back takes several good looks, so that a node at the edge does not swing.
 */
export function nextStanding(before: Standing, observation: Observation, now: number): Standing {
  const seen = assess(observation)
  const worse = RANK[seen.state] > RANK[before.state]
  const same = seen.state === before.state || RANK[seen.state] === RANK[before.state]
  if (same) return { ...before, ...seen, since: seen.state === before.state ? before.since : now, good: 0, bad: 0 }
  if (worse) return fall(before, seen, now)
  const good = before.good + 1
  if (good < TO_RETURN) return { ...before, good, bad: 0 }
  return { ...seen, since: now, good: 0, bad: 0 }
}

/** Whether one that has been gone for long is left alone now. Once it answers it is looked at each time, to return soon. */
export function isLeftAlone(before: Standing & { readonly checkedAt: number }, now: number): boolean {
  const isLongGone = before.state === "gone" && before.good === 0 && now - before.since > LONG_GONE_MS
  return isLongGone && now - before.checkedAt < LONG_GONE_EVERY_MS
}

function fall(before: Standing, seen: Seen, now: number): Standing {
  const bad = before.bad + 1
  const settled: Standing = { ...seen, since: now, good: 0, bad: 0 }
  if (seen.state === "gone") {
    if (bad >= TO_GO) return settled
    // Once silent it is asked less; those who are out stay out.
    const state = before.state === "healthy" ? "degraded" : before.state
    return { ...before, state, reason: seen.reason, since: state === before.state ? before.since : now, good: 0, bad }
  }
  if (seen.state === "degraded" && bad < TO_DEGRADE) return { ...before, good: 0, bad }
  return settled
}

type Seen = Pick<Standing, "state" | "reason">

function assess(observation: Observation): Seen {
  if (observation.kind === "silent") return { state: "gone", reason: "does not answer" }
  const skewMs = observation.skewMs
  if (skewMs !== null && Math.abs(skewMs) > MAX_SKEW_MS)
    return { state: "unfit", reason: `its clock is ${(skewMs / 1_000).toFixed(1)} s off` }
  if (observation.kind === "refused") return { state: "unfit", reason: "its answer is not signed by a key we trust" }
  const { draining, fit, ips, resting, load } = observation
  if (draining) return { state: "unfit", reason: "is shutting down" }
  if (fit === false) return { state: "unfit", reason: "its doctor found it unfit" }
  if (ips > 0 && resting === ips) return { state: "quarantined", reason: "all its source IPs rest after blocks" }
  if (load >= HIGH_LOAD) return { state: "degraded", reason: "is busy" }
  return resting > 0
    ? { state: "degraded", reason: "a source IP rests after blocks" }
    : { state: "healthy", reason: null }
}
