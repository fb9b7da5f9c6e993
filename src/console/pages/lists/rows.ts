import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Checks, JobPage } from "../../api/shapes.ts"

/** Rows per page, the API's maximum. */
const PAGE = 1_000

interface Rows {
  readonly rows: readonly Checks[]
  readonly isComplete: boolean
  readonly busy: boolean
  readonly problem: Problem | null
  readonly more: () => void
}

/** Loads a job's results page by page on demand. */
export function useRows(jobId: string): Rows {
  const [rows, setRows] = useState<readonly Checks[]>([])
  const [cursor, setCursor] = useState<string | null>("")
  const { busy, problem, run } = useAction(async (from: string) => {
    const query = new URLSearchParams({ limit: String(PAGE), ...(from === "" ? {} : { cursor: from }) })
    const answer = await call<JobPage>(`/jobs/${encodeURIComponent(jobId)}?${query}`)
    if (!answer.ok) return answer.problem
    setRows([...rows, ...(answer.body.results ?? []).map(({ checks }) => checks)])
    setCursor(answer.body.next_cursor ?? null)
    return null
  })
  const more = () => void (cursor === null ? null : run(cursor))
  return { rows, isComplete: cursor === null, busy, problem, more }
}
