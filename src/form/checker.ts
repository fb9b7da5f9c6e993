export interface CheckerOptions {
  /** URL of `POST /form/verify`. */
  readonly endpoint: string
  /** A publishable key. */
  readonly key: string
  /** Wait for an answer, in milliseconds. */
  readonly timeoutMs: number
}

/** Checks a text in a language (BCP 47). Null when the service is silent, slow or refuses: the form then does nothing. */
export type Check = (email: string, lang: string | undefined, signal: AbortSignal) => Promise<FormAnswer | null>

interface Remembered {
  readonly answer: FormAnswer | null
  /** Unix milliseconds. */
  readonly until: number
}

const MAX_REMEMBERED = 50
/** Pause after a refusal that names no time, in seconds. */
const PAUSE_SECONDS = 60
/** An address without an answer is sent again after this time, in milliseconds. */
const RETRY_MS = 5_000

/** Creates the check of one page. It remembers answers, and pauses while the service limits the visitor. */
export function createChecker({ endpoint, key, timeoutMs }: CheckerOptions): Check {
  const remembered = new Map<string, Remembered>()
  let pausedUntil = 0
  let hasWarned = false

  async function request(email: string, lang: string | undefined, signal: AbortSignal): Promise<FormAnswer | null> {
    // The key in the query and a text body make it a simple request, which needs no preflight (Fetch, section 3.2.2).
    const response = await fetch(`${endpoint}?api_key=${encodeURIComponent(key)}`, {
      method: "POST",
      body: JSON.stringify({ email, lang }),
      credentials: "omit",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (response.status === 429)
      pausedUntil = Date.now() + 1_000 * (Number(response.headers.get("retry-after")) || PAUSE_SECONDS)
    return response.ok ? ((await response.json()) as FormAnswer) : null
  }

  function warnOnce() {
    if (hasWarned) return
    hasWarned = true
    console.warn(
      `Mailverdict: no answer from ${endpoint}. Check that the key is complete and not revoked, and that its allowed_origins contain ${location.origin}.`,
    )
  }

  return async function check(email, lang, signal) {
    const name = `${lang} ${email}`
    const known = remembered.get(name)
    const now = Date.now()
    if (known && now < known.until) return known.answer
    if (now < pausedUntil) return null
    const answer = await request(email, lang, signal).catch((error: unknown) => {
      // The browser hides the refusal of a key or an origin from the script, even if it blames CORS.
      if (error instanceof TypeError) warnOnce()
      return null
    })
    if (signal.aborted) return null
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    const isDecided = answer !== null && answer.reason !== "no_answer"
    remembered.set(name, { answer, until: isDecided ? Number.POSITIVE_INFINITY : Date.now() + RETRY_MS })
    return answer
  }
}

/** The answer of `POST /form/verify`. */
export interface FormAnswer {
  readonly action: "ok" | "fix" | "warn" | "block"
  readonly reason: string
  /** For the visitor; null when the action is `ok`. */
  readonly message: string | null
  /** The address that was probably meant. */
  readonly suggestion: string | null
  /** For the button that takes the suggestion. */
  readonly suggestion_label: string | null
  /** The language of the texts. */
  readonly lang: string
}

/** The detail of the event `mailverdict:result`. */
export interface FormResult extends FormAnswer {
  /** The checked text of the field. */
  readonly email: string
}
