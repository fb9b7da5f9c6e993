import { mayLookUp } from "../../domain/dns/hosts.ts"
import { DAY_MS } from "../../domain/time.ts"
import type { Lookup } from "../lookup.ts"
import { createOutages, type Outages, retryAfterMs } from "../outages.ts"
import type { Clock } from "../platform.ts"
import { readText } from "../read-text.ts"
import { type RdapServers, readBootstrap, readRegistration, serverFor } from "./bootstrap.ts"

type RegistrationAnswer =
  | { readonly kind: "registered"; readonly at: number } // Unix milliseconds
  | { readonly kind: "unknown" } // the registry has no RDAP, no such name, or no date
  | { readonly kind: "failure" }

export interface Rdap {
  readonly isConfigured: boolean
  /** When a registrable domain was registered. Never rejects. */
  registration(domain: string): Promise<RegistrationAnswer>
}

/** Servers by bootstrap URL, with their expiry: plain values, shared by an isolate's requests. */
type BootstrapMemory = Map<string, { readonly servers: RdapServers; readonly until: number }>

export interface RdapOptions {
  /** Null disables the provider. */
  readonly bootstrapUrl: string | null
  readonly lookUp: Lookup
  readonly clock: Clock
  readonly outages?: Outages
  readonly memory?: BootstrapMemory
}

const BOOTSTRAP_MS = 3_000
const LOOKUP_MS = 5_000
const MAX_BYTES = 2_000_000
const isolateOutages = createOutages()
const isolateMemory: BootstrapMemory = new Map()

/** RDAP (RFC 9082, RFC 9083) through the IANA bootstrap file. */
export function createRdap(options: RdapOptions): Rdap {
  const { bootstrapUrl, lookUp, clock, outages = isolateOutages, memory = isolateMemory } = options
  let loading: Promise<RdapServers | null> | null = null

  /** A body, "missing" for 404 or 400, or null for an error, which starts a pause; Retry-After sets its length. */
  async function get(
    domain: string,
    { url, accept, timeoutMs }: { url: string; accept: string; timeoutMs: number },
  ): Promise<{ text: string } | "missing" | null> {
    const { origin } = new URL(url)
    if (outages.has(origin, clock.now())) return null
    try {
      const response = await lookUp(domain, url, { headers: { accept }, signal: AbortSignal.timeout(timeoutMs) })
      if (response === null) return "missing"
      if (response.status === 200) return { text: await readText(response, MAX_BYTES) }
      await response.body?.cancel()
      if (response.status === 404 || response.status === 400) return "missing"
      outages.record(origin, clock.now(), retryAfterMs(response.headers, clock.now()))
    } catch {
      outages.record(origin, clock.now())
    }
    return null
  }

  /** When a refresh fails, the old bootstrap file stays in use. */
  async function load(domain: string, url: string): Promise<RdapServers | null> {
    const cached = memory.get(url)
    if (cached && cached.until > clock.now()) return cached.servers
    const answer = await get(domain, { url, accept: "application/json", timeoutMs: BOOTSTRAP_MS })
    const servers = answer !== null && answer !== "missing" ? readBootstrap(answer.text) : null
    if (!servers) return cached?.servers ?? null
    memory.set(url, { servers, until: clock.now() + DAY_MS })
    return servers
  }

  return {
    isConfigured: bootstrapUrl !== null,

    async registration(domain) {
      if (bootstrapUrl === null) return { kind: "failure" }
      // Checked before the bootstrap file is fetched: no registry has a reserved name.
      if (!mayLookUp(domain, bootstrapUrl)) return { kind: "unknown" }
      loading ??= load(domain, bootstrapUrl)
      const servers = await loading
      if (!servers) return { kind: "failure" }
      const server = serverFor(servers, domain)
      if (!server) return { kind: "unknown" }
      const url = new URL(`domain/${domain}`, server.endsWith("/") ? server : `${server}/`)
      const answer = await get(domain, { url: url.href, accept: "application/rdap+json", timeoutMs: LOOKUP_MS })
      if (answer === null) return { kind: "failure" }
      const at = answer === "missing" ? null : readRegistration(answer.text)
      return at === null ? { kind: "unknown" } : { kind: "registered", at }
    },
  }
}
