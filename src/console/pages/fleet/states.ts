import type { Finding, NodeHealth } from "../../api/shapes.ts"
import type { Tone } from "../../parts/badge.tsx"

export const STATE_TONES: Readonly<Record<NodeHealth["state"], Tone>> = {
  healthy: "valid",
  degraded: "accept_all",
  draining: "unknown",
  unfit: "invalid",
  quarantined: "invalid_syntax",
  gone: "unknown",
}

export const FINDING_TONES: Readonly<Record<Finding["result"], Tone>> = {
  ok: "valid",
  warn: "accept_all",
  fail: "invalid",
  unknown: "unknown",
}
