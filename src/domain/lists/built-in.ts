import type { ListClass } from "../../../schema/vocabulary.ts"
import { referenceBytes, referenceWords } from "../reference-data.ts"
import { DISPOSABLE_CORE, DISPOSABLE_MX } from "./disposable-data.ts"
import { FREE_CORE } from "./free-data.ts"
import { type DomainSet, fuseFilter } from "./fuse-filter.ts"
import { HONEST_DOMAINS } from "./honest-data.ts"
import { EDUCATION_SHAPE, LIST_VERSION, PUBLIC_DISPOSABLE_SHAPE } from "./packed-data.ts"
import { RELAY_DOMAINS } from "./relay-data.ts"

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

let freePublic: ReadonlySet<string> | null = null

/** Free mail domains at least two public lists agree on and no list calls disposable. */
export function publicFreeDomains(): ReadonlySet<string> {
  freePublic ??= new Set(referenceWords("free-domains.txt"))
  return freePublic
}

let rootZone: ReadonlySet<string> | null = null

/** The shipped top-level domains of the root zone. */
export function shippedTopLevel(): ReadonlySet<string> {
  rootZone ??= new Set(referenceWords("top-level-domains.txt"))
  return rootZone
}

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

export function unionOf(...sets: readonly DomainSet[]): DomainSet {
  return { has: (domain) => sets.some((set) => set.has(domain)) }
}
