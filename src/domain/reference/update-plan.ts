import { RESERVED_TOP_LEVEL } from "../dns/hosts.ts"
import { BUILT_IN, shippedTopLevel } from "./active-lists.ts"
import type { DomainSet } from "./fuse-filter.ts"
import {
  domainsInMost,
  hasParentIn,
  isConfirmed,
  type ListSourceVote,
  type Refusal,
  refusalOf,
  withoutChildren,
} from "./public-lists.ts"
import { words } from "./tables.ts"

/** Limits of a refresh that the operator does not force. Shares are 0 to 1, of the previous names. */
export const UPDATE_LIMITS = {
  maxAddedShare: 0.1,
  maxRemovedShare: 0.05,
  /** A change of up to this many names always passes, so that a short list can grow. */
  freeChanges: 500,
  /** Providers and relays that honest lists contain by mistake: 59 in November 2026. An update with more is poisoned. */
  maxProtected: 150,
  /** Number of sources that must contain a name. */
  voices: 2,
} as const

interface CurrentLists {
  /** Names in the built-in lists. A refresh does not remove them. */
  readonly builtIn: DomainSet & { readonly size: number }
  /** Stored names of earlier refreshes. */
  readonly held: ReadonlySet<string>
}

interface LeftOutSource {
  readonly domain: string
  readonly reason: Refusal
}

export type UpdateRefusal =
  | { readonly reason: "too_few_sources"; readonly sources: number; readonly needed: number }
  | { readonly reason: "incomplete"; readonly lacking: number; readonly shipped: number }
  | { readonly reason: "poisoned"; readonly protectedNames: readonly LeftOutSource[] }
  | { readonly reason: "too_many_additions" | "too_many_removals"; readonly changes: number; readonly allowed: number }

export type UpdatePlan =
  | {
      readonly accepted: true
      readonly additions: readonly string[]
      readonly removals: readonly string[]
      /** Agreed names that no list may call disposable. Not added, even when forced. */
      readonly leftOut: readonly LeftOutSource[]
    }
  | { readonly accepted: false; readonly refusal: UpdateRefusal }

/** Domains that no honest list contains, even by mistake. */
const FLAGSHIPS = words(`
  gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com aol.com proton.me
  protonmail.com gmx.de gmx.net web.de t-online.de orange.fr free.fr libero.it mail.ru yandex.ru qq.com naver.com
  uol.com.br comcast.net google.com microsoft.com apple.com amazon.com
`)

const PROTECTED = {
  providers: { has: (domain: string) => BUILT_IN.allowed.has(domain) || BUILT_IN.free.has(domain) },
  relays: BUILT_IN.relay,
  schools: BUILT_IN.education,
}

/**
 * Plans a refresh of the disposable list, or returns why it is refused. Protected names (mail providers, relays, public
 * suffixes, institutions) are never added, nor is a name without a first-hand voice. Too many of them, or too many changes, are refused unless forced.
 */
export function planUpdate(
  current: CurrentLists,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources)
  if (tooFew) return { accepted: false, refusal: tooFew }
  // The built-in names passed the guard when they were packed. Only new names need the public suffix list.
  const fresh = [...domainsInMost(sources, UPDATE_LIMITS.voices)].filter(
    (domain) => !current.builtIn.has(domain) && !hasParentIn(domain, current.builtIn),
  )
  // A name without a first-hand voice is not added, but a protected one still shows a poisoned list.
  const { wanted, leftOut } = sift(fresh, (domain) => isConfirmed(domain, sources))
  const additions = [...wanted].filter((domain) => !current.held.has(domain)).sort()
  const removals = [...current.held].filter((domain) => !wanted.has(domain)).sort()
  const refusal = force ? null : refusalOfChange({ current, additions, removals, leftOut })
  return refusal ? { accepted: false, refusal } : { accepted: true, additions, removals, leftOut }
}

interface Change {
  readonly current: CurrentLists
  readonly additions: readonly string[]
  readonly removals: readonly string[]
  readonly leftOut: readonly LeftOutSource[]
}

function refusalOfChange({ current, additions, removals, leftOut }: Change): UpdateRefusal | null {
  const mistaken = leftOut.filter(({ reason }) => reason === "provider" || reason === "relay")
  const isPoisoned =
    mistaken.length > UPDATE_LIMITS.maxProtected || mistaken.some(({ domain }) => FLAGSHIPS.has(domain))
  if (isPoisoned) return { reason: "poisoned", protectedNames: mistaken }
  // A stored name that is now built in is not lost.
  const lost = removals.filter((domain) => !current.builtIn.has(domain)).length
  const { size: held } = current.held
  return refusalOfSize({ added: additions.length, lost, shipped: current.builtIn.size, held })
}

/** Returns a refusal for too few sources, else null. */
function refusalOfSources({ length }: readonly ListSourceVote[]): UpdateRefusal | null {
  const { voices } = UPDATE_LIMITS
  return length < voices ? { reason: "too_few_sources", sources: length, needed: voices } : null
}

/** Returns a refusal when too many names change for the size of the list, else null. */
function refusalOfSize(size: { added: number; lost: number; shipped: number; held: number }) {
  const { added, lost, shipped, held } = size
  const allowedOf = (share: number, of: number) => Math.max(UPDATE_LIMITS.freeChanges, Math.floor(share * of))
  const mayAdd = allowedOf(UPDATE_LIMITS.maxAddedShare, shipped + held)
  if (added > mayAdd) return { reason: "too_many_additions", changes: added, allowed: mayAdd } as const
  const mayLose = allowedOf(UPDATE_LIMITS.maxRemovedShare, held)
  return lost > mayLose ? ({ reason: "too_many_removals", changes: lost, allowed: mayLose } as const) : null
}

function sift(
  domains: readonly string[],
  isWanted: (domain: string) => boolean,
): { wanted: ReadonlySet<string>; leftOut: readonly LeftOutSource[] } {
  const leftOut: LeftOutSource[] = []
  const wanted = new Set<string>()
  for (const domain of domains) {
    const reason = refusalOf(domain, PROTECTED)
    if (reason !== null) leftOut.push({ domain, reason })
    else if (isWanted(domain)) wanted.add(domain)
  }
  return { wanted: withoutChildren(wanted), leftOut }
}

/** Approximate number of built-in free providers. The limits of a change are shares of it and of the stored names. */
const SHIPPED_FREE = 10_000
const EMPTY = { has: () => false }

/**
 * Plans a refresh of the free providers, or returns why it is refused. Follows the rules of `planUpdate`, but providers
 * are not protected from this list. Disposable domains, relays, schools and public suffixes are never free providers.
 */
export function planFreeUpdate(
  held: ReadonlySet<string>,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources)
  if (tooFew) return { accepted: false, refusal: tooFew }
  const leftOut: LeftOutSource[] = []
  const wanted = new Set<string>()
  for (const domain of domainsInMost(sources, UPDATE_LIMITS.voices)) {
    if (BUILT_IN.free.has(domain) || hasParentIn(domain, BUILT_IN.free)) continue
    const reason = refusalOf(domain, { providers: EMPTY, relays: BUILT_IN.relay, schools: BUILT_IN.education })
    if (reason !== null) leftOut.push({ domain, reason })
    else if (!BUILT_IN.disposable.has(domain)) wanted.add(domain)
  }
  const kept = withoutChildren(wanted)
  const additions = [...kept].filter((domain) => !held.has(domain)).sort()
  const removals = [...held].filter((domain) => !kept.has(domain)).sort()
  const size = { added: additions.length, lost: removals.length, shipped: SHIPPED_FREE, held: held.size }
  const refusal = force ? null : refusalOfSize(size)
  return refusal ? { accepted: false, refusal } : { accepted: true, additions, removals, leftOut }
}

/** Limits of a refresh that the operator does not force. */
export const TOP_LEVEL_LIMITS = {
  /** New and lost names. The root zone has 1,438 names, and gains or loses about ten in a year. */
  changes: 150,
  /** Share of the shipped names that the list may lack. */
  lacking: 0.05,
} as const

/**
 * Plans a refresh of the top-level domains, or returns why it is refused. One source is enough, because IANA publishes
 * the root zone: two sources must agree. The shipped names stay, and reserved names are never added.
 */
export function planTopLevelUpdate(
  held: ReadonlySet<string>,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  if (sources.length === 0) return { accepted: false, refusal: { reason: "too_few_sources", sources: 0, needed: 1 } }
  const shipped = shippedTopLevel()
  const names = domainsInMost(sources, Math.min(sources.length, UPDATE_LIMITS.voices))
  const fresh = [...names].filter((name) => !shipped.has(name))
  const wanted = new Set(fresh.filter((name) => !RESERVED_TOP_LEVEL.has(name)))
  const leftOut = fresh
    .filter((name) => !wanted.has(name))
    .map((domain) => ({ domain, reason: "not_a_domain" as const }))
  const additions = [...wanted].filter((name) => !held.has(name)).sort()
  const removals = [...held].filter((name) => !wanted.has(name)).sort()
  const lacking = [...shipped].filter((name) => !names.has(name)).length
  const lost = removals.filter((name) => !shipped.has(name)).length
  const refusal = force ? null : refusalOfNames({ lacking, shipped: shipped.size, added: additions.length, lost })
  return refusal ? { accepted: false, refusal } : { accepted: true, additions, removals, leftOut }
}

function refusalOfNames({ lacking, shipped, added, lost }: Record<"lacking" | "shipped" | "added" | "lost", number>) {
  const { changes: allowed } = TOP_LEVEL_LIMITS
  if (lacking > TOP_LEVEL_LIMITS.lacking * shipped) return { reason: "incomplete", lacking, shipped } as const
  if (added > allowed) return { reason: "too_many_additions", changes: added, allowed } as const
  return lost > allowed ? ({ reason: "too_many_removals", changes: lost, allowed } as const) : null
}
