import type { Bindings } from "../env.ts"

/** Calls another server; a failure to reach it is a rejection, whatever it answers is not. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * How calls leave the Worker: by the binding OUTBOUND where there is one, else by the platform's own fetch. Miniflare puts
 * a Worker of its own before the latter, which costs more than the call itself.
 */
export function outboundOf({ OUTBOUND }: Pick<Bindings, "OUTBOUND">): typeof fetch {
  return OUTBOUND ? (input, init) => OUTBOUND.fetch(input, init) : (input, init) => fetch(input, init)
}
