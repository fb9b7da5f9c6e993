import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { Answer, Problem } from "./call.ts"

export type Loading<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly problem: Problem }
  | { readonly state: "ready"; readonly value: T }

export type Load<T> = Loading<T> & {
  /** What is shown stays until the new answer is there. */
  readonly reload: () => void
}

/** Asks when shown and again when `key` changes; an answer to an older question is dropped. */
export function useLoad<T>(key: string, ask: (signal: AbortSignal) => Promise<Answer<T>>): Load<T> {
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
  const loading: Loading<T> = result.key === key ? result.loading : { state: "loading" }
  return { ...loading, reload: () => setTurn((before) => before + 1) }
}

/** Something done at a click: busy while it is under way, with the problem it ended in. */
export function useAction<Args extends readonly unknown[]>(perform: (...args: Args) => Promise<Problem | null>) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function run(...args: Args): Promise<boolean> {
    setBusy(true)
    setProblem(null)
    const found = await perform(...args)
    setProblem(found)
    setBusy(false)
    return found === null
  }
  return { busy, problem, run, forget: () => setProblem(null) }
}
