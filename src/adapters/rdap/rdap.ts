import { DAY_MS } from "../../domain/time.ts"
import { createOutages, type Outages, retryAfterMs } from "../outages.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"
import { readText } from "../read-text.ts"
import { type RdapServers, readBootstrap, readRegistration, serverFor } from "./bootstrap.ts"

type RegistrationAnswer =
  | { readonly kind: "registered"; readonly at: number } // Unix milliseconds
  | { readonly kind: "unknown" } // the registry has no RDAP, no such name, or does not say
  | { readonly kind: "failure" }

export interface Rdap {
  /** Since when a registrable domain is registered. Never rejects. */
  registration(domain: string): Promise<RegistrationAnswer>
}

/** Servers by bootstrap URL, with the time until which they hold: plain values, shared by an isolate's requests. */
type BootstrapMemory = Map<string, { readonly servers: RdapServers; readonly until: number }>

export interface RdapOptions {
  /** Null switches the provider off. */
  readonly bootstrapUrl: string | null
  readonly fetch: Fetch
  readonly clock: Clock
  readonly outages?: Outages
  readonly memory?: BootstrapMemory
}

const BOOTSTRAP_MS = 3_000
const LOOKUP_MS = 5_000
const MAX_BYTES = 2_000_000
const isolateOutages = createOutages()
const isolateMemory: BootstrapMemory = new Map()

/** RDAP (RFC 9082, RFC 9083) by way of the IANA bootstrap. */
export function createRdap(options: RdapOptions): Rdap {
  const { bootstrapUrl, fetch, clock, outages = isolateOutages, memory = isolateMemory } = options
  let loading: Promise<RdapServers | null> | null = null

  /** A body, "missing" for 404, or null for trouble, which is remembered with the server's own wish for a pause. */
  async function get(url: string, accept: string, timeoutMs: number): Promise<{ text: string } | "missing" | null> {
    const { origin } = new URL(url)
    if (outages.has(origin, clock.now())) return null
    try {
      const response = await fetch(url, { headers: { accept }, signal: AbortSignal.timeout(timeoutMs) })
      if (response.status === 200) return { text: await readText(response, MAX_BYTES) }
      await response.body?.cancel()
      if (response.status === 404 || response.status === 400) return "missing"
      outages.note(origin, clock.now(), retryAfterMs(response.headers, clock.now()))
    } catch {
      outages.note(origin, clock.now())
    }
    return null
  }

  /** A list that cannot be renewed is better than none: the old one goes on. */
  async function load(url: string): Promise<RdapServers | null> {
    const kept = memory.get(url)
    if (kept && kept.until > clock.now()) return kept.servers
    const answer = await get(url, "application/json", BOOTSTRAP_MS)
    const servers = answer !== null && answer !== "missing" ? readBootstrap(answer.text) : null
    if (!servers) return kept?.servers ?? null
    memory.set(url, { servers, until: clock.now() + DAY_MS })
    return servers
  }

  return {
    async registration(domain) {
      if (bootstrapUrl === null) return { kind: "failure" }
      loading ??= load(bootstrapUrl)
      const servers = await loading
      if (!servers) return { kind: "failure" }
      const server = serverFor(servers, domain)
      if (!server) return { kind: "unknown" }
      const url = new URL(`domain/${domain}`, server.endsWith("/") ? server : `${server}/`)
      const answer = await get(url.href, "application/rdap+json", LOOKUP_MS)
      if (answer === null) return { kind: "failure" }
      const at = answer === "missing" ? null : readRegistration(answer.text)
      return at === null ? { kind: "unknown" } : { kind: "registered", at }
    },
  }
}
