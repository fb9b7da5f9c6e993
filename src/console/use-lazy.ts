import { useEffect, useState } from "preact/hooks"

export type Loader<T> = () => Promise<T>

type Lazy<T> = { readonly state: "loading" | "failed" } | { readonly state: "ready"; readonly value: T }

const loaded = new Map<string, unknown>()

/** Loads a script once. A value that is already loaded is there on the first render. @param name identifies the value */
export function useLazy<T>(name: string, load: Loader<T>): Lazy<T> {
  const [state, setState] = useState<Lazy<T>["state"]>(loaded.has(name) ? "ready" : "loading")
  useEffect(() => {
    // It may have arrived between the render and this effect, for a page that was left while it loaded.
    if (loaded.has(name)) return setState("ready")
    load().then(
      (value) => {
        loaded.set(name, value)
        setState("ready")
      },
      () => setState("failed"),
    )
  }, [name, load])
  return state === "ready" ? { state, value: loaded.get(name) as T } : { state }
}
