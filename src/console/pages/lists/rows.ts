import { useEffect, useRef, useState } from "preact/hooks"
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

interface Loaded {
  readonly rows: readonly Checks[]
  /** Null after the last row. */
  readonly cursor: string | null
}

/**
 * Loads a job's results page by page on demand. @param version changes when the job has more results: the rows that are
 * shown are then loaded again, and replaced when they have arrived
 */
export function useRows(jobId: string, version: number): Rows {
  const [loaded, setLoaded] = useState<Loaded>({ rows: [], cursor: "" })
  const shown = useRef(version)
  const { busy, problem, run } = useAction(async (from: Loaded, atLeast: number) => {
    let { rows, cursor } = from
    do {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor ? { cursor } : {}) })
      const answer = await call<JobPage>(`/jobs/${encodeURIComponent(jobId)}?${query}`)
      if (!answer.ok) return answer.problem
      rows = [...rows, ...(answer.body.results ?? []).map(({ checks }) => checks)]
      cursor = answer.body.next_cursor ?? null
    } while (cursor !== null && rows.length < atLeast)
    setLoaded({ rows, cursor })
    return null
  })
  useEffect(() => {
    if (busy || shown.current === version) return
    shown.current = version
    if (loaded.cursor !== "") void run({ rows: [], cursor: "" }, loaded.rows.length)
  }, [version, busy])
  const more = () => void (loaded.cursor === null ? null : run(loaded, 0))
  return { rows: loaded.rows, isComplete: loaded.cursor === null, busy, problem, more }
}
