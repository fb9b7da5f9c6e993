import { type DoctorReport, HEALTH_LIMITS, type NodeHealth } from "../schema/wire/health.ts"
import type { EngineNeeds } from "./chunk-run.ts"
import type { NodeConfig } from "./config.ts"
import type { Durations } from "./durations.ts"

/** What the server counts about itself. */
export interface NodeState {
  readonly startedAt: number
  draining: boolean
  requests: number
  refused: number
  /** Recipient lines sent, by class of the reply or kind of failure. */
  readonly recipients: Map<string, number>
  /** From the request to the line of each recipient. */
  readonly durations: Durations
}

/** What the node last found out about itself; null until it has looked. */
export interface DoctorSlot {
  readonly last: DoctorReport | null
}

/** Raised with every change of the node that the edge may want to know about. */
export const NODE_VERSION = "0.1.0"

export function healthOf({
  config,
  engine,
  state,
  doctor,
}: {
  config: NodeConfig
  engine: EngineNeeds
  state: NodeState
  doctor: DoctorSlot
}): NodeHealth {
  const { active, waiting, standing } = engine.pacer
  return {
    id: config.id,
    region: config.region,
    version: NODE_VERSION,
    serverTime: Date.now(),
    startedAt: state.startedAt,
    draining: state.draining,
    load: { active, waiting, concurrency: config.concurrency },
    sourceIps: engine.sources.all.map((ip) => ({ ip, ...standing.ofSource(ip) })),
    blocks: standing
      .operators()
      .filter(({ blocked, isNamed }) => blocked > 0 && isNamed)
      .toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen) || b.blocked - a.blocked)
      .slice(0, HEALTH_LIMITS.blocks)
      .map(({ operator, sourceIp, blocked, isOpen }) => ({ operator, sourceIp, blocked, isOpen })),
    doctor: doctor.last,
  }
}
