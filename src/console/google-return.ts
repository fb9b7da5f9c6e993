/** The step of the path after which the console shows that Google returned: `#/sign-in/google`. */
export const GOOGLE_STEP = "google"

let returned: URLSearchParams | null = null

/**
 * Takes Google's answer out of the URL, where it would stay in the browser's history: `#state=…&id_token=…`, or `error`
 * (OAuth 2.0 Multiple Response Type Encoding Practices, section 5). Call it before the first render.
 */
export function catchGoogleReturn(): void {
  const fragment = new URLSearchParams(location.hash.slice(1))
  if (!fragment.has("state") || !(fragment.has("id_token") || fragment.has("error"))) return
  returned = fragment
  history.replaceState(null, "", `${location.pathname}#/sign-in/${GOOGLE_STEP}`)
}

/** Google's answer, once. Null when this page was not opened by Google. */
export function takeGoogleReturn(): URLSearchParams | null {
  const answer = returned
  returned = null
  return answer
}
