/** What the caller shows instead of the session cookie, which the browser sends by itself. */
export interface Credentials {
  readonly apiKey: string | null
  /** Kept in memory only: it opens everything. */
  readonly adminSecret: string | null
}

const KEY = "mailverdict.api-key"
const SESSION = "mailverdict.session"

let current: Credentials = { apiKey: sessionStorage.getItem(KEY), adminSecret: null }

export const credentials = (): Credentials => current

/** Until the tab is closed. */
export function keepApiKey(apiKey: string | null): void {
  current = { ...current, apiKey }
  if (apiKey === null) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, apiKey)
}

export function keepAdminSecret(adminSecret: string | null): void {
  current = { ...current, adminSecret }
}

/** The cookie cannot be read from here; this remembers that there should be one. */
export const mayHaveSession = (): boolean => localStorage.getItem(SESSION) !== null

export function noteSession(begun: boolean): void {
  if (begun) localStorage.setItem(SESSION, "1")
  else localStorage.removeItem(SESSION)
}
