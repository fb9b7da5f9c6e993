import { useEffect, useState } from "preact/hooks"
import { call, isTemporary, type Problem, send } from "../../api/call.ts"
import type { Job } from "../../api/shapes.ts"

export const isOver = ({ status }: Job): boolean => status !== "queued" && status !== "running"

interface Watched {
  /** The last known state. */
  readonly job: Job | null
  readonly problem: Problem | null
}

const POLL_MS = 2_000

/** Follows a job by its event stream. When the stream is cut off, it polls every two seconds. */
export function useJob(jobId: string): Watched {
  const [watched, setWatched] = useState<Watched>({ job: null, problem: null })
  useEffect(() => {
    const abort = new AbortController()
    void follow(jobId, abort.signal, (update) => setWatched((before) => ({ ...before, ...update })))
    return () => abort.abort()
  }, [jobId])
  return watched
}

type OnUpdate = (update: Partial<Watched>) => void

async function follow(jobId: string, signal: AbortSignal, onUpdate: OnUpdate): Promise<void> {
  while (!signal.aborted) {
    const answer = await call<Job>(`/bulk/status/${encodeURIComponent(jobId)}`, { signal })
    if (signal.aborted) return
    onUpdate(answer.ok ? { job: answer.body, problem: null } : { problem: answer.problem })
    if (answer.ok ? isOver(answer.body) : !isTemporary(answer.problem)) return
    if (answer.ok && (await followEvents(jobId, signal, onUpdate))) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** @returns whether the job ended or the caller stopped */
async function followEvents(jobId: string, signal: AbortSignal, onUpdate: OnUpdate): Promise<boolean> {
  for await (const job of events<Job>(`/jobs/${encodeURIComponent(jobId)}/events`, signal)) {
    if (signal.aborted) return true
    onUpdate({ job })
    if (isOver(job)) return true
  }
  return signal.aborted
}

const START = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" })

/** The name of a list: of its file, or "List of Nov 26, 4:28 PM" for a list that came without one. */
export const listName = ({ file_name, submitted_at }: Pick<Job, "file_name" | "submitted_at">): string =>
  file_name ?? `List of ${START.format(new Date(submitted_at))}`

/**
 * Yields the payloads of server-sent events (WHATWG HTML §9.2). `EventSource` cannot send an API key.
 * Ends without an error when the stream is cut off.
 */
async function* events<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  const answer = await send(path, { signal })
  if (!answer.ok || !answer.body.body) return
  const reader = answer.body.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined) yield JSON.parse(data) as T
      }
    }
  } catch {
    // Aborted or cut off: the caller then fetches the state itself.
  }
}
