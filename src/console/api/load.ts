import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { Answer, Problem } from "./call.ts"

type Loading<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly problem: Problem }
  | { readonly state: "ready"; readonly value: T }

export type Load<T> = Loading<T> & {
  /** What is shown is of the key before. */
  readonly isOld: boolean
  /** What is shown stays until the new answer is there. */
  readonly reload: () => void
}

/**
 * Asks when shown and again when `key` changes; an answer to an older question is dropped.
 * @param keep shows what there is until the answer for a new key is there, as when one leafs through pages
 */
export function useLoad<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Answer<T>>,
  { keep = false } = {},
): Load<T> {
  const [turn, setTurn] = useState(0)
  const [result, setResult] = useState<{ key: string; loading: Loading<T> }>({ key, loading: { state: "loading" } })
  // A new function each time it is shown: the key stands for it.
  const latest = useRef(ask)
  latest.current = ask
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
    if (turn >= 0) run(abort.signal)
    return () => abort.abort()
  }, [run, turn])
  const isOld = result.key !== key
  const loading: Loading<T> =
    isOld && !(keep && result.loading.state === "ready") ? { state: "loading" } : result.loading
  return { ...loading, isOld, reload: () => setTurn((before) => before + 1) }
}

/**
 * Something done at a click, once at a time: busy while it is under way, with the problem it ended in. Its button stays
 * enabled for the browser, which would take the focus from it.
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
  return { busy, problem, run, forget: () => setProblem(null) }
}
