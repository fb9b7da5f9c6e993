import type { Bindings } from "../env.ts"

/** Calls another server; a failure to reach it is a rejection, whatever it answers is not. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How calls leave the Worker. */
export interface Ways {
  /** Anywhere: to what the operator names. */
  readonly fetch: Fetch
  /** To hosts that strangers name. Connects to public addresses only, whatever the name leads to by then. */
  readonly fetchPublic: Fetch
}

/**
 * How calls leave the Worker: by the binding OUTBOUND where there is one, else by the platform's own fetch. Miniflare puts
 * a Worker of its own before the latter, which costs more than the call itself.
 */
export function outboundOf({ OUTBOUND }: Pick<Bindings, "OUTBOUND">): typeof fetch {
  return through(OUTBOUND)
}

/**
 * How calls leave to hosts that strangers name: by the binding OUTBOUND_PUBLIC where there is one, which connects to public
 * addresses only. A name looked at before may lead elsewhere when it is resolved again for the connection.
 */
export function publicOutboundOf({ OUTBOUND_PUBLIC }: Pick<Bindings, "OUTBOUND_PUBLIC">): typeof fetch {
  return through(OUTBOUND_PUBLIC)
}

/** A Worker's calls have no User-Agent, which Cloudflare refuses by default (error 1010): nodes, registries. */
const NAME = "Mailverdict"

function through(binding: Bindings["OUTBOUND"]): typeof fetch {
  const leave: typeof fetch = binding
    ? (input, init) => binding.fetch(input, init)
    : (input, init) => fetch(input, init)
  return (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    if (!headers.has("user-agent")) headers.set("user-agent", NAME)
    return leave(input, { ...init, headers })
  }
}
