import { DOCTOR_RESULTS } from "../schema/vocabulary.ts"
import type { EngineNeeds } from "./chunk-run.ts"
import type { NodeConfig } from "./config.ts"
import { type DoctorSlot, NODE_VERSION, type NodeState } from "./health.ts"

interface Measured {
  readonly config: NodeConfig
  readonly engine: EngineNeeds
  readonly state: NodeState
  readonly doctor: DoctorSlot
}

/** End of the name, with labels, and the value. */
type Sample = readonly [suffix: string, value: number]

/** Prometheus text format 0.0.4. Labels are our own words and operators with a name, never addresses or hosts of anybody. */
export function metricsOf(measured: Measured): string {
  const lines = [...ofRequests(measured), ...ofSources(measured), ...ofDoctor(measured), ...ofProcess(measured)]
  return `${lines.flat().join("\n")}\n`
}

function ofRequests({ engine, state, config }: Measured): string[][] {
  const { active, waiting, throttled } = engine.pacer
  const recipients = [...state.recipients].map(([result, count]): Sample => [labels({ result }), count])
  return [
    counter("probe_requests_total", "Probe requests taken.", [["", state.requests]]),
    counter("probe_requests_refused_total", "Requests without a good signature.", [["", state.refused]]),
    counter("probe_recipients_total", "Recipients answered, by reply class or kind of failure.", recipients),
    metric(
      "probe_recipient_duration_seconds",
      "histogram",
      "Time from the request to a recipient's answer.",
      state.durations.samples(),
    ),
    gauge("probe_sessions_active", "SMTP sessions open.", [["", active]]),
    gauge("probe_sessions_limit", "SMTP sessions that may be open.", [["", config.concurrency]]),
    gauge("probe_sessions_waiting", "SMTP sessions waiting for their turn.", [["", waiting]]),
    counter("probe_throttled_total", "Sessions that pacing did not let start.", [["", throttled]]),
  ]
}

function ofSources({ engine }: Measured): string[][] {
  const { standing } = engine.pacer
  const sources = engine.sources.all.map((ip) => ({ ip, ...standing.ofSource(ip) }))
  const blocking = standing.operators().filter(({ blocked }) => blocked > 0)
  const series = Map.groupBy(blocking, ({ operator, isNamed, sourceIp }) =>
    labels({ operator: isNamed ? operator : "other", source_ip: sourceIp }),
  )
  return [
    gauge("probe_source_ips_quarantined", "Source IPs resting, because several operators block them.", [
      ["", sources.filter(({ quarantined }) => quarantined).length],
    ]),
    gauge(
      "probe_source_ip_recipients_today",
      "Recipients asked about from a source IP since midnight UTC.",
      sources.map(({ ip, spentToday }) => [labels({ source_ip: ip }), spentToday]),
    ),
    counter(
      "probe_blocks_total",
      "Refusals before RCPT.",
      [...series].map(([end, ones]) => [end, ones.reduce((sum, { blocked }) => sum + blocked, 0)]),
    ),
    gauge(
      "probe_breaker_open",
      "1 while an operator that blocks a source IP is not asked from it.",
      [...series].map(([end, ones]) => [end, Number(ones.some(({ isOpen }) => isOpen))]),
    ),
  ]
}

function ofDoctor({ doctor: { last } }: Measured): string[][] {
  if (!last) return []
  return [
    gauge("probe_doctor_fit", "1 when no check of the node's own fitness failed.", [["", Number(last.fit)]]),
    gauge(
      "probe_doctor_findings",
      "Checks of the node's own fitness, by result.",
      DOCTOR_RESULTS.map((result) => [
        labels({ result }),
        last.findings.filter((finding) => finding.result === result).length,
      ]),
    ),
    gauge("probe_doctor_last_run_timestamp_seconds", "When the node last examined itself.", [["", last.ranAt / 1_000]]),
  ]
}

function ofProcess({ config, state }: Measured): string[][] {
  const { user, system } = process.cpuUsage()
  return [
    gauge("probe_build_info", "Which node this is.", [
      [labels({ version: NODE_VERSION, node: config.id, region: config.region }), 1],
    ]),
    counter("process_cpu_seconds_total", "CPU time spent.", [["", (user + system) / 1e6]]),
    gauge("process_resident_memory_bytes", "Resident memory.", [["", process.memoryUsage.rss()]]),
    gauge("process_start_time_seconds", "Start of the process, Unix time.", [
      ["", Math.floor(state.startedAt / 1_000)],
    ]),
  ]
}

function counter(name: string, help: string, samples: readonly Sample[]): string[] {
  return metric(name, "counter", help, samples)
}

function gauge(name: string, help: string, samples: readonly Sample[]): string[] {
  return metric(name, "gauge", help, samples)
}

function metric(name: string, type: "counter" | "gauge" | "histogram", help: string, samples: readonly Sample[]) {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([end, value]) => `${name}${end} ${value}`),
  ]
}

function labels(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}="${value.replace(/[^A-Za-z0-9._:-]/g, "_")}"`)
  return `{${pairs.join(",")}}`
}
