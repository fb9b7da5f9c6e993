import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { type Answer, type CallInit, call, type Problem } from "./call.ts"

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

interface GetInit extends CallInit {
  /** Another value fetches again. */
  readonly version?: unknown
  readonly keepPrevious?: boolean
}

/** Fetches a path of the API: on the first render, and when the path or the version changes. */
export function useGet<T>(path: string, { version = "", keepPrevious = false, ...init }: GetInit = {}): Load<T> {
  return useLoad(`${path} ${version}`, (signal) => call<T>(path, { ...init, signal }), { keepPrevious })
}

export type PagedLoad<T> = Load<T> & {
  readonly pages: {
    readonly number: number
    readonly older: (next: string) => void
    readonly newer: () => void
  }
}

interface PagedInit extends CallInit {
  readonly version?: unknown
  /** The API's name of the position. */
  readonly position?: "cursor" | "offset"
}

/**
 * Fetches a long table page by page. It holds the cursor of each visited page, because cursors only lead forward.
 * @param filters parameters of the query, without the empty ones. Other filters begin at the first page
 */
export function usePaged<T>(
  path: string,
  filters: Readonly<Record<string, string>>,
  { position = "cursor", ...init }: PagedInit = {},
): PagedLoad<T> {
  const chosen = JSON.stringify(filters)
  const [visited, setVisited] = useState<{ chosen: string; cursors: readonly string[] }>({ chosen, cursors: [] })
  const cursors = visited.chosen === chosen ? visited.cursors : []
  const all = { ...filters, [position]: cursors.at(-1) ?? "" }
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""))
  const load = useGet<T>(query.size === 0 ? path : `${path}?${query}`, { ...init, keepPrevious: true })
  return {
    ...load,
    pages: {
      number: cursors.length + 1,
      older: (next) => setVisited({ chosen, cursors: [...cursors, next] }),
      newer: () => setVisited({ chosen, cursors: cursors.slice(0, -1) }),
    },
  }
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
