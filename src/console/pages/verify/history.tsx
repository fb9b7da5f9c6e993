import { useEffect } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Deliverability, Recent } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"

const SHOWN = 10

/** The API adds a verification to the history after its response. */
const WRITTEN_AFTER_MS = 1_000

/** The account's latest verifications of an address. @param result a new one updates the list */
export function AddressHistory({ result }: { result: Deliverability }) {
  const { email } = result.checks
  const load = useLoad(email, (signal) => {
    const query = new URLSearchParams({ email, limit: String(SHOWN) })
    return call<{ verifications: readonly Recent[]; total: number }>(`/me/recent-verifications?${query}`, { signal })
  })
  useEffect(() => {
    const timer = setTimeout(load.reload, WRITTEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [result])
  return (
    <Panel
      title="History of this address"
      note="Single verifications of your account, newest first. Results of lists are on the page of each list."
    >
      <Loaded of={load} lines={2}>
        {({ verifications, total }) => (
          <>
            {verifications.length === 0 ? (
              <p class="soft">No verifications in the history yet.</p>
            ) : (
              <HistoryTable rows={verifications} />
            )}
            {total > SHOWN && (
              <p class="small soft">
                The latest {SHOWN} of {total}.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function HistoryTable({ rows }: { rows: readonly Recent[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>When</th>
          <th>Status</th>
          <th class="num">Score</th>
          <th>Source</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, status, score, cached, created_at }) => (
          <tr key={id}>
            <td>
              <Ago at={created_at} />
            </td>
            <td>
              <StatusBadge status={status} />
            </td>
            <td class="num">{score}</td>
            <td class="soft">{cached ? "Cached result" : "New"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
