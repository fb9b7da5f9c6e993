import { type ListClass, REFRESHED_LISTS, type RefreshedList } from "../../../schema/vocabulary.ts"
import type { FetchedList } from "../../adapters/reference/list-sources.ts"
import type { Refresh, SourceReport, StoredOverride } from "../../adapters/store/reference/list-overrides.ts"
import type { Context } from "../../context.ts"
import { counted } from "../../domain/counted.ts"
import { SHIPPED_DISPOSABLE } from "../../domain/reference/active-lists.ts"
import type { ListSourceVote } from "../../domain/reference/public-lists.ts"
import {
  planFreeUpdate,
  planTopLevelUpdate,
  planUpdate,
  type UpdatePlan,
  type UpdateRefusal,
} from "../../domain/reference/update-plan.ts"
import { AppError } from "../../errors.ts"
import type { ListSource } from "../../settings.ts"
import { removeCachedResults } from "../compliance/erase-data.ts"

/** Names beyond the shipped lists that an isolate can hold in memory. `force` does not raise this limit. */
const MAX_STORED = 100_000

/**
 * Fetches the configured lists of some classes and applies what they agree on, each class by itself. A class with too
 * large a change does not change, and the refusal gives the reason. @throws AppError unavailable without sources
 */
export async function refreshLists(
  ctx: Context,
  { classes, force }: { classes: readonly RefreshedList[]; force: boolean },
): Promise<Refresh[]> {
  const sources = ctx.listSources.configured
  if (sources.length === 0) throw new AppError("not_configured", "no list sources are configured; set LIST_SOURCES")
  const refreshes: Refresh[] = []
  for (const listClass of classes) {
    const own = sources.filter((source) => source.class === listClass)
    const fetched = await Promise.all(
      own.map(async (source) => ({ source, list: await ctx.listSources.fetch(source) })),
    )
    refreshes.push(await refreshClass(ctx, { listClass, fetched, force }))
  }
  await ctx.activeRules.reload()
  return refreshes
}

async function refreshClass(
  ctx: Context,
  { listClass, fetched, force }: { listClass: RefreshedList; fetched: readonly Fetched[]; force: boolean },
): Promise<Refresh> {
  const stored = await ctx.store.listOverrides.fetchedNames(listClass)
  const plan = planOf(listClass, { stored, votes: votesOf(fetched), force })
  // An unreadable list is no reason to remove names that it supported before.
  const isWhole = fetched.every(({ list }) => list.ok)
  const nothing = { additions: [], removals: [], leftOut: [] }
  const change = !plan.accepted ? nothing : isWhole ? plan : { ...plan, removals: [] }
  const isUnchanged = change.additions.length + change.removals.length === 0
  const refresh: Refresh = {
    at: ctx.clock.now(),
    class: listClass,
    outcome: !plan.accepted ? "refused" : isUnchanged ? "unchanged" : "updated",
    forced: force,
    added: change.additions.length,
    removed: change.removals.length,
    leftOut: change.leftOut.length,
    reason: plan.accepted ? null : describe(plan.refusal),
    sources: fetched.map(reportOf),
  }
  await ctx.store.listOverrides.apply(refresh, change)
  await invalidateCached(ctx, [...change.additions, ...change.removals])
  return refresh
}

interface Fetched {
  readonly source: ListSource
  readonly list: FetchedList
}

const PLANS: Readonly<Record<RefreshedList, typeof planFreeUpdate>> = {
  disposable: (stored, votes, options) => planUpdate({ builtIn: SHIPPED_DISPOSABLE, stored }, votes, options),
  free: planFreeUpdate,
  top_level: planTopLevelUpdate,
}

type Plan = UpdatePlan | { readonly accepted: false; readonly refusal: { readonly reason: "too_many_names" } }

function planOf(
  listClass: RefreshedList,
  { stored, votes, force }: { stored: ReadonlySet<string>; votes: readonly ListSourceVote[]; force: boolean },
): Plan {
  const plan = PLANS[listClass](stored, votes, { force })
  const isTooMuch = plan.accepted && stored.size + plan.additions.length - plan.removals.length > MAX_STORED
  return isTooMuch ? { accepted: false, refusal: { reason: "too_many_names" } } : plan
}

/** Merges sources of the same name into one vote. */
function votesOf(fetched: readonly Fetched[]): ListSourceVote[] {
  const byName = Map.groupBy(fetched, ({ source }) => source.name)
  return [...byName].flatMap(([name, same]) => {
    const read = same.flatMap(({ source, list }) => (list.ok ? [{ source, domains: list.domains }] : []))
    const own = read.filter(({ source }) => source.first_hand)
    const firstHand = { has: (domain: string) => own.some(({ domains }) => domains.has(domain)) }
    return read.length > 0 ? [{ name, domains: new Set(read.flatMap(({ domains }) => [...domains])), firstHand }] : []
  })
}

function reportOf({ source: { name }, list }: Fetched): SourceReport {
  return list.ok
    ? { name, names: list.domains.size, problem: list.unread.length > 0 ? "has lines that are not domains" : null }
    : { name, names: null, problem: list.problem }
}

function describe(refusal: UpdateRefusal | { readonly reason: "too_many_names" }): string {
  switch (refusal.reason) {
    case "too_few_sources":
      return `${refusal.sources} of the sources could be read and ${refusal.needed} must agree`
    case "incomplete":
      return `the list lacks ${refusal.lacking} of the ${refusal.shipped} known top-level domains`
    case "poisoned":
      return `the sources call ${refusal.protectedNames.length} mail providers or relays disposable, among them ${refusal.protectedNames
        .slice(0, 5)
        .map(({ domain }) => domain)
        .join(", ")}`
    case "too_many_additions":
      return `it would add ${counted(refusal.changes, "name")}, and at most ${refusal.allowed} are allowed at once`
    case "too_many_removals":
      return `it would remove ${counted(refusal.changes, "name")}, and at most ${refusal.allowed} are allowed at once`
    case "too_many_names":
      return `more than ${MAX_STORED} names beside the shipped lists; build them in with scripts/data/update-lists.ts`
  }
}

/** Refreshes the lists on the schedule and records the outcome in the audit trail. */
export async function refreshBySchedule(ctx: Context): Promise<void> {
  const { configured } = ctx.listSources
  const classes = REFRESHED_LISTS.filter((list) => configured.some((source) => source.class === list))
  if (classes.length === 0) return
  const refreshes = await refreshLists(ctx, { classes, force: false })
  const outcomes = Object.fromEntries(refreshes.map(({ class: listClass, outcome }) => [listClass, outcome]))
  await ctx.store.audit.append({
    actor: "schedule",
    action: "lists.refreshed",
    subject: "",
    details: outcomes,
    at: ctx.clock.now(),
  })
}

/** Sets the operator's class of a domain and its subdomains. It is active here at once, elsewhere within a minute. */
export async function setOverride(
  ctx: Context,
  { domain, listClass, note }: { domain: string; listClass: ListClass; note: string | null },
): Promise<StoredOverride> {
  const override = { domain, class: listClass, note, origin: "operator", createdAt: ctx.clock.now() } as const
  await ctx.store.listOverrides.set(override)
  await ctx.activeRules.reload()
  await invalidateBelow(ctx, domain)
  return override
}

/** Removes the operator's class of a domain, so that the lists decide again. @throws AppError not_found */
export async function removeOverride(ctx: Context, domain: string): Promise<void> {
  if (!(await ctx.store.listOverrides.remove(domain)))
    throw new AppError("not_found", "there is no override for this domain")
  await ctx.activeRules.reload()
  await invalidateBelow(ctx, domain)
}

const MOST_DOMAINS = 500

async function invalidateBelow(ctx: Context, domain: string): Promise<void> {
  await invalidateCached(ctx, await ctx.store.operator.domainsBelow(domain, MOST_DOMAINS))
}

/** The platform limits the calls of one request. Results beyond this limit expire by themselves. */
const MOST_RESULTS = 500

/** Removes the results of these domains from the edge cache, so that the new lists classify the next answers. */
async function invalidateCached(ctx: Context, domains: readonly string[]): Promise<void> {
  if (domains.length > 0) await removeCachedResults(ctx, await ctx.store.operator.addressesOf(domains, MOST_RESULTS))
}
