import type { FactName } from "../../domain/verdict/evidence.ts"
import { DNS_FACTS } from "./gather-facts.ts"

/** Optional checks of a verification; one that is off makes no network call and adds nothing to the answer. */
export interface Checks {
  readonly rbl: boolean
  readonly gravatar: boolean
  readonly webPresence: boolean
  readonly domainAge: boolean
}

/** What is looked at unless the caller says otherwise. */
export const ALL_CHECKS: Checks = { rbl: true, gravatar: true, webPresence: true, domainAge: true }

/** The facts of the domain that the checks need. */
export function wantedFacts({ rbl, webPresence, domainAge }: Checks): ReadonlySet<FactName> {
  const optional: readonly (readonly [boolean, FactName])[] = [
    [rbl, "rbl"],
    [webPresence, "web"],
    [domainAge, "registration"],
  ]
  return new Set([...DNS_FACTS, ...optional.flatMap(([on, name]) => (on ? [name] : []))])
}
