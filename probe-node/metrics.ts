import { hash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { DOCTOR_RESULTS } from "../schema/vocabulary.ts"
import { isLoopbackHost } from "../schema/wire/addresses.ts"
import { RELEASE } from "../schema/wire/version.ts"
import type { NodeConfig } from "./config.ts"
import type { Observed, Sample } from "./health.ts"

/** A number alone is the only sample, without labels. */
type Samples = readonly Sample[] | number

/** Prometheus text format 0.0.4. Labels contain only the node's own terms and named operators, never other hosts. */
export function metricsOf(observed: Observed): string {
  const lines = [...ofRequests(observed), ...ofSources(observed), ...ofDoctor(observed), ...ofProcess(observed)]
  return `${lines.flat().join("\n")}\n`
}

function ofRequests({ engine, state, config }: Observed): string[][] {
  const { active, waiting, throttled } = engine.pacer
  const recipients = [...state.recipients].map(([result, count]): Sample => [labels({ result }), count])
  return [
    counter("probe_requests_total", "Probe requests accepted.", state.requests),
    counter("probe_requests_refused_total", "Requests without a valid signature.", state.refused),
    counter("probe_recipients_total", "Recipients answered, by reply class or kind of failure.", recipients),
    metric(
      "probe_recipient_duration_seconds",
      "histogram",
      "Time from the request to a recipient's answer.",
      state.durations.samples(),
    ),
    gauge("probe_sessions_active", "SMTP sessions open.", active),
    gauge("probe_sessions_limit", "Maximum open SMTP sessions.", config.concurrency),
    gauge("probe_sessions_waiting", "SMTP sessions waiting for a permit.", waiting),
    counter("probe_throttled_total", "Sessions that pacing denied.", throttled),
  ]
}

function ofSources({ engine }: Observed): string[][] {
  const { reputation } = engine.pacer
  const sources = engine.sources.all.map((ip) => ({ ip, ...reputation.ofSource(ip) }))
  const blocking = reputation.operators().filter(({ blocked }) => blocked > 0)
  const series = Map.groupBy(blocking, ({ operator, isNamed, sourceIp }) =>
    labels({ operator: isNamed ? operator : "other", source_ip: sourceIp }),
  )
  return [
    gauge(
      "probe_source_ips_quarantined",
      "Source IPs quarantined because several operators block them.",
      sources.filter(({ quarantined }) => quarantined).length,
    ),
    gauge(
      "probe_source_ip_recipients_today",
      "Recipients probed from a source IP since midnight UTC.",
      sources.map(({ ip, spentToday }) => [labels({ source_ip: ip }), spentToday]),
    ),
    counter(
      "probe_blocks_total",
      "Refusals before RCPT.",
      [...series].map(([end, ones]) => [end, ones.reduce((sum, { blocked }) => sum + blocked, 0)]),
    ),
    gauge(
      "probe_breaker_open",
      "1 while no probes go from a source IP to an operator that blocks it.",
      [...series].map(([end, ones]) => [end, Number(ones.some(({ isOpen }) => isOpen))]),
    ),
  ]
}

function ofDoctor({ doctor: { last } }: Observed): string[][] {
  if (!last) return []
  return [
    gauge("probe_doctor_fit", "1 when no doctor check failed.", Number(last.fit)),
    gauge(
      "probe_doctor_findings",
      "Doctor checks, by result.",
      DOCTOR_RESULTS.map((result) => [
        labels({ result }),
        last.findings.filter((finding) => finding.result === result).length,
      ]),
    ),
    gauge("probe_doctor_last_run_timestamp_seconds", "Time of the last doctor run, Unix time.", last.ranAt / 1_000),
  ]
}

function ofProcess({ config, state }: Observed): string[][] {
  const { user, system } = process.cpuUsage()
  return [
    gauge("probe_build_info", "Version, id and region of the node.", [
      [labels({ version: RELEASE, node: config.id, region: config.region }), 1],
    ]),
    counter("process_cpu_seconds_total", "CPU time spent.", (user + system) / 1e6),
    gauge("process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss()),
    gauge("process_start_time_seconds", "Start of the process, Unix time.", Math.floor(state.startedAt / 1_000)),
  ]
}

const counter = (name: string, help: string, samples: Samples) => metric(name, "counter", help, samples)
const gauge = (name: string, help: string, samples: Samples) => metric(name, "gauge", help, samples)

function metric(name: string, type: "counter" | "gauge" | "histogram", help: string, samples: Samples) {
  const list = typeof samples === "number" ? [["", samples] as const] : samples
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...list.map(([end, value]) => `${name}${end} ${value}`)]
}

function labels(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}="${value.replace(/[^A-Za-z0-9._:-]/g, "_")}"`)
  return `{${pairs.join(",")}}`
}

type AccessSettings = Pick<NodeConfig, "host" | "metricsToken">

/**
 * Whether a request may read the metrics: with the token if one is set, else only from this machine. A proxied request
 * counts as remote: it names another host, or its client in X-Forwarded-For.
 */
export function mayReadMetrics(settings: AccessSettings, headers: IncomingHttpHeaders): boolean {
  const { metricsToken } = settings
  if (metricsToken !== null) return isSame(/^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "", metricsToken)
  if (areMetricsClosed(settings) || headers["x-forwarded-for"] !== undefined) return false
  return isLoopbackHost(URL.parse(`http://${headers.host}`)?.hostname ?? "")
}

/** Whether all requests for metrics are refused: the node listens beyond loopback without a token. */
export function areMetricsClosed({ host, metricsToken }: AccessSettings): boolean {
  return metricsToken === null && !isLoopbackHost(host)
}

/** Compares digests in constant time, so that timing reveals neither the token nor its length. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"))
}
