import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { days } from "./words.ts"

/** The current page: `#/lists/job_1?filter=valid` is the path ["lists", "job_1"] with a query. */
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

/** Decodes a step. A truncated escape sequence stays as it is. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** Called instead of showing another page, while `useStayHere` is mounted. */
let stay: (() => void) | null = null

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  // Before the browser can handle a click: an effect after the paint would miss a link followed at once.
  useLayoutEffect(() => {
    const follow = () => (stay ? stay() : setHash(location.hash))
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  return readRoute(hash)
}

/**
 * Keeps the user on the current page of the console. A reload or a closed tab gets the browser's own warning.
 * @param onAttempt called when Back or a link would have left the page
 * @returns a function that lets the user leave
 */
export function useStayHere(onAttempt: () => void): () => void {
  const latest = useRef(onAttempt)
  latest.current = onAttempt
  const release = useRef(() => {})
  useEffect(() => {
    const { href } = location
    const { state } = history
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", warn)
    stay = () => {
      history.pushState(state, "", href)
      latest.current()
    }
    release.current = () => {
      removeEventListener("beforeunload", warn)
      stay = null
    }
    return () => release.current()
  }, [])
  return () => release.current()
}

/** A choice that is stored in the URL, so that a link, a reload and Back restore it. */
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

/** The last days that are shown, as a choice in the URL: attributes of a select or of tabs. */
export function useDays(spans: readonly string[] = ["7", "30", "90"], initial = "30") {
  const [chosen, onValue] = useChoice("days")
  const value = spans.includes(chosen) ? chosen : initial
  return { value, onValue, options: spans.map((span) => [span, days(Number(span))] as const) }
}

const FROM_OUTSIDE = "from outside"

/**
 * Marks the history entry of a page opened from outside: by another site, a bookmark or the address bar.
 * A reload and Back preserve the mark. Call it before the first render.
 */
export function markArrival(): void {
  const [opened] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
  if (opened?.type !== "reload" && opened?.type !== "back_forward") history.replaceState(FROM_OUTSIDE, "")
}

/** Whether the URL came from outside the console. The user must then confirm what it spends or changes. */
export const isFromOutside = (): boolean => history.state === FROM_OUTSIDE

/** Records that the user confirmed the URL, so that a reload needs no second confirmation. */
export const confirmAddress = (): void => history.replaceState(null, "")

export const verifyLink = (email: string): string => `#/?${new URLSearchParams({ email })}`

/** Link that finds a person's address. Without a name it shows the formats of the domain. */
export const findLink = (name: string, domain: string): string =>
  `#/find?${new URLSearchParams(name === "" ? { domain } : { name, domain })}`

export const domainLink = (name: string): string => `#/domain?${new URLSearchParams({ name })}`

/** Link to the sign-in page, which returns to the current page. */
export const signInLink = (): string => `#/sign-in?${new URLSearchParams({ back: location.hash || "#/" })}`

/**
 * The page to open after a sign-in, as a link or the tab's storage names it. Only a page of this console counts: a link of
 * another site could otherwise lead a signed-in visitor anywhere.
 */
export const returnPage = (given: unknown): string =>
  typeof given === "string" && /^#\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(given) ? given : "#/lists"

/** @param replace replaces the history entry, as for a link that works once */
export function go(hash: string, { replace = false } = {}): void {
  if (!replace) location.hash = hash
  else location.replace(hash)
}

/** [first step of the path, title, what the page is for] of each page of the operator. */
export const OPERATOR_PAGES: readonly (readonly [string, string, string])[] = [
  ["accounts", "Accounts", "Customers and their keys: search, change a plan, suspend, revoke, erase."],
  ["fleet", "Fleet", "Probe nodes: their state, reputation and findings. Drain a node before maintenance."],
  ["all-jobs", "All jobs", "Lists of every account, and verifications that you started yourself."],
  ["list-data", "Domain lists", "Disposable and other domains: version, updates and your own entries."],
  ["model", "Model", "What the score learned from feedback, and how well its probabilities hold."],
  ["metrics", "Metrics", "Results today, waiting work, and requests by route with their mean time."],
  ["errors", "Errors", "Answers that were errors, by route and status."],
  [
    "trail",
    "Service audit trail",
    "Changes by accounts and every use of the admin secret, and whether the chain is intact.",
  ],
  ["settings", "Settings", "Which settings are in use, by name and never by value."],
]

/** The step of the path after which the console shows that Google returned: `#/sign-in/google`. */
export const GOOGLE_STEP = "google"

let returned: URLSearchParams | null = null

/**
 * Removes Google's answer from the URL, where it would stay in the browser's history: `#state=…&id_token=…`, or `error`
 * (OAuth 2.0 Multiple Response Type Encoding Practices, section 5). Call it before the first render.
 */
export function catchGoogleReturn(): void {
  const fragment = new URLSearchParams(location.hash.slice(1))
  if (!fragment.has("state") || !(fragment.has("id_token") || fragment.has("error"))) return
  returned = fragment
  history.replaceState(null, "", `${location.pathname}#/sign-in/${GOOGLE_STEP}`)
}

/** Google's answer, once. Null when this page was not opened by Google. */
export function consumeGoogleReturn(): URLSearchParams | null {
  const answer = returned
  returned = null
  return answer
}
