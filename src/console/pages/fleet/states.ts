import type { Finding, NodeState } from "../../api/shapes.ts"
import type { Tone } from "../../parts/badge.tsx"

export const STATE_TONES: Readonly<Record<NodeState, Tone>> = {
  healthy: "valid",
  degraded: "accept_all",
  draining: "unknown",
  unfit: "invalid",
  quarantined: "invalid_syntax",
  gone: "unknown",
}

/** What each state means for probes, in the order of the filter. */
export const STATE_MEANINGS: Readonly<Record<NodeState, string>> = {
  healthy: "It gets probes.",
  degraded: "It still gets probes, but it has a problem.",
  draining: "It gets no new probes until you resume it.",
  unfit: "It gets no probes until the problem is repaired.",
  quarantined: "It gets no probes while its source addresses are paused. It returns by itself.",
  gone: "It gets no probes until it responds again.",
}

export const FINDING_TONES: Readonly<Record<Finding["result"], Tone>> = {
  ok: "valid",
  warn: "accept_all",
  fail: "invalid",
  unknown: "unknown",
}

export const FINDING_WORDS: Readonly<Record<Finding["result"], string>> = {
  ok: "Passed",
  warn: "Warning",
  fail: "Failed",
  unknown: "No result",
}
