/** One sample of the Prometheus text format 0.0.4, which `/admin/metrics` answers. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/
const LABEL = /(?<![a-z_])([a-z_]+)="((?:[^"\\]|\\.)*)"/g

/** Reads the samples. Lines of another form are skipped. */
export function readSamples(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? []
    if (!name || name === "#") return []
    const pairs = [...labels.matchAll(LABEL)].map(([, key, quoted]) => [key!, unescaped(quoted!)] as const)
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

const unescaped = (text: string) => text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char))

/** The answered requests of a route since the service started to count. */
export interface RouteTraffic {
  /** "GET /validate" */
  readonly route: string
  readonly requests: number
  /** Answers 400-499 and 500-599. */
  readonly refused: number
  readonly failed: number
  /** Mean time to the answer, ms; null without one. */
  readonly meanMs: number | null
}

/** Sums the requests of each route, the busiest first. */
export function trafficOf(samples: readonly Sample[]): RouteTraffic[] {
  const routes = new Map<string, { requests: number; refused: number; failed: number; seconds: number }>()
  for (const { name, labels, value } of samples) {
    const route = `${labels.method} ${labels.route}`
    const sums = routes.get(route) ?? { requests: 0, refused: 0, failed: 0, seconds: 0 }
    if (name === "mailverdict_http_requests_total") {
      sums.requests += value
      if (labels.status?.startsWith("4")) sums.refused += value
      if (labels.status?.startsWith("5")) sums.failed += value
    } else if (name === "mailverdict_http_request_duration_seconds_sum") sums.seconds += value
    else continue
    routes.set(route, sums)
  }
  return [...routes]
    .map(([route, { seconds, ...sums }]) => ({
      ...sums,
      route,
      meanMs: sums.requests === 0 ? null : (seconds * 1_000) / sums.requests,
    }))
    .sort((a, b) => b.requests - a.requests)
}

/** The answers of one route with one status. */
export interface ErrorCount {
  readonly route: string
  readonly status: string
  readonly count: number
}

/** The answers that were errors, service failures (5xx) first, then the most frequent. */
export function errorsOf(samples: readonly Sample[]): ErrorCount[] {
  return samples
    .filter(({ name, labels }) => name === "mailverdict_http_requests_total" && /^[45]/.test(labels.status ?? ""))
    .map(({ labels, value }) => ({
      route: `${labels.method} ${labels.route}`,
      status: labels.status!,
      count: value,
    }))
    .sort((a, b) => Number(b.status[0]) - Number(a.status[0]) || b.count - a.count)
}
