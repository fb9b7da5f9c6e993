import { type Answer, type Load, RESPONSE_CUT_OFF, send, useLoad } from "../../api/call.ts"
import { Bars } from "../../parts/bars.tsx"
import { Button } from "../../parts/buttons.tsx"
import { LoadedTablePanel, TablePanel } from "../../parts/data-table.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { Badge, type TileEntry, Tiles } from "../../parts/text.tsx"
import { count, counted, duration, milliseconds, percent, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"

const FIRST = 25

/** Loads the service's metrics. They are at most ten seconds old. */
const useMetrics = (): Load<readonly Sample[]> =>
  useLoad("metrics", async (signal): Promise<Answer<readonly Sample[]>> => {
    const answer = await send("/admin/metrics", { signal, asOperator: true })
    if (!answer.ok) return answer
    try {
      return { ok: true, body: readSamples(await answer.body.text()) }
    } catch {
      return { ok: false, problem: RESPONSE_CUT_OFF }
    }
  })

/** What the service does now: results of today, waiting work and requests by route. */
export const MetricsPage = page(Metrics, {
  title: "Metrics",
  lead: "The numbers of /admin/metrics, which Prometheus can read too. Up to ten seconds old.",
  access: "operator",
})

function Metrics() {
  const load = useMetrics()
  return (
    <Loaded of={load} lines={6}>
      {(samples) => (
        <>
          <Refresh of={load} />
          <Tiles tiles={tilesOf(samples)} />
          <Panel title="Results today" note="new verifications since midnight UTC">
            <Bars
              label="Results today by status"
              nameTitle="Status"
              valueTitle="Results"
              bars={SHOWN_STATUSES.map((status) => ({
                name: STATUS_WORDS[status],
                value: sum(samples, "mailverdict_results_total", { status }),
                color: status.replaceAll("_", "-"),
              }))}
            />
          </Panel>
          <TablePanel
            title="Requests by route"
            note={<a href="#/errors">errors by route</a>}
            first={FIRST}
            rows={trafficOf(samples)}
            rowKey={({ route }) => route}
            columns={[
              ["Route", ({ route }) => <code>{route}</code>, "break"],
              ["Requests", ({ requests }) => count(requests), "num"],
              ["Refused (4xx)", ({ refused }) => count(refused), "num"],
              ["Failed (5xx)", ({ failed }) => count(failed), "num"],
              ["Mean time", ({ meanMs }) => (meanMs === null ? "–" : milliseconds(meanMs)), "num"],
            ]}
            empty={["No requests yet"]}
          />
        </>
      )}
    </Loaded>
  )
}

const Refresh = ({ of: load }: { of: Load<unknown> }) => (
  <div>
    <Button label="Refresh" onClick={load.reload} />
  </div>
)

const sum = (samples: readonly Sample[], name: string, wanted: Readonly<Record<string, string>> = {}): number =>
  samples
    .filter((one) => one.name === name && Object.entries(wanted).every(([key, value]) => one.labels[key] === value))
    .reduce((total, { value }) => total + value, 0)

function tilesOf(samples: readonly Sample[]): readonly TileEntry[] {
  const lookups = "mailverdict_cache_lookups_total"
  const [hits, all] = [sum(samples, lookups, { result: "hit" }), sum(samples, lookups)]
  const due = sum(samples, "mailverdict_job_chunk_oldest_due_seconds")
  const webhooks = sum(samples, "mailverdict_webhooks_due")
  return [
    ["Cache hits today", all === 0 ? "–" : percent(hits / all, 0), `${count(hits)} of ${count(all)} lookups`],
    [
      "Parts of lists waiting",
      count(sum(samples, "mailverdict_job_chunks")),
      due === 0 ? "none is due" : `the oldest has been due for ${duration(due)}`,
    ],
    [
      "Background verifications",
      count(sum(samples, "mailverdict_pending_verifications")),
      `${counted(sum(samples, "mailverdict_rechecks_due"), "recheck")} due`,
    ],
    ["Webhooks due", count(webhooks), webhooks === 0 ? "no attempt is due" : "their next attempt is due now"],
  ]
}

const MEANINGS: Readonly<Record<string, string>> = {
  400: "the request is malformed",
  401: "no key, or an unknown one",
  402: "no credits left",
  403: "not allowed",
  404: "not found",
  408: "the body stopped or was too slow",
  409: "in conflict with the state",
  413: "too large",
  422: "a field is invalid",
  429: "too many requests",
  500: "a fault of the service; see its log",
  503: "a dependency does not answer",
}

export const ErrorsPage = page(Errors, {
  title: "Errors",
  lead: "Answers that were errors, by route. Their details are in the log, by the request id of the answer.",
  access: "operator",
})

function Errors() {
  const load = useMetrics()
  return (
    <LoadedTablePanel
      title="By route and status"
      note={<a href="#/metrics">all requests</a>}
      of={load}
      label="Errors"
      first={FIRST}
      rows={errorsOf}
      rowKey={({ route, status }) => `${route} ${status}`}
      columns={[
        ["Status", ({ status }) => <Badge tone={status.startsWith("5") ? "invalid" : "accept_all"}>{status}</Badge>],
        ["Route", ({ route }) => <code>{route}</code>, "break"],
        ["Meaning", ({ status }) => MEANINGS[status] ?? ""],
        ["Answers", (error) => count(error.count), "num"],
      ]}
      empty={["No errors"]}
    >
      <Refresh of={load} />
    </LoadedTablePanel>
  )
}

/** One sample of the Prometheus text format 0.0.4, which `/admin/metrics` answers. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/
const LABEL = /(?<![a-z_])([a-z_]+)="((?:[^"\\]|\\.)*)"/g

/** Reads the samples. Lines of another form are skipped. */
export const readSamples = (text: string): Sample[] =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? []
    if (!name || name === "#") return []
    const pairs = [...labels.matchAll(LABEL)].map(([, key, quoted]) => [key!, unescaped(quoted!)] as const)
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })

const unescaped = (text: string) => text.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char))

/** The answered requests of a route since the service started to count. */
export interface RouteTraffic {
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

export interface ErrorCount {
  readonly route: string
  readonly status: string
  readonly count: number
}

/** The answers that were errors, service failures (5xx) first, then the most frequent. */
export const errorsOf = (samples: readonly Sample[]): ErrorCount[] =>
  samples
    .filter(({ name, labels }) => name === "mailverdict_http_requests_total" && /^[45]/.test(labels.status ?? ""))
    .map(({ labels, value }) => ({
      route: `${labels.method} ${labels.route}`,
      status: labels.status!,
      count: value,
    }))
    .sort((a, b) => Number(b.status[0]) - Number(a.status[0]) || b.count - a.count)
