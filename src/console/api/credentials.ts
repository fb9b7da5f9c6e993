import { browserStorage, tabStorage } from "./storage.ts"

/** What the caller shows instead of the session cookie, which the browser sends by itself. */
export interface Credentials {
  readonly apiKey: string | null
  /** Kept in memory only: it opens everything. */
  readonly adminSecret: string | null
}

const KEY = "mailverdict.api-key"
const SESSION = "mailverdict.session"

let current: Credentials = { apiKey: tabStorage.getItem(KEY), adminSecret: null }

export const credentials = (): Credentials => current

/** Until the tab is closed. */
export function keepApiKey(apiKey: string | null): void {
  current = { ...current, apiKey }
  if (apiKey === null) tabStorage.removeItem(KEY)
  else tabStorage.setItem(KEY, apiKey)
}

export function keepAdminSecret(adminSecret: string | null): void {
  current = { ...current, adminSecret }
}

/** A secret as it was pasted: no header can carry what comes along unseen. */
export const bare = (pasted: string): string => pasted.replace(/[^!-~]/g, "")

/** The cookie cannot be read from here; this remembers that there should be one, for all tabs. */
export function noteSession(begun: boolean): void {
  // Another session is another note, which the other tabs are told of.
  if (begun) browserStorage.setItem(SESSION, String(Date.now()))
  else browserStorage.removeItem(SESSION)
}

/** Shows nothing, and so need not ask. */
export const isStranger = (): boolean => current.apiKey === null && browserStorage.getItem(SESSION) === null

/** Not to be shown again. @param apiKey what was shown; null for the cookie */
export function forgetRefused(apiKey: string | null): void {
  if (apiKey === null) noteSession(false)
  else if (apiKey === current.apiKey) keepApiKey(null)
}

/** Told when another tab signs in or out. @returns what ends it */
export function onSessionNote(tell: () => void): () => void {
  const heard = ({ key }: StorageEvent) => key === SESSION && tell()
  addEventListener("storage", heard)
  return () => removeEventListener("storage", heard)
}
