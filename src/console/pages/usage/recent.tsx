import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Recent } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Address, Ago } from "../../parts/text.tsx"
import { verifyLink } from "../../route.ts"

const PAGE = 25

export function RecentVerifications() {
  const pages = usePages()
  const offset = Number(pages.cursor)
  const load = useLoad(
    `recent ${offset}`,
    (signal) =>
      call<{ verifications: readonly Recent[] }>(`/me/recent-verifications?limit=${PAGE}&offset=${offset}`, { signal }),
    { keepPrevious: true },
  )
  return (
    <Panel title="Latest single verifications">
      <Loaded of={load}>
        {({ verifications }) => (
          <>
            {verifications.length === 0 ? (
              <Empty title={offset === 0 ? "None yet" : "No more verifications"}>
                <p>Verifications of single addresses appear here. Lists have their own page.</p>
              </Empty>
            ) : (
              <RecentTable rows={verifications} />
            )}
            <Pager
              pages={pages}
              next={verifications.length === PAGE ? String(offset + PAGE) : null}
              busy={load.isStale}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function RecentTable({ rows }: { rows: readonly Recent[] }) {
  return (
    <Scroll label="Latest verifications">
      <table class="table">
        <thead>
          <tr>
            <th>Address</th>
            <th>Status</th>
            <th class="num">Score</th>
            <th>When</th>
            <th>Source</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, email, status, score, cached, created_at }) => (
            <tr key={id}>
              <td class="break">
                <a href={verifyLink(email)}>
                  <Address email={email} />
                </a>
              </td>
              <td>
                <StatusBadge status={status} />
              </td>
              <td class="num">{score}</td>
              <td>
                <Ago at={created_at} />
              </td>
              <td class="soft">{cached ? "Cached result" : "New"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
