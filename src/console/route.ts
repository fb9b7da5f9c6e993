import { useEffect, useState } from "preact/hooks"

/** Where the console is: `#/lists/job_1?filter=valid` is the path ["lists", "job_1"] with a query. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?")
  return {
    path: path
      .split("/")
      .filter((step) => step !== "")
      .map(decoded),
    query: new URLSearchParams(query),
  }
}

/** A link somebody cut off in the middle of an escape still leads somewhere. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  return readRoute(hash)
}

/** What is chosen on a page stands in its address, so that a link, a reload and the way back show the same. */
export function useChoice(name: string): readonly [string, (value: string) => void] {
  const [value, setValue] = useState(() => readRoute(location.hash).query.get(name) ?? "")
  function choose(next: string) {
    setValue(next)
    const [path = "", before = ""] = location.hash.split("?")
    const query = new URLSearchParams(before)
    if (next === "") query.delete(name)
    else query.set(name, next)
    history.replaceState(null, "", query.size > 0 ? `${path}?${query}` : path)
  }
  return [value, choose]
}

/** Where an address is verified. */
export const verifyLink = (email: string): string => `#/?${new URLSearchParams({ email })}`

/** Where one signs in, and comes back from to what is shown now. */
export const signInLink = (): string => `#/sign-in?${new URLSearchParams({ back: location.hash })}`

/** @param replace leaves nothing to go back to, as for a link that works once */
export function go(hash: string, { replace = false } = {}): void {
  if (!replace) location.hash = hash
  else location.replace(hash)
}
