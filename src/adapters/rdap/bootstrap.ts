import { z } from "zod"
import { parseJson } from "../../../schema/wire/json.ts"

/** The IANA bootstrap file for domains (RFC 9224 §3): lists of TLDs with the base URLs of their RDAP servers. */
const Bootstrap = z.object({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())]).rest(z.unknown())),
})

/** Base URL by TLD or longer suffix. */
export type RdapServers = ReadonlyMap<string, string>

/** Null when the text is not a bootstrap file. HTTPS is preferred where a server offers both. */
export function readBootstrap(text: string): RdapServers | null {
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
export function serverFor(servers: RdapServers, domain: string): string | null {
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

/**
 * The registration time in a domain object (RFC 9083 §4.5), Unix ms; null without one.
 * Only the first registration event counts. Errors in other events are ignored.
 */
export function readRegistration(text: string): number | null {
  const events = DomainObject.safeParse(parseJson(text)).data?.events ?? []
  const dates = events.flatMap((event) => readDate(RegistrationEvent.safeParse(event).data?.eventDate ?? "") ?? [])
  return dates.length > 0 ? Math.min(...dates) : null
}

function readDate(text: string): number | null {
  const [, day, time = "00:00:00", zone = "Z"] = DATE.exec(text.trim()) ?? []
  const at = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? null : at
}
