import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import { NEW } from "../../domain/fleet/nodes.ts"

const DRAINED = "gets no new probes until it is resumed"

/** Returns why a node is not healthy, null when it is. For a draining node also the problem of its health. */
export function reasonOf({ drainedAt, health, failure }: FleetNode): string | null {
  const ofHealth = failure?.reason ?? (health ? health.reason : NEW)
  if (drainedAt === null) return ofHealth
  return ofHealth === null ? DRAINED : `${DRAINED}; ${ofHealth}`
}
