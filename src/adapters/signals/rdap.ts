import { z } from "zod"
import { parseJson } from "../../../schema/wire/json.ts"
import { mayQuery } from "../../domain/dns/hosts.ts"
import { DAY_MS } from "../../domain/time.ts"
import { createOutages, type Lookup, type Outages, readText, retryAfterMs } from "../external-calls.ts"
import type { Clock } from "../platform.ts"

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

interface RdapOptions {
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
      if (!mayQuery(domain, bootstrapUrl)) return { kind: "unknown" }
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

/** The IANA bootstrap file for domains (RFC 9224 §3): lists of TLDs with the base URLs of their RDAP servers. */
const Bootstrap = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())]).rest(z.unknown())),
})

/** Base URL by TLD or longer suffix. */
type RdapServers = ReadonlyMap<string, string>

/** Null when the text is not a bootstrap file. HTTPS is preferred where a server offers both. */
function readBootstrap(text: string): RdapServers | null {
  const parsed = Bootstrap.safeParse(parseJson(text))
  if (!parsed.success) return null
  const servers = new Map<string, string>()
  for (const [suffixes, urls] of parsed.data.services) {
    const url = urls.find((one) => one.startsWith("https:")) ?? urls.find((one) => one.startsWith("http:"))
    if (url && URL.canParse(url)) for (const suffix of suffixes) servers.set(suffix.toLowerCase(), url)
  }
  return servers
}

/** The server for a name: the entry with the most labels (RFC 9224 §4). */
function serverFor(servers: RdapServers, domain: string): string | null {
  const labels = domain.toLowerCase().split(".")
  for (let from = 0; from < labels.length; from++) {
    const url = servers.get(labels.slice(from).join("."))
    if (url) return url
  }
  return null
}

const DomainObject = z.object({ events: z.array(z.unknown()) })
const RegistrationEvent = z.object({ eventAction: z.string().regex(/^registration$/i), eventDate: z.string() })

/** RFC 3339, and common deviations of registries: a space for the "T", no time zone for UTC. */
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i

/** The first registration time in a domain object (RFC 9083 §4.5), Unix ms; null without one. */
function readRegistration(text: string): number | null {
  const events = DomainObject.safeParse(parseJson(text)).data?.events ?? []
  const dates = events.flatMap((event) => readDate(RegistrationEvent.safeParse(event).data?.eventDate ?? "") ?? [])
  return dates.length > 0 ? Math.min(...dates) : null
}

function readDate(text: string): number | null {
  const [, day, time = "00:00:00", zone = "Z"] = DATE.exec(text.trim()) ?? []
  const at = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? null : at
}
