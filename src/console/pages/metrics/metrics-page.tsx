import { Bars } from "../../parts/bars.tsx"
import { FirstRows } from "../../parts/first-rows.tsx"
import { Empty } from "../../parts/notice.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { count, counted, duration, milliseconds, percent, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"
import { type Sample, trafficOf } from "./prometheus.ts"
import { useMetrics } from "./use-metrics.ts"

/** What the service does now: results of today, waiting work and requests by route. */
export function MetricsPage() {
  return (
    <Page title="Metrics" lead="The numbers of /admin/metrics, which Prometheus can read too. Up to ten seconds old.">
      <ForOperator>
        <Metrics />
      </ForOperator>
    </Page>
  )
}

function Metrics() {
  const load = useMetrics()
  return (
    <Loaded of={load} lines={6}>
      {(samples) => (
        <>
          <div>
            <button type="button" class="button" onClick={load.reload}>
              Refresh
            </button>
          </div>
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
          <Routes samples={samples} />
        </>
      )}
    </Loaded>
  )
}

function sum(samples: readonly Sample[], name: string, wanted: Readonly<Record<string, string>> = {}): number {
  return samples
    .filter((one) => one.name === name && Object.entries(wanted).every(([key, value]) => one.labels[key] === value))
    .reduce((total, { value }) => total + value, 0)
}

function tilesOf(samples: readonly Sample[]) {
  const lookups = "mailverdict_cache_lookups_total"
  const [hits, all] = [sum(samples, lookups, { result: "hit" }), sum(samples, lookups)]
  const due = sum(samples, "mailverdict_job_chunk_oldest_due_seconds")
  const webhooks = sum(samples, "mailverdict_webhooks_due")
  return [
    {
      name: "Cache hits today",
      value: all === 0 ? "–" : percent(hits / all, 0),
      note: `${count(hits)} of ${count(all)} lookups`,
    },
    {
      name: "Parts of lists waiting",
      value: count(sum(samples, "mailverdict_job_chunks")),
      note: due === 0 ? "none is due" : `the oldest has been due for ${duration(due)}`,
    },
    {
      name: "Background verifications",
      value: count(sum(samples, "mailverdict_pending_verifications")),
      note: `${counted(sum(samples, "mailverdict_rechecks_due"), "recheck")} due`,
    },
    {
      name: "Webhooks due",
      value: count(webhooks),
      note: webhooks === 0 ? "no attempt is due" : "their next attempt is due now",
    },
  ]
}

function Routes({ samples }: { samples: readonly Sample[] }) {
  const traffic = trafficOf(samples)
  return (
    <Panel title="Requests by route" note={<a href="#/errors">errors by route</a>}>
      {traffic.length === 0 ? (
        <Empty title="No requests yet" />
      ) : (
        <FirstRows rows={traffic}>
          {(shown) => (
            <Scroll label="Requests by route">
              <table class="table">
                <thead>
                  <tr>
                    <th>Route</th>
                    <th class="num">Requests</th>
                    <th class="num">Refused (4xx)</th>
                    <th class="num">Failed (5xx)</th>
                    <th class="num">Mean time</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map(({ route, requests, refused, failed, meanMs }) => (
                    <tr key={route}>
                      <td class="break">
                        <code>{route}</code>
                      </td>
                      <td class="num">{count(requests)}</td>
                      <td class="num">{count(refused)}</td>
                      <td class="num">{count(failed)}</td>
                      <td class="num">{meanMs === null ? "–" : milliseconds(meanMs)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )}
        </FirstRows>
      )}
    </Panel>
  )
}
