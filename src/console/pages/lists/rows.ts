import { useEffect, useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import type { Checks, JobPage } from "../../api/shapes.ts"

/** Rows a page, the most the API gives. */
const PAGE = 1_000

interface Rows {
  /** Null before the first page. */
  readonly rows: readonly Checks[] | null
  readonly isComplete: boolean
  readonly problem: Problem | null
  readonly more: () => void
}

/** A job's results page by page, as far as somebody wants to see them. */
export function useRows(jobId: string): Rows {
  const [rows, setRows] = useState<readonly Checks[] | null>(null)
  const [cursor, setCursor] = useState<string | null>("")
  const [problem, setProblem] = useState<Problem | null>(null)
  async function load(from: string, before: readonly Checks[]) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(from === "" ? {} : { cursor: from }) })
    const answer = await call<JobPage>(`/jobs/${encodeURIComponent(jobId)}?${query}`)
    if (!answer.ok) return setProblem(answer.problem)
    setRows([...before, ...(answer.body.results ?? []).map(({ checks }) => checks)])
    setCursor(answer.body.next_cursor ?? null)
  }
  useEffect(() => void load("", []), [jobId])
  const more = () => void (cursor === null ? null : load(cursor, rows ?? []))
  return { rows, isComplete: rows !== null && cursor === null, problem, more }
}
