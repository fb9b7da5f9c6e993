import type { InboundProvider } from "../../../schema/vocabulary.ts"

interface Sample {
  /** "_bucket", "_sum" or "_count" of a histogram. */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly samples: readonly Sample[]
}

/** Formats metrics as Prometheus text 0.0.4. Omits families without samples. */
export function formatPrometheus(families: readonly Family[]): string {
  const lines = families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelText(labels)} ${value}`),
    ])
  return `${lines.join("\n")}\n`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const escaped = (value: string) =>
    value.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`))
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

export interface AnsweredRequest {
  readonly method: string
  /** The route template, never the path. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** Upper bounds of the histogram buckets, ms. The API's response times (50, 450, 2,100, 4,500) lie between them. */
const BOUNDS_MS = [10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const
const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])

/** Counter increments of one response. Routes, statuses and buckets bound their number. */
export function countsOf({ method, route, status, ms }: AnsweredRequest): [name: string, by: number][] {
  const call = `${METHODS.has(method) ? method : "other"} ${route}`
  const bound = BOUNDS_MS.find((one) => ms <= one) ?? "Inf"
  return [
    [`answers ${call} ${status}`, 1],
    [`le ${call} ${bound}`, 1],
    [`ms ${call}`, Math.max(0, Math.round(ms))],
  ]
}

/** Converts the counters to metric families, with cumulative buckets and seconds: the reverse of `countsOf`. */
export function requestFamilies(counts: ReadonlyMap<string, number>): Family[] {
  const answers: Sample[] = []
  const calls = new Map<string, { labels: Record<string, string>; buckets: Map<string, number>; ms: number }>()
  for (const [name, count] of counts) {
    const [kind, method = "", route = "", last = ""] = name.split(" ")
    const labels = { method, route }
    const call = calls.get(`${method} ${route}`) ?? { labels, buckets: new Map<string, number>(), ms: 0 }
    calls.set(`${method} ${route}`, call)
    if (kind === "answers") answers.push({ labels: { ...labels, status: last }, value: count })
    else if (kind === "le") call.buckets.set(last, count)
    else if (kind === "ms") call.ms = count
  }
  return [
    {
      name: "mailverdict_http_requests_total",
      type: "counter",
      help: "Requests answered, by route template and status.",
      samples: answers,
    },
    {
      name: "mailverdict_http_request_duration_seconds",
      type: "histogram",
      help: "Time to the answer, by route template.",
      samples: [...calls.values()].flatMap(({ labels, buckets, ms }) => histogram(labels, buckets, ms)),
    },
  ]
}

function histogram(labels: Record<string, string>, buckets: ReadonlyMap<string, number>, ms: number): Sample[] {
  let total = 0
  const upTo = BOUNDS_MS.map((bound) => {
    total += buckets.get(String(bound)) ?? 0
    return { suffix: "_bucket", labels: { ...labels, le: String(bound / 1_000) }, value: total }
  })
  total += buckets.get("Inf") ?? 0
  return [
    ...upTo,
    { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: total },
    { suffix: "_sum", labels, value: ms / 1_000 },
    { suffix: "_count", labels, value: total },
  ]
}

/** The places that stored results are read from. */
export const CACHE_PLACES = ["edge", "store"] as const

export function lookupCounter(place: (typeof CACHE_PLACES)[number], isHit: boolean): string {
  return `cache:${place}:${isHit ? "hit" : "miss"}`
}

export function unreadableCounter(provider: InboundProvider): string {
  return `unreadable:${provider}`
}
