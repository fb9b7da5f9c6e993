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
  votes: 2,
} as const

interface CurrentLists {
  /** Names in the built-in lists. A refresh does not remove them. */
  readonly builtIn: DomainSet & { readonly size: number }
  /** Stored names of earlier refreshes. */
  readonly stored: ReadonlySet<string>
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

interface Sifted {
  readonly wanted: ReadonlySet<string>
  /** Agreed names that no list may contain. Not added, even when forced. */
  readonly leftOut: readonly LeftOutSource[]
}

interface Change extends Pick<Sifted, "leftOut"> {
  readonly additions: readonly string[]
  readonly removals: readonly string[]
}

export type UpdatePlan =
  | ({ readonly accepted: true } & Change)
  | { readonly accepted: false; readonly refusal: UpdateRefusal }

/** Domains that no honest list contains, even by mistake. */
const FLAGSHIPS = words(`
  gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com aol.com proton.me
  protonmail.com gmx.de gmx.net web.de t-online.de orange.fr free.fr libero.it mail.ru yandex.ru qq.com naver.com
  uol.com.br comcast.net google.com microsoft.com apple.com amazon.com
`)

/** Approximate number of built-in free providers. The limits of a change are shares of it and of the stored names. */
const SHIPPED_FREE = 10_000

/** Plans a refresh of the disposable list, or returns why it is refused. Never adds protected or unconfirmed names. */
export function planUpdate(
  { builtIn, stored }: CurrentLists,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources, UPDATE_LIMITS.votes)
  if (tooFew) return tooFew
  const providers = { has: (domain: string) => BUILT_IN.allowed.has(domain) || BUILT_IN.free.has(domain) }
  // A name without a first-hand voice is not added, but a protected one still shows a poisoned list.
  const sifted = sift(sources, { builtIn, providers, isWanted: (domain) => isConfirmed(domain, sources) })
  return planOf(sifted, stored, ({ additions, removals, leftOut }) => {
    if (force) return null
    const mistaken = leftOut.filter(({ reason }) => reason === "provider" || reason === "relay")
    const isPoisoned =
      mistaken.length > UPDATE_LIMITS.maxProtected || mistaken.some(({ domain }) => FLAGSHIPS.has(domain))
    if (isPoisoned) return { reason: "poisoned", protectedNames: mistaken }
    // A stored name that is now built in is not lost.
    const lost = without(removals, builtIn).length
    return refusalOfSize({ added: additions.length, lost, shipped: builtIn.size, stored: stored.size })
  })
}

/** Plans a refresh of the free providers by the rules of `planUpdate`, but providers are not protected. */
export function planFreeUpdate(
  stored: ReadonlySet<string>,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources, UPDATE_LIMITS.votes)
  if (tooFew) return tooFew
  const isWanted = (domain: string) => !BUILT_IN.disposable.has(domain)
  const sifted = sift(sources, { builtIn: BUILT_IN.free, providers: new Set<string>(), isWanted })
  return planOf(sifted, stored, ({ additions: { length: added }, removals: { length: lost } }) =>
    force ? null : refusalOfSize({ added, lost, shipped: SHIPPED_FREE, stored: stored.size }),
  )
}

/** The names that enough sources contain and the built-in list lacks. */
function sift(
  sources: readonly ListSourceVote[],
  options: { builtIn: DomainSet; providers: DomainSet; isWanted: (domain: string) => boolean },
): Sifted {
  const { builtIn, providers, isWanted } = options
  const leftOut: LeftOutSource[] = []
  const wanted = new Set<string>()
  for (const domain of domainsInMost(sources, UPDATE_LIMITS.votes)) {
    if (builtIn.has(domain) || hasParentIn(domain, builtIn)) continue
    const reason = refusalOf(domain, { providers, relays: BUILT_IN.relay, schools: BUILT_IN.education })
    if (reason !== null) leftOut.push({ domain, reason })
    else if (isWanted(domain)) wanted.add(domain)
  }
  return { wanted: withoutChildren(wanted), leftOut }
}
/** Limits of a refresh that the operator does not force. */
export const TOP_LEVEL_LIMITS = {
  /** New and lost names. The root zone has 1,438 names, and gains or loses about ten in a year. */
  changes: 150,
  /** Share of the shipped names that the list may lack. */
  lacking: 0.05,
} as const

/** Plans a refresh of the top-level domains. One source is enough, because IANA publishes the root zone. */
export function planTopLevelUpdate(
  stored: ReadonlySet<string>,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources, 1)
  if (tooFew) return tooFew
  const shipped = shippedTopLevel()
  const names = domainsInMost(sources, Math.min(sources.length, UPDATE_LIMITS.votes))
  const fresh = without(names, shipped)
  const wanted = new Set(without(fresh, RESERVED_TOP_LEVEL))
  const leftOut = without(fresh, wanted).map((domain) => ({ domain, reason: "not_a_domain" as const }))
  return planOf({ wanted, leftOut }, stored, ({ additions: { length: added }, removals }) => {
    if (force) return null
    const { changes: allowed } = TOP_LEVEL_LIMITS
    const lacking = without(shipped, names).length
    if (lacking > TOP_LEVEL_LIMITS.lacking * shipped.size)
      return { reason: "incomplete", lacking, shipped: shipped.size }
    if (added > allowed) return { reason: "too_many_additions", changes: added, allowed }
    const lost = without(removals, shipped).length
    return lost > allowed ? { reason: "too_many_removals", changes: lost, allowed } : null
  })
}

function refusalOfSources({ length }: readonly ListSourceVote[], needed: number): UpdatePlan | null {
  return length < needed ? { accepted: false, refusal: { reason: "too_few_sources", sources: length, needed } } : null
}

/** Returns a refusal when too many names change for the size of the list, else null. */
function refusalOfSize(size: Record<"added" | "lost" | "shipped" | "stored", number>): UpdateRefusal | null {
  const { added, lost, shipped, stored } = size
  const allowedOf = (share: number, of: number) => Math.max(UPDATE_LIMITS.freeChanges, Math.floor(share * of))
  const mayAdd = allowedOf(UPDATE_LIMITS.maxAddedShare, shipped + stored)
  if (added > mayAdd) return { reason: "too_many_additions", changes: added, allowed: mayAdd }
  const mayLose = allowedOf(UPDATE_LIMITS.maxRemovedShare, stored)
  return lost > mayLose ? { reason: "too_many_removals", changes: lost, allowed: mayLose } : null
}

function planOf(
  { wanted, leftOut }: Sifted,
  stored: ReadonlySet<string>,
  refusalOfChange: (change: Change) => UpdateRefusal | null,
): UpdatePlan {
  const change = {
    additions: without(wanted, stored).sort(),
    removals: without(stored, wanted).sort(),
    leftOut,
  }
  const refusal = refusalOfChange(change)
  return refusal ? { accepted: false, refusal } : { accepted: true, ...change }
}

function without(names: Iterable<string>, others: DomainSet): string[] {
  return [...names].filter((name) => !others.has(name))
}
