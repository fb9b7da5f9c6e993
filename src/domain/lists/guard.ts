import { parse } from "tldts"
import type { DomainSet } from "./fuse-filter.ts"
import { institutionOf } from "./institution.ts"

/** Why a domain must not be on a list of disposable domains. */
export type Refusal = "not_a_domain" | "public_suffix" | "institution" | "provider" | "relay"

export interface Protected {
  /** Mail providers, large sites, forwarders and hosts. */
  readonly providers: DomainSet
  readonly relays: DomainSet
  /** Schools and universities outside the reserved suffixes. */
  readonly schools: DomainSet
}

/** Suffixes under which anyone can register a name, so disposable "student" addresses exist there. */
const OPEN_INSTITUTIONS = /\.(edu|mil)\.(pl|rs|gr|vn|kg|ge)$/

const A_LABELS = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/**
 * Returns why a list must not call the domain disposable, or null when it may. Public suffixes include the private
 * section (github.io, us.to), because unrelated people register names under them.
 * @param domain A-labels, lower case
 */
export function refusalOf(domain: string, { providers, relays, schools }: Protected): Refusal | null {
  if (!A_LABELS.test(domain)) return "not_a_domain"
  const { isIcann, publicSuffix } = parse(domain)
  if (!isIcann) return "not_a_domain"
  if (publicSuffix === domain || parse(domain, { allowPrivateDomains: true }).publicSuffix === domain)
    return "public_suffix"
  if (relays.has(domain)) return "relay"
  if (providers.has(domain)) return "provider"
  if (schools.has(domain)) return "institution"
  return institutionOf(domain) !== null && !OPEN_INSTITUTIONS.test(domain) ? "institution" : null
}
