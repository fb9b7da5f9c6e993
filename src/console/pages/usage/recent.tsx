import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Recent } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"

const PAGE = 25

export function RecentVerifications() {
  const [offset, setOffset] = useState(0)
  const load = useLoad(`recent ${offset}`, (signal) =>
    call<{ verifications: readonly Recent[] }>(`/me/recent-verifications?limit=${PAGE}&offset=${offset}`, { signal }),
  )
  return (
    <Panel title="Latest single verifications">
      <Loaded of={load}>
        {({ verifications }) => (
          <>
            {verifications.length === 0 ? (
              <Empty title={offset === 0 ? "None yet" : "That was all"}>
                <p>Verifications of single addresses are here; lists have a page of their own.</p>
              </Empty>
            ) : (
              <RecentTable rows={verifications} />
            )}
            <div class="row">
              {offset > 0 && (
                <button type="button" class="button quiet" onClick={() => setOffset(Math.max(0, offset - PAGE))}>
                  Newer
                </button>
              )}
              {verifications.length === PAGE && (
                <button type="button" class="button quiet" onClick={() => setOffset(offset + PAGE)}>
                  Older
                </button>
              )}
            </div>
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
            <th>From</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, email, status, score, cached, created_at }) => (
            <tr key={id}>
              <td>
                <a href={`#/?email=${encodeURIComponent(email)}`}>{email}</a>
              </td>
              <td>
                <StatusBadge status={status} />
              </td>
              <td class="num">{score}</td>
              <td>
                <Ago at={created_at} />
              </td>
              <td class="soft">{cached ? "the store" : "a mail server"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
