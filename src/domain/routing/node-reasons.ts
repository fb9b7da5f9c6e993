import type { Refusal } from "../../../schema/vocabulary.ts"

/**
 * Whose clock is wrong. `node` and `edge` when something else agrees with one of them, null when only the difference is
 * known.
 */
export type WrongClock = "node" | "edge" | null

/** A larger clock difference soon makes signatures fail (MAX_AGE and skew of schema/wire/signature.ts). */
export const MAX_SKEW_MS = 3_000
/** Two nodes with the same difference are both right: the edge is not. */
const SAME_SKEW_MS = 2_000

/**
 * Finds out whose clock is wrong when a node's differs from the edge's. Other nodes decide, or else the node's own doctor,
 * which compares its clock with web servers.
 * @param skews the clock of each checked node minus the edge's, ms
 * @param isNodeRight the last finding of the node's doctor; null without one
 */
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
  switch (why) {
    case "unknown_key":
      return "the node does not know this edge's key: add it to PROBE_TRUSTED_KEYS on the node"
    case "wrong_signature":
      return "the node reads another request than this edge signs: compare PROBE_PUBLIC_URL on the node with its URL here"
    case "clock":
      return "the node finds this edge's signature too old or too new: compare both clocks with `timedatectl`"
    case "refused":
      return "the node refuses this edge's requests: its log has the reason (`request_refused`)"
    case "unknown_node_key":
      return "this edge does not know the key that signs the node's answers: add the node's key here"
    case "not_a_node":
      return `no probe node answers at its URL (HTTP ${status}): check the proxy in front of the node`
  }
}

/** Causes in plain words, by what runtimes print. workerd does not tell a refused connection from a broken one. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/connection refused|ECONNREFUSED/i, "connection refused"],
  [/dns|resolve|ENOTFOUND|getaddrinfo/i, "its host name has no address"],
  [/timeout|timed out|aborted|in time/i, "no answer in time"],
  [/network connection lost|reset|disconnected|socket|peer/i, "connection refused or broken"],
  [/certificate|tls|ssl/i, "its TLS certificate is not valid"],
  // All that workerd says of a certificate that it does not trust.
  [/^internal error; reference/, "the connection failed. Is its TLS certificate valid?"],
]

/** Says why a node gave no answer. @param error the text of the runtime's error, or a problem with the node's URL */
export function silentReason(error: string): string {
  const cause = CAUSES.find(([pattern]) => pattern.test(error))?.[1] ?? error.slice(0, 120)
  return `the node cannot be reached: ${cause}`
}
