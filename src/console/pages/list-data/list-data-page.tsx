import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { DisposableStats } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Empty } from "../../parts/notice.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { count, plain } from "../../words.ts"
import { Overrides } from "./overrides.tsx"
import { Refresh } from "./refresh.tsx"

/** The domain lists that judge addresses: their version, their updates and the operator's own entries. */
export function ListDataPage() {
  return (
    <Page
      title="Domain lists"
      lead="Disposable, free and other domains: the active version, updates and your own entries."
    >
      <ForOperator>
        <ListData />
      </ForOperator>
    </Page>
  )
}

function ListData() {
  const load = useLoad("list data", (signal) =>
    call<DisposableStats>("/admin/disposable-stats", { signal, asOperator: true }),
  )
  return (
    <>
      <Loaded of={load} lines={6}>
        {(stats) => (
          <>
            <Tiles
              tiles={[
                { name: "Version", value: stats.version },
                {
                  name: "Disposable domains",
                  value: count(stats.shipped.disposable_domains),
                  note: `and ${count(stats.fetched.disposable ?? 0)} fetched since`,
                },
                { name: "Last update", value: <Ago at={stats.last_refresh} /> },
              ]}
            />
            <Panel title="Updates" note="the last ten">
              <Refresh onDone={load.reload} />
              <Updates refreshes={stats.refreshes} />
            </Panel>
          </>
        )}
      </Loaded>
      <Overrides onChange={load.reload} />
    </>
  )
}

function Updates({ refreshes }: Pick<DisposableStats, "refreshes">) {
  if (refreshes.length === 0)
    return (
      <Empty title="No updates yet">
        <p>The lists are those of the release.</p>
      </Empty>
    )
  return (
    <Scroll label="Updates">
      <table class="table">
        <thead>
          <tr>
            <th>When</th>
            <th>List</th>
            <th>Outcome</th>
            <th class="num">Added</th>
            <th class="num">Removed</th>
          </tr>
        </thead>
        <tbody>
          {refreshes.map((one) => (
            <tr key={`${one.at} ${one.class}`}>
              <td>
                <Ago at={one.at} />
              </td>
              <td>{plain(one.class)}</td>
              <td>
                <Badge tone={one.outcome === "refused" ? "invalid" : "valid"}>{plain(one.outcome)}</Badge>
                {one.reason && <div class="soft small">{one.reason}</div>}
              </td>
              <td class="num">{count(one.added)}</td>
              <td class="num">{count(one.removed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
