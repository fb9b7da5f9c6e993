import { type DoctorReport, HEALTH_LIMITS, type NodeHealth } from "../schema/wire/health.ts"
import { RELEASE } from "../schema/wire/version.ts"
import type { NodeConfig } from "./config.ts"
import type { EngineDeps } from "./probe.ts"

/** State and counters of the server. */
export interface NodeState {
  readonly startedAt: number
  draining: boolean
  requests: number
  refused: number
  /** Recipient lines sent, by reply class or kind of failure. */
  readonly recipients: Map<string, number>
  /** Time from the request to the line of each recipient. */
  readonly durations: Durations
}

/** The last doctor report. Null until the first one is complete. */
export interface DoctorSlot {
  readonly last: DoctorReport | null
  /** Resolves with the first report, or after some ms without it. */
  reported(withinMs: number): Promise<void>
}

/** What the health report and the metrics read. */
export interface Observed {
  readonly config: NodeConfig
  readonly engine: EngineDeps
  readonly state: NodeState
  readonly doctor: DoctorSlot
}

export function healthOf({ config, engine, state, doctor }: Observed): NodeHealth {
  const { active, waiting, reputation } = engine.pacer
  return {
    id: config.id,
    region: config.region,
    version: RELEASE,
    serverTime: Date.now(),
    startedAt: state.startedAt,
    draining: state.draining,
    load: { active, waiting, concurrency: config.concurrency },
    sourceIps: engine.sources.all.map((ip) => ({ ip, ...reputation.ofSource(ip) })),
    blocks: reputation
      .operators()
      .filter(({ blocked, isNamed }) => blocked > 0 && isNamed)
      .toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen) || b.blocked - a.blocked)
      .slice(0, HEALTH_LIMITS.blocks)
      .map(({ operator, sourceIp, blocked, isOpen }) => ({ operator, sourceIp, blocked, isOpen })),
    doctor: doctor.last,
  }
}

/** Upper bounds of the buckets, in seconds: from one fast round trip to the longest deadline. */
const BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60] as const

/** Suffix of the metric's name, with labels, and the value. */
export type Sample = readonly [suffix: string, value: number]

/** Prometheus histogram. Each bucket counts all values up to its bound. */
export class Durations {
  #sum = 0
  #count = 0
  readonly #buckets: number[] = BOUNDS.map(() => 0)

  observe(ms: number): void {
    const seconds = ms / 1_000
    this.#sum += seconds
    this.#count++
    const at = BOUNDS.findIndex((bound) => seconds <= bound)
    if (at >= 0) this.#buckets[at]!++
  }

  samples(): Sample[] {
    let below = 0
    const buckets = BOUNDS.map((bound, at): Sample => {
      below += this.#buckets[at]!
      return [`_bucket{le="${bound}"}`, below]
    })
    return [...buckets, ['_bucket{le="+Inf"}', this.#count], ["_sum", this.#sum], ["_count", this.#count]]
  }
}
