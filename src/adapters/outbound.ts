import type { Bindings } from "../env.ts"
import { Memo } from "./cache.ts"
import type { Clock, Log } from "./platform.ts"

/** Sends a request to another server. Rejects only when the server is unreachable. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The fetch functions for outbound requests. */
export interface OutboundFetch {
  /** For servers that the operator configured, at any address. */
  readonly fetch: Fetch
  /** For hosts that callers name. Connects only to public addresses, checked at connection time. */
  readonly fetchPublic: Fetch
}

/** The fetch function for servers that the operator configured. An unreachable one is logged once in ten minutes. */
export function outboundOf({ OUTBOUND }: Pick<Bindings, "OUTBOUND">, report: Report): typeof fetch {
  const leave = fetchThrough(OUTBOUND)
  return async (input, init) => {
    try {
      return await leave(input, init)
    } catch (error) {
      // A canceled call says nothing about the server.
      if (!init?.signal?.aborted) report(input instanceof Request ? input.url : String(input))
      throw error
    }
  }
}

/** The fetch function for hosts that callers name. It connects to public addresses only, against DNS rebinding. */
export function publicOutboundOf({ OUTBOUND_PUBLIC }: Pick<Bindings, "OUTBOUND_PUBLIC">): typeof fetch {
  return fetchThrough(OUTBOUND_PUBLIC)
}

/** Receives the URL of an unreachable server. */
export type Report = (url: string) => void

/** Recently logged hosts: an outage of hours costs one line in ten minutes, not one for each call. */
const logged = new Memo<true>({ capacity: 200, ttlMs: 600_000 })

/** @returns a function that logs a URL's host as unreachable, at most once in ten minutes per isolate */
export function unreachableLog(log: Log, { now }: Pick<Clock, "now">): Report {
  return function report(url) {
    const { host } = new URL(url)
    if (logged.get(host, now())) return
    logged.set(host, true, now())
    log("service_unreachable", { host })
  }
}

/** Workers send no User-Agent by default. Nodes and registries behind Cloudflare refuse that (error 1010). */
export const USER_AGENT = "Mailverdict"

function fetchThrough(binding: Bindings["OUTBOUND"]): typeof fetch {
  const leave: typeof fetch = binding
    ? (input, init) => binding.fetch(input, init)
    : (input, init) => fetch(input, init)
  return (input, init) => {
    // Copying headers would be a tenth of the cost of a DNS lookup.
    if (init?.headers instanceof Headers && init.headers.has("user-agent")) return leave(input, init)
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    if (!headers.has("user-agent")) headers.set("user-agent", USER_AGENT)
    return leave(input, { ...init, headers })
  }
}
