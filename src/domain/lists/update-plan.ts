import { BUILT_IN } from "./built-in.ts"
import type { DomainSet } from "./fuse-filter.ts"
import { type Refusal, refusalOf } from "./guard.ts"
import { agreed, isCovered, type Voice, withoutCovered } from "./merge.ts"
import { words } from "./word-table.ts"

/** How far one refresh may go without an operator forcing it. Shares are of the names held before, 0 to 1. */
export const UPDATE_LIMITS = {
  maxAddedShare: 0.1,
  maxRemovedShare: 0.05,
  /** Changes this small always pass, so that a short list can grow. */
  freeChanges: 500,
  /** Providers and relays honest lists name by mistake (59 in November 2026); more, and the update is taken for poisoned. */
  maxProtected: 150,
  /** Sources that must agree on a name. */
  voices: 2,
} as const

export interface CurrentLists {
  /** Names in the shipped lists; they stay. */
  readonly builtIn: DomainSet & { readonly size: number }
  /** Names fetched since, as stored. */
  readonly held: ReadonlySet<string>
}

export interface LeftOut {
  readonly domain: string
  readonly reason: Refusal
}

export type UpdateRefusal =
  | { readonly reason: "too_few_sources"; readonly sources: number; readonly needed: number }
  | { readonly reason: "poisoned"; readonly protectedNames: readonly LeftOut[] }
  | { readonly reason: "too_many_additions" | "too_many_removals"; readonly changes: number; readonly allowed: number }

export type UpdatePlan =
  | {
      readonly accepted: true
      readonly additions: readonly string[]
      readonly removals: readonly string[]
      /** Names sources agree on that no list may call disposable. Never added, forced or not. */
      readonly leftOut: readonly LeftOut[]
    }
  | { readonly accepted: false; readonly refusal: UpdateRefusal }

/** No honest list names one of these even by mistake. */
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
 * What a refresh of the disposable list would change, or why it may not. Protected names (mail providers, relays, public
 * suffixes, institutions) are left out always; a list full of them, or one that changes too much, is refused unless forced.
 */
export function planUpdate(
  current: CurrentLists,
  sources: readonly Voice[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources)
  if (tooFew) return { accepted: false, refusal: tooFew }
  // The shipped names passed the same guard when they were packed; only the others cost a look at the suffix list.
  const fresh = [...agreed(sources, UPDATE_LIMITS.voices)].filter(
    (domain) => !current.builtIn.has(domain) && !isCovered(domain, current.builtIn),
  )
  const { wanted, leftOut } = sift(fresh)
  const additions = [...wanted].filter((domain) => !current.held.has(domain)).sort()
  const removals = [...current.held].filter((domain) => !wanted.has(domain)).sort()
  const refusal = force ? null : refusalOfChange({ current, additions, removals, leftOut })
  return refusal ? { accepted: false, refusal } : { accepted: true, additions, removals, leftOut }
}

interface Change {
  readonly current: CurrentLists
  readonly additions: readonly string[]
  readonly removals: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

function refusalOfChange({ current, additions, removals, leftOut }: Change): UpdateRefusal | null {
  const mistaken = leftOut.filter(({ reason }) => reason === "provider" || reason === "relay")
  const isPoisoned =
    mistaken.length > UPDATE_LIMITS.maxProtected || mistaken.some(({ domain }) => FLAGSHIPS.has(domain))
  if (isPoisoned) return { reason: "poisoned", protectedNames: mistaken }
  // A held name that has been shipped since is not lost.
  const lost = removals.filter((domain) => !current.builtIn.has(domain)).length
  const { size: held } = current.held
  return refusalOfSize({ added: additions.length, lost, shipped: current.builtIn.size, held })
}

/** Null when enough sources speak. */
export function refusalOfSources({ length }: readonly Voice[]): UpdateRefusal | null {
  const { voices } = UPDATE_LIMITS
  return length < voices ? { reason: "too_few_sources", sources: length, needed: voices } : null
}

/** Null when a list of so many names, shipped and held, may change so much at once. */
export function refusalOfSize(size: { added: number; lost: number; shipped: number; held: number }) {
  const { added, lost, shipped, held } = size
  const allowedOf = (share: number, of: number) => Math.max(UPDATE_LIMITS.freeChanges, Math.floor(share * of))
  const mayAdd = allowedOf(UPDATE_LIMITS.maxAddedShare, shipped + held)
  if (added > mayAdd) return { reason: "too_many_additions", changes: added, allowed: mayAdd } as const
  const mayLose = allowedOf(UPDATE_LIMITS.maxRemovedShare, held)
  return lost > mayLose ? ({ reason: "too_many_removals", changes: lost, allowed: mayLose } as const) : null
}

function sift(domains: readonly string[]): { wanted: ReadonlySet<string>; leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = []
  const wanted = new Set<string>()
  for (const domain of domains) {
    const reason = refusalOf(domain, PROTECTED)
    if (reason === null) wanted.add(domain)
    else leftOut.push({ domain, reason })
  }
  return { wanted: withoutCovered(wanted), leftOut }
}
