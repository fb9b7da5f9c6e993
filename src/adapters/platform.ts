import type { StopSignal } from "../concurrency/stop-signal.ts"

/** Time, randomness and logging of the platform, passed as arguments so that tests can control them. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Ends early when the signal aborts; clears its timer. */
  sleep(ms: number, signal?: StopSignal): Promise<void>
}

/** Writes one structured line. Fields never hold addresses, keys or bodies, and no field replaces the event name. */
export type Log = (event: string, fields: Record<string, unknown> & { readonly event?: never }) => void

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener("abort", () => {
        clearTimeout(timer)
        resolve()
      })
    }),
}

/** Fresh random bytes from the platform. */
export function randomBytes(n: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(n))
}

/** 128 random bits as 22 base64url characters. */
export function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replaceAll("=", "")
}

export function jsonLog(context: Record<string, unknown>): Log {
  return (event, fields) => console.log(JSON.stringify({ event, ...context, ...fields }, withoutValues))
}

/** Removes parameters of a failed statement from its error text: they may be email addresses. */
function withoutValues(_: string, value: unknown): unknown {
  if (typeof value !== "string") return value
  const statement = value.indexOf("Failed query: ")
  const values = statement < 0 ? -1 : value.indexOf("\nparams: ", statement)
  return values < 0 ? value : value.slice(0, values)
}
