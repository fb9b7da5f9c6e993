type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">

/** Falls back to memory when the browser's settings forbid storage: reading it then throws. */
function storageOrMemory(open: () => Storage): KeyValueStorage {
  try {
    const storage = open()
    storage.getItem("")
    return storage
  } catch {
    const memory = new Map<string, string>()
    return {
      getItem: (name) => memory.get(name) ?? null,
      setItem: (name, value) => void memory.set(name, value),
      removeItem: (name) => void memory.delete(name),
    }
  }
}

/** Storage of this tab until it is closed. */
export const tabStorage = storageOrMemory(() => sessionStorage)

/** Storage of the browser, for all tabs. */
export const browserStorage = storageOrMemory(() => localStorage)

/** Credentials that replace the session cookie. The browser sends the cookie itself. */
interface Credentials {
  readonly apiKey: string | null
  /** In memory only, because it grants full access. */
  readonly adminSecret: string | null
}

const KEY = "mailverdict.api-key"
const SESSION = "mailverdict.session"

let current: Credentials = { apiKey: tabStorage.getItem(KEY), adminSecret: null }

export const credentials = (): Credentials => current

/** Stores the key until the tab is closed. */
export function setApiKey(apiKey: string | null): void {
  current = { ...current, apiKey }
  if (apiKey === null) tabStorage.removeItem(KEY)
  else tabStorage.setItem(KEY, apiKey)
}

export function setAdminSecret(adminSecret: string | null): void {
  current = { ...current, adminSecret }
}

/** Removes invisible characters from a pasted secret: an HTTP header cannot carry them. */
export const cleanSecret = (pasted: string): string => pasted.replace(/[^!-~]/g, "")

/** Records for all tabs whether a session cookie should exist. Scripts cannot read the cookie. */
export function recordSession(isActive: boolean): void {
  // A new session writes a new value, because only a changed value notifies the other tabs.
  if (isActive) browserStorage.setItem(SESSION, String(Date.now()))
  else browserStorage.removeItem(SESSION)
}

/** Whether there are no credentials, so that a request for the account is needless. */
export const isAnonymous = (): boolean => current.apiKey === null && browserStorage.getItem(SESSION) === null

/** Drops rejected credentials. @param apiKey the rejected key, or null for the cookie */
export function dropRejected(apiKey: string | null): void {
  if (apiKey === null) recordSession(false)
  else if (apiKey === current.apiKey) setApiKey(null)
}

/** Calls `notify` when another tab signs in or out. @returns a function that stops it */
export function onSessionChange(notify: () => void): () => void {
  const listener = ({ key }: StorageEvent) => key === SESSION && notify()
  addEventListener("storage", listener)
  return () => removeEventListener("storage", listener)
}
