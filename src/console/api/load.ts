import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { Answer, Problem } from "./call.ts"

type Loading<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly problem: Problem }
  | { readonly state: "ready"; readonly value: T }

export type Load<T> = Loading<T> & {
  /** Whether the value belongs to the previous key. */
  readonly isStale: boolean
  /** Fetches again and shows the old value until the response arrives. */
  readonly reload: () => void
}

/**
 * Fetches on the first render and when `key` changes, and drops outdated responses.
 * @param keepPrevious shows the previous value until the response for a new key arrives, as for pages of a table
 */
export function useLoad<T>(
  key: string,
  request: (signal: AbortSignal) => Promise<Answer<T>>,
  { keepPrevious = false } = {},
): Load<T> {
  const [reloads, setReloads] = useState(0)
  const [result, setResult] = useState<{ key: string; loading: Loading<T> }>({ key, loading: { state: "loading" } })
  // The function is new on every render, so that `key` identifies the request instead.
  const latest = useRef(request)
  latest.current = request
  const run = useCallback(
    (signal: AbortSignal) =>
      latest.current(signal).then((answer) => {
        if (signal.aborted) return
        const loading: Loading<T> = answer.ok
          ? { state: "ready", value: answer.body }
          : { state: "failed", problem: answer.problem }
        setResult({ key, loading })
      }),
    [key],
  )
  useEffect(() => {
    const abort = new AbortController()
    if (reloads >= 0) run(abort.signal)
    return () => abort.abort()
  }, [run, reloads])
  const isStale = result.key !== key
  const loading: Loading<T> =
    isStale && !(keepPrevious && result.loading.state === "ready") ? { state: "loading" } : result.loading
  return { ...loading, isStale, reload: () => setReloads((before) => before + 1) }
}

/**
 * Runs an action once at a time and holds its problem. Use `aria-disabled` on its button:
 * the browser would remove the focus from a disabled button.
 */
export function useAction<Args extends readonly unknown[]>(perform: (...args: Args) => Promise<Problem | null>) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const running = useRef(false)
  async function run(...args: Args): Promise<boolean> {
    if (running.current) return false
    running.current = true
    setBusy(true)
    setProblem(null)
    const found = await perform(...args)
    running.current = false
    setProblem(found)
    setBusy(false)
    return found === null
  }
  return { busy, problem, run, clearProblem: () => setProblem(null) }
}
