import { useEffect, useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { events } from "../../api/events.ts"
import type { Job } from "../../api/shapes.ts"

export const isOver = ({ status }: Job): boolean => status !== "queued" && status !== "running"

export type Watched = { readonly job: Job | null; readonly problem: Problem | null }

const BREAK_MS = 2_000

/** A job as it goes on: its events, and where they break off its state every two seconds. */
export function useJob(jobId: string): Watched {
  const [watched, setWatched] = useState<Watched>({ job: null, problem: null })
  useEffect(() => {
    const abort = new AbortController()
    setWatched({ job: null, problem: null })
    void follow(jobId, abort.signal, setWatched)
    return () => abort.abort()
  }, [jobId])
  return watched
}

async function follow(jobId: string, signal: AbortSignal, tell: (watched: Watched) => void): Promise<void> {
  while (!signal.aborted) {
    const answer = await call<Job>(`/bulk/status/${encodeURIComponent(jobId)}`, { signal })
    if (signal.aborted) return
    if (answer.ok) tell({ job: answer.body, problem: null })
    else if (answer.problem.status !== 0 && answer.problem.status < 500)
      return tell({ job: null, problem: answer.problem })
    if (answer.ok && isOver(answer.body)) return
    for await (const job of events<Job>(`/jobs/${encodeURIComponent(jobId)}/events`, signal)) {
      if (signal.aborted) return
      tell({ job, problem: null })
      if (isOver(job)) return
    }
    await new Promise((resolve) => setTimeout(resolve, BREAK_MS))
  }
}
