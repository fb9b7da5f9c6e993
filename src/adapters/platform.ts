import { Buffer } from "node:buffer"
import type { StopSignal } from "../concurrency/deadlines.ts"

/** Time, randomness and logging of the platform, passed as arguments so that tests can control them. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Ends early when the signal aborts; clears its timer. */
  sleep(ms: number, signal?: StopSignal): Promise<void>
}

/** Writes one structured line. Fields never hold addresses, keys or bodies, and no field replaces the event name. */
export type Log = (event: string, fields: Record<string, unknown> & { readonly event?: never }) => void

/** What the platform gives to each request. */
export interface Platform {
  readonly clock: Clock
  readonly log: Log
  readonly randomToken: () => string
  readonly randomBytes: (n: number) => Uint8Array
  /** Continues work after the response. */
  readonly background: (work: Promise<unknown>) => void
}

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
  return Buffer.from(randomBytes(16)).toString("base64url")
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

/**
 * Lets work go on after the answer. All work of a request is registered with the platform as one promise: a `waitUntil`
 * of its own for each costs 0.02 ms of CPU, and a verification has fifteen. Failed work is registered on its own, because
 * the platform logs it.
 * @param waitUntil of the execution context
 */
export function createBackground(waitUntil: (work: Promise<unknown>) => void): (work: Promise<unknown>) => void {
  let running = 0
  let finish = () => {}
  function end(): void {
    if (--running === 0) finish()
  }
  return function background(work) {
    if (running++ === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      finish = resolve
      waitUntil(promise)
    }
    work.then(end, (error: unknown) => {
      waitUntil(Promise.reject(error))
      end()
    })
  }
}

/** SHA-256 of bytes that arrive in pieces, in constant memory. */
interface ContentHash {
  /** The same pieces, each hashed before it is returned. */
  following(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** The hash of all pieces as hex. Callable once. */
  digest(): string
}

/** Web Crypto hashes only a whole. The module loads at the first use, so that an isolate starts without it. */
export async function createContentHash(): Promise<ContentHash> {
  const { createHash } = await import("node:crypto")
  const hash = createHash("sha256")
  return {
    async *following(pieces) {
      for await (const piece of pieces) {
        hash.update(piece)
        yield piece
      }
    },
    digest: () => hash.digest("hex"),
  }
}
