import { type Answer, RESPONSE_CUT_OFF, send } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import { Bars } from "../../parts/bars.tsx"
import { Button } from "../../parts/buttons.tsx"
import { DataTable, LoadedTable } from "../../parts/data-table.tsx"
import { type TileEntry, Tiles } from "../../parts/figures.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { Badge } from "../../parts/text.tsx"
import { count, counted, duration, milliseconds, percent, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"
import { errorsOf, readSamples, type Sample, trafficOf } from "./prometheus.ts"

/** Rows of a table at first. */
const FIRST = 25

/** Loads the service's metrics. They are at most ten seconds old. */
function useMetrics(): Load<readonly Sample[]> {
  return useLoad("metrics", async (signal): Promise<Answer<readonly Sample[]>> => {
    const answer = await send("/admin/metrics", { signal, asOperator: true })
    if (!answer.ok) return answer
    try {
      return { ok: true, body: readSamples(await answer.body.text()) }
    } catch {
      return { ok: false, problem: RESPONSE_CUT_OFF }
    }
  })
}

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
          <Panel title="Requests by route" note={<a href="#/errors">errors by route</a>}>
            <DataTable
              label="Requests by route"
              first={FIRST}
              rows={trafficOf(samples)}
              rowKey={({ route }) => route}
              columns={[
                { title: "Route", class: "break", cell: ({ route }) => <code>{route}</code> },
                { title: "Requests", class: "num", cell: ({ requests }) => count(requests) },
                { title: "Refused (4xx)", class: "num", cell: ({ refused }) => count(refused) },
                { title: "Failed (5xx)", class: "num", cell: ({ failed }) => count(failed) },
                {
                  title: "Mean time",
                  class: "num",
                  cell: ({ meanMs }) => (meanMs === null ? "–" : milliseconds(meanMs)),
                },
              ]}
              empty={<Empty title="No requests yet" />}
            />
          </Panel>
        </>
      )}
    </Loaded>
  )
}

function Refresh({ of: load }: { of: Load<unknown> }) {
  return (
    <div>
      <Button label="Refresh" onClick={load.reload} />
    </div>
  )
}

function sum(samples: readonly Sample[], name: string, wanted: Readonly<Record<string, string>> = {}): number {
  return samples
    .filter((one) => one.name === name && Object.entries(wanted).every(([key, value]) => one.labels[key] === value))
    .reduce((total, { value }) => total + value, 0)
}

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

/** What each error status means to an operator. */
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

/** The answers that were errors, by route. */
export const ErrorsPage = page(Errors, {
  title: "Errors",
  lead: "Answers that were errors, by route. Their details are in the log, by the request id of the answer.",
  access: "operator",
})

function Errors() {
  const load = useMetrics()
  return (
    <Panel title="By route and status" note={<a href="#/metrics">all requests</a>}>
      <Refresh of={load} />
      <LoadedTable
        of={load}
        label="Errors"
        first={FIRST}
        rows={errorsOf}
        rowKey={({ route, status }) => `${route} ${status}`}
        columns={[
          {
            title: "Status",
            cell: ({ status }) => <Badge tone={status.startsWith("5") ? "invalid" : "accept_all"}>{status}</Badge>,
          },
          { title: "Route", class: "break", cell: ({ route }) => <code>{route}</code> },
          { title: "Meaning", cell: ({ status }) => MEANINGS[status] ?? "" },
          { title: "Answers", class: "num", cell: (error) => count(error.count) },
        ]}
        empty={<Empty title="No errors" />}
      />
    </Panel>
  )
}
