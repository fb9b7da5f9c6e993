import type { DoctorReport, NodeHealth } from "../schema/wire/health.ts"
import type { EngineNeeds } from "./chunk-run.ts"
import type { NodeConfig } from "./config.ts"

/** What the server counts about itself. */
export interface NodeState {
  readonly startedAt: number
  draining: boolean
  requests: number
  refused: number
  /** Recipient lines sent, by class of the reply or kind of failure. */
  readonly recipients: Map<string, number>
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
      .filter(({ blocked }) => blocked > 0)
      .map(({ operator, sourceIp, blocked, isOpen }) => ({ operator, sourceIp, blocked, isOpen })),
    doctor: doctor.last,
  }
}

/** Prometheus text format 0.0.4. Labels are our own words and mail operators, never addresses. */
export function metricsOf(engine: EngineNeeds, state: NodeState): string {
  const { active, waiting, throttled, standing } = engine.pacer
  const quarantined = engine.sources.all.filter((ip) => standing.ofSource(ip).quarantined)
  const lines = [
    ...metric("probe_requests_total", "counter", [["", state.requests]]),
    ...metric("probe_requests_refused_total", "counter", [["", state.refused]]),
    ...metric(
      "probe_recipients_total",
      "counter",
      [...state.recipients].map(([result, count]) => [`{result="${result}"}`, count]),
    ),
    ...metric("probe_sessions_active", "gauge", [["", active]]),
    ...metric("probe_sessions_waiting", "gauge", [["", waiting]]),
    ...metric("probe_throttled_total", "counter", [["", throttled]]),
    ...metric("probe_source_ips_quarantined", "gauge", [["", quarantined.length]]),
    ...metric(
      "probe_blocks_total",
      "counter",
      standing
        .operators()
        .map(({ operator, sourceIp, blocked }) => [
          `{operator="${label(operator)}",source_ip="${label(sourceIp)}"}`,
          blocked,
        ]),
    ),
    ...metric("process_resident_memory_bytes", "gauge", [["", process.memoryUsage.rss()]]),
    ...metric("process_start_time_seconds", "gauge", [["", Math.floor(state.startedAt / 1000)]]),
  ]
  return `${lines.join("\n")}\n`
}

function metric(name: string, type: "counter" | "gauge", samples: [labels: string, value: number][]): string[] {
  return [`# TYPE ${name} ${type}`, ...samples.map(([labels, value]) => `${name}${labels} ${value}`)]
}

function label(text: string): string {
  return text.replace(/[^A-Za-z0-9._:-]/g, "_")
}
