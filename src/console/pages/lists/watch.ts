import { useEffect, useState } from "preact/hooks"
import { call, isPassing, type Problem } from "../../api/call.ts"
import { events } from "../../api/events.ts"
import type { Job } from "../../api/shapes.ts"

export const isOver = ({ status }: Job): boolean => status !== "queued" && status !== "running"

export interface Watched {
  /** As it was when it was last heard of. */
  readonly job: Job | null
  readonly problem: Problem | null
}

const BREAK_MS = 2_000

/** A job as it goes on: its events, and where they break off its state every two seconds. */
export function useJob(jobId: string): Watched {
  const [watched, setWatched] = useState<Watched>({ job: null, problem: null })
  useEffect(() => {
    const abort = new AbortController()
    void follow(jobId, abort.signal, (news) => setWatched((before) => ({ ...before, ...news })))
    return () => abort.abort()
  }, [jobId])
  return watched
}

type Tell = (news: Partial<Watched>) => void

async function follow(jobId: string, signal: AbortSignal, tell: Tell): Promise<void> {
  while (!signal.aborted) {
    const answer = await call<Job>(`/bulk/status/${encodeURIComponent(jobId)}`, { signal })
    if (signal.aborted) return
    tell(answer.ok ? { job: answer.body, problem: null } : { problem: answer.problem })
    if (answer.ok ? isOver(answer.body) : !isPassing(answer.problem)) return
    if (answer.ok && (await listen(jobId, signal, tell))) return
    await new Promise((resolve) => setTimeout(resolve, BREAK_MS))
  }
}

/** @returns whether nothing more is to be heard */
async function listen(jobId: string, signal: AbortSignal, tell: Tell): Promise<boolean> {
  for await (const job of events<Job>(`/jobs/${encodeURIComponent(jobId)}/events`, signal)) {
    if (signal.aborted) return true
    tell({ job })
    if (isOver(job)) return true
  }
  return signal.aborted
}
