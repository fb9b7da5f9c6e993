import type { FleetNode } from "../../adapters/probes/fleet-node.ts"

const DRAINED = "gets no new probes until it is resumed"

/** Returns why a node is not healthy, null when it is. For a draining node also the problem of its health. */
export function reasonOf({ drainedAt, health, isStatic }: FleetNode): string | null {
  const ofHealth = health ? health.reason : isStatic ? null : "not checked yet"
  if (drainedAt === null) return ofHealth
  return ofHealth === null ? DRAINED : `${DRAINED}; ${ofHealth}`
}
