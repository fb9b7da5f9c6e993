import { getDomain } from "tldts"
import type { Deps } from "../../deps.ts"
import { readRbl } from "../../domain/mail/rbl.ts"
import { ASKED_ZONES } from "../../domain/mail/rbl-zones.ts"
import { checkSpf } from "../../domain/mail-auth/spf.ts"
import type { Exchanger, FactName, FactValues } from "../../domain/verdict/evidence.ts"
import { findBimi, findDkim, findDmarc, findMtaSts } from "./find-mail-auth.ts"
import { findExchangers, findMailRoute } from "./find-mail-route.ts"
import { findWebPresence } from "./find-web-presence.ts"

export type FinderNeeds = Pick<Deps, "dns" | "web" | "rdap" | "rbl">

interface FinderContext {
  readonly domain: string
  /** Another fact of the domain, kept or found now. */
  get<Name extends FactName>(name: Name): Promise<FactValues[Name] | null>
}

/** Finds one fact; null when it cannot be found out now. */
export type Finder<Name extends FactName> = (
  needs: FinderNeeds,
  context: FinderContext,
) => Promise<FactValues[Name] | null>

const RBL_DEADLINE_MS = 4_000
const MAX_RBL_ADDRESSES = 8

/** How each fact is found. What depends on the route waits for it; all else starts at once. */
export const FINDERS: { readonly [Name in FactName]: Finder<Name> } = {
  route: ({ dns }, { domain }) => findMailRoute(dns, domain),
  spf: ({ dns }, { domain }) => checkSpf(domain, (name, type) => dns.resolve(name, type)),
  dmarc: ({ dns }, { domain }) => findDmarc(dns, domain),
  bimi: ({ dns }, { domain }) => findBimi(dns, domain),
  dkim: async ({ dns }, { domain, get }) => findDkim(dns, domain, (await get("route"))!),
  mtaSts: async (needs, { domain, get }) => findMtaSts(needs, domain, (await get("route"))!),
  exchangers: async ({ dns }, { get }) => findExchangers(dns, (await get("route"))!),

  async registration({ rdap }, { domain, get }) {
    const registrable = getDomain(domain)
    if (registrable === null || (await get("route"))?.kind === "no_such_domain") return { kind: "unknown" }
    const answer = await rdap.registration(registrable)
    return answer.kind === "failure" ? null : answer
  },

  async web(needs, { domain, get }) {
    const route = (await get("route"))!
    if (route.kind === "no_such_domain") return { site: "none", httpStatus: null, https: false, parkedAt: null }
    return findWebPresence(needs, domain, route)
  },

  async rbl({ rbl }, { get }) {
    const ips = ipv4AddressesOf((await get("exchangers")) ?? [])
    if (ips.length === 0) return { checked: [], matched: [], notConsulted: [] }
    const answer = await rbl.ask({ ips, zones: [...ASKED_ZONES], deadlineMs: RBL_DEADLINE_MS })
    return answer && readRbl(answer.zones)
  },
}

function ipv4AddressesOf(exchangers: readonly Exchanger[]): string[] {
  const addresses = exchangers.flatMap((exchanger) => exchanger.addresses ?? [])
  return [...new Set(addresses.filter((address) => !address.includes(":")))].slice(0, MAX_RBL_ADDRESSES)
}
