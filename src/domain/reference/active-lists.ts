import type { ListClass, OverrideOrigin, RefreshedList } from "../../../schema/vocabulary.ts"
import { RESERVED_TOP_LEVEL } from "../dns/hosts.ts"
import { FREE_CORE } from "./free-data.ts"
import { type DomainSet, fuseFilter } from "./fuse-filter.ts"
import { EDUCATION_SHAPE, LIST_VERSION, PUBLIC_DISPOSABLE_SHAPE } from "./packed-data.ts"
import { DISPOSABLE_CORE, DISPOSABLE_MX, HONEST_DOMAINS, RELAY_DOMAINS } from "./reviewed-domains.ts"
import { lazyTable, referenceBytes } from "./tables.ts"

export interface Lists {
  /** Date and content hash of the packed part, such as 2026-11-21-1a2b3c4d. */
  readonly version: string
  readonly disposable: DomainSet
  /** Disposable domains reviewed by hand. The operator of a domain's mail hosts does not overrule them. */
  readonly reviewed: DomainSet
  /** Suffixes of mail servers that serve only disposable inboxes. */
  readonly disposableMx: DomainSet
  readonly relay: DomainSet
  readonly free: DomainSet
  readonly education: DomainSet
  /** Top-level domains of the root zone, A-labels. */
  readonly topLevel: DomainSet
  /** Never disposable, even when `disposable` contains them. */
  readonly allowed: DomainSet
  /** Domain to class, set by the operator. Overrides every list. */
  readonly overrides: ReadonlyMap<string, ListClass>
}

/** The shipped disposable domains: the reviewed core and the names that public lists confirm. */
export const SHIPPED_DISPOSABLE = {
  ...unionOf(
    DISPOSABLE_CORE,
    fuseFilter(PUBLIC_DISPOSABLE_SHAPE, () => referenceBytes("disposable.fuse")),
  ),
  size: DISPOSABLE_CORE.size + PUBLIC_DISPOSABLE_SHAPE.size,
}

/** Free mail domains that at least two public lists contain and no list calls disposable. */
export const publicFreeDomains = lazyTable("free-domains.txt")

/** The shipped top-level domains of the root zone. */
export const shippedTopLevel = lazyTable("top-level-domains.txt")

/** The lists of this release. A lookup before the reference data is loaded throws. */
export const BUILT_IN: Lists = {
  version: LIST_VERSION,
  disposable: SHIPPED_DISPOSABLE,
  reviewed: DISPOSABLE_CORE,
  disposableMx: DISPOSABLE_MX,
  relay: RELAY_DOMAINS,
  free: unionOf(FREE_CORE, { has: (domain) => publicFreeDomains().has(domain) }),
  education: fuseFilter(EDUCATION_SHAPE, () => referenceBytes("education.fuse")),
  topLevel: { has: (name) => shippedTopLevel().has(name) },
  allowed: unionOf(HONEST_DOMAINS, FREE_CORE, RELAY_DOMAINS),
  overrides: new Map(),
}

function unionOf(...sets: readonly DomainSet[]): DomainSet {
  return { has: (domain) => sets.some((set) => set.has(domain)) }
}

/** Shared by all callers, because newer lists replace the built-in reference data for the whole process. */
let current: Lists = BUILT_IN

/** Returns the lists that classify addresses now: the built-in lists until `setActiveLists` replaces them. */
export function activeLists(): Lists {
  return current
}

export function setActiveLists(lists: Lists): void {
  current = lists
}

/** A class of a domain beyond the built-in lists. */
export interface Override {
  readonly domain: string
  readonly origin: OverrideOrigin
  /** `top_level` only of a fetched name. */
  readonly class: ListClass | RefreshedList
}

/** The built-in lists with the overrides. An operator's class overrides every list, a fetched name extends its list. */
export function listsWith(overrides: Iterable<Override>): Lists {
  const own = new Map<string, ListClass>()
  const [disposable, free, topLevel] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { domain, origin, class: listClass } of overrides) {
    if (listClass === "top_level") topLevel.add(domain)
    else if (origin === "operator") own.set(domain, listClass)
    else if (listClass === "disposable") disposable.add(domain)
    else if (listClass === "free") free.add(domain)
  }
  return {
    ...BUILT_IN,
    overrides: own,
    disposable: unionOf(BUILT_IN.disposable, disposable),
    free: unionOf(BUILT_IN.free, free),
    topLevel: unionOf(BUILT_IN.topLevel, topLevel),
  }
}

/** Whether a top-level domain is in the active list of the root zone; null for a reserved name such as "test". */
export function topLevelExists(tld: string, { topLevel }: Pick<Lists, "topLevel"> = activeLists()): boolean | null {
  return RESERVED_TOP_LEVEL.has(tld) ? null : topLevel.has(tld)
}
