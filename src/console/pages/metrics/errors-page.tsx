import { Badge } from "../../parts/badge.tsx"
import { FirstRows } from "../../parts/first-rows.tsx"
import { Empty } from "../../parts/notice.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count } from "../../words.ts"
import { errorsOf } from "./prometheus.ts"
import { useMetrics } from "./use-metrics.ts"

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
export function ErrorsPage() {
  return (
    <Page
      title="Errors"
      lead="Answers that were errors, by route. Their details are in the log, by the request id of the answer."
    >
      <ForOperator>
        <Errors />
      </ForOperator>
    </Page>
  )
}

function Errors() {
  const load = useMetrics()
  return (
    <Panel title="By route and status" note={<a href="#/metrics">all requests</a>}>
      <div>
        <button type="button" class="button" onClick={load.reload}>
          Refresh
        </button>
      </div>
      <Loaded of={load}>
        {(samples) => {
          const errors = errorsOf(samples)
          return errors.length === 0 ? (
            <Empty title="No errors" />
          ) : (
            <FirstRows rows={errors}>
              {(shown) => (
                <Scroll label="Errors">
                  <table class="table">
                    <thead>
                      <tr>
                        <th>Status</th>
                        <th>Route</th>
                        <th>Meaning</th>
                        <th class="num">Answers</th>
                      </tr>
                    </thead>
                    <tbody>
                      {shown.map(({ route, status, count: answers }) => (
                        <tr key={`${route} ${status}`}>
                          <td>
                            <Badge tone={status.startsWith("5") ? "invalid" : "accept_all"}>{status}</Badge>
                          </td>
                          <td class="break">
                            <code>{route}</code>
                          </td>
                          <td>{MEANINGS[status] ?? ""}</td>
                          <td class="num">{count(answers)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </Scroll>
              )}
            </FirstRows>
          )
        }}
      </Loaded>
    </Panel>
  )
}
