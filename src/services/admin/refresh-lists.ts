import type { FetchedList } from "../../adapters/lists/list-sources.ts"
import type { Refresh, SourceReport } from "../../adapters/store/list-overrides.ts"
import type { Deps } from "../../deps.ts"
import { SHIPPED_DISPOSABLE } from "../../domain/lists/built-in.ts"
import type { Voice } from "../../domain/lists/merge.ts"
import { planFreeUpdate } from "../../domain/lists/update-free.ts"
import { planUpdate, type UpdatePlan, type UpdateRefusal } from "../../domain/lists/update-plan.ts"
import { AppError } from "../../errors.ts"
import type { ListSource } from "../../settings.ts"
import { type ForgetNeeds, forgetCached } from "./forget-cached.ts"

export type RefreshListsNeeds = ForgetNeeds & Pick<Deps, "clock" | "listOverrides" | "listSources" | "currentLists">

type Fetchable = ListSource["class"]

/** More names than an isolate should carry beside the shipped lists; not even by force. */
const MAX_HELD = 100_000

/**
 * Fetches the configured lists of some classes and takes over what they agree on, each class by itself. A class whose
 * change goes too far is left as it is, and the refusal says why. @throws AppError unavailable without sources
 */
export async function refreshLists(
  needs: RefreshListsNeeds,
  { classes, force }: { classes: readonly Fetchable[]; force: boolean },
): Promise<Refresh[]> {
  const sources = needs.listSources.configured
  if (sources.length === 0) throw new AppError("unavailable", "no list sources are configured; set LIST_SOURCES")
  const refreshes: Refresh[] = []
  for (const said of classes) {
    const own = sources.filter((source) => source.class === said)
    const fetched = await Promise.all(
      own.map(async (source) => ({ source, list: await needs.listSources.fetch(source) })),
    )
    refreshes.push(await refreshClass(needs, { said, fetched, force }))
  }
  await needs.currentLists.reload()
  return refreshes
}

async function refreshClass(
  needs: RefreshListsNeeds,
  { said, fetched, force }: { said: Fetchable; fetched: readonly Fetched[]; force: boolean },
): Promise<Refresh> {
  const held = await needs.listOverrides.held(said)
  const plan = planOf(said, { held, voices: voicesOf(fetched), force })
  // A list that could not be read says nothing against the names it seconded before.
  const isWhole = fetched.every(({ list }) => list.ok)
  const nothing = { additions: [], removals: [], leftOut: [] }
  const change = !plan.accepted ? nothing : isWhole ? plan : { ...plan, removals: [] }
  const isUnchanged = change.additions.length + change.removals.length === 0
  const refresh: Refresh = {
    at: needs.clock.now(),
    class: said,
    outcome: !plan.accepted ? "refused" : isUnchanged ? "unchanged" : "updated",
    forced: force,
    added: change.additions.length,
    removed: change.removals.length,
    leftOut: change.leftOut.length,
    reason: plan.accepted ? null : describe(plan.refusal),
    sources: fetched.map(reportOf),
  }
  await needs.listOverrides.apply(refresh, change)
  await forgetCached(needs, [...change.additions, ...change.removals])
  return refresh
}

interface Fetched {
  readonly source: ListSource
  readonly list: FetchedList
}

type Plan = UpdatePlan | { readonly accepted: false; readonly refusal: { readonly reason: "too_many_names" } }

function planOf(
  said: Fetchable,
  { held, voices, force }: { held: ReadonlySet<string>; voices: readonly Voice[]; force: boolean },
): Plan {
  const plan =
    said === "free"
      ? planFreeUpdate(held, voices, { force })
      : planUpdate({ builtIn: SHIPPED_DISPOSABLE, held }, voices, { force })
  const isTooMuch = plan.accepted && held.size + plan.additions.length - plan.removals.length > MAX_HELD
  return isTooMuch ? { accepted: false, refusal: { reason: "too_many_names" } } : plan
}

/** Sources of one name speak with one voice. */
function voicesOf(fetched: readonly Fetched[]): Voice[] {
  const byName = Map.groupBy(fetched, ({ source }) => source.name)
  return [...byName].flatMap(([name, same]) => {
    const read = same.flatMap(({ list }) => (list.ok ? [list.domains] : []))
    return read.length > 0 ? [{ name, domains: new Set(read.flatMap((domains) => [...domains])) }] : []
  })
}

function reportOf({ source: { name }, list }: Fetched): SourceReport {
  return list.ok
    ? { name, names: list.domains.size, problem: list.unread.length > 0 ? "has lines that are no domains" : null }
    : { name, names: null, problem: list.problem }
}

function describe(refusal: UpdateRefusal | { readonly reason: "too_many_names" }): string {
  switch (refusal.reason) {
    case "too_few_sources":
      return `${refusal.sources} of the sources could be read and ${refusal.needed} must agree`
    case "poisoned":
      return `the sources call ${refusal.protectedNames.length} mail providers or relays disposable, among them ${refusal.protectedNames
        .slice(0, 5)
        .map(({ domain }) => domain)
        .join(", ")}`
    case "too_many_additions":
      return `it would add ${refusal.changes} names, and at most ${refusal.allowed} are allowed at once`
    case "too_many_removals":
      return `it would remove ${refusal.changes} names, and at most ${refusal.allowed} are allowed at once`
    case "too_many_names":
      return `more than ${MAX_HELD} names beside the shipped lists; build them in with scripts/update-lists.ts`
  }
}

/** The same on the schedule, where there are sources; written down in the audit trail. Refusals stand in the statistics. */
export async function refreshBySchedule(needs: RefreshListsNeeds & Pick<Deps, "audit">): Promise<void> {
  if (needs.listSources.configured.length === 0) return
  const refreshes = await refreshLists(needs, { classes: ["disposable", "free"], force: false })
  const outcomes = Object.fromEntries(refreshes.map(({ class: said, outcome }) => [said, outcome]))
  await needs.audit.append({
    actor: "schedule",
    action: "lists.refreshed",
    subject: "",
    details: outcomes,
    at: needs.clock.now(),
  })
}
