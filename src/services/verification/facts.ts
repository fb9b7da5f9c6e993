import { withDeadline } from "../../concurrency/deadlines.ts"
import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import {
  assembleFacts,
  type DomainFacts,
  type Fact,
  type FactName,
  type FactValues,
  type MailRoute,
  type StoredFacts,
} from "../../domain/verification/evidence.ts"
import { factLifetimeMs } from "../../domain/verification/lifetime.ts"
import { wantedForList } from "../../domain/verification/plan.ts"
import { FINDERS, type Finder } from "./find-facts.ts"
import { storeFacts } from "./settle.ts"

interface FactsInput {
  readonly domain: string
  /** As stored, whatever their age. */
  readonly stored: StoredFacts | null
  readonly wanted: ReadonlySet<FactName>
  /** Stores the found facts. The default stores them after the answer. */
  readonly save?: (found: StoredFacts) => Promise<void>
}

/** A running search for the facts of a domain. */
interface Gathering {
  /** The mail route, as soon as it is known: the mailbox can be probed while other facts are still pending. */
  readonly route: Promise<MailRoute>
  /** The facts so far, null before the route is known. */
  soFar(): DomainFacts | null
  /** Returns the facts known `budgetMs` after the start, and saves them. Late ones are saved in the background. */
  within(budgetMs: number): Promise<DomainFacts>
}

type Known = { -readonly [Name in FactName]?: Fact<FactValues[Name]> }

/** Gathers the facts of a domain: stored ones while they are fresh, all others in parallel. */
export function gatherFacts(ctx: Context, input: FactsInput): Gathering {
  const { clock } = ctx
  const { domain, stored, wanted, save = (found) => storeFacts(ctx, domain, found) } = input
  const startedAt = clock.now()
  const known: Known = {}
  let unsaved: Known = {}
  const running = new Map<FactName, Promise<unknown>>()

  function get<Name extends FactName>(name: Name): Promise<FactValues[Name] | null> {
    const shared = running.get(name) ?? findOnce(name)
    running.set(name, shared)
    return shared as Promise<FactValues[Name] | null>
  }

  async function findOnce<Name extends FactName>(name: Name): Promise<FactValues[Name] | null> {
    const current = stored?.[name]
    if (current && current.expiresAt > startedAt) {
      known[name] = current as Known[Name]
      return current.value as FactValues[Name] | null
    }
    const value = ctx.failedFacts.has(domain, name) ? null : await find(name)
    if (value === null) ctx.failedFacts.add(domain, name)
    const checkedAt = clock.now()
    const fact = { value, checkedAt, expiresAt: checkedAt + factLifetimeMs(name, value) }
    known[name] = fact as Known[Name]
    if (fact.expiresAt > checkedAt) unsaved[name] = fact as Known[Name]
    return value
  }

  /** A failed finder is a bug, which must not affect other facts. */
  async function find<Name extends FactName>(name: Name): Promise<FactValues[Name] | null> {
    try {
      return await (FINDERS[name] as Finder<Name>)(ctx, { domain, get })
    } catch (error) {
      if (name === "route") throw error
      ctx.log("fact_failed", { fact: name, error: (error as Error).message })
      return null
    }
  }

  async function saveFound(): Promise<void> {
    const found = unsaved
    unsaved = {}
    if (Object.keys(found).length > 0) await save(found)
  }

  const route = get("route") as Promise<MailRoute>
  const all = Promise.all([...wanted].map((name) => get(name)))
  all.catch(() => undefined) // `route` reports it
  const soFar = () => assembleFacts(domain, known, wanted)

  return {
    route,
    soFar,
    async within(budgetMs) {
      await route
      const isComplete =
        [...wanted].every((name) => name in known) ||
        (await withDeadline(
          clock,
          all.then(() => true),
          startedAt + budgetMs,
        ))
      ctx.background(saveFound())
      if (!isComplete) ctx.background(all.then(saveFound))
      return soFar()!
    },
  }
}

/** Concurrent domains: more would only wait for a Worker's six connections. */
const AT_A_TIME = 12
const BUDGET_MS = 5_000

/**
 * Returns the facts of many domains with one read, a lookup per missing domain, and one write. Other fresh stored facts
 * are included. @param deadlineAt Unix ms. Domains that have not started by then are omitted
 */
export async function factsOfDomains(
  ctx: Context,
  { domains, deadlineAt }: { domains: readonly string[]; deadlineAt: number },
): Promise<Map<string, DomainFacts>> {
  const { clock } = ctx
  const { resultLists } = ctx.store
  const known = await resultLists.factsOf(domains)
  const unsaved = new Map<string, StoredFacts>()
  let isWritten = false
  const found = new Map<string, DomainFacts>()
  await inParallel(domains, AT_A_TIME, async (domain) => {
    const now = clock.now()
    if (now >= deadlineAt) return
    const stored = known.get(domain) ?? null
    const wanted = wantedForList(stored, now)
    const save = async (facts: StoredFacts) => {
      // Facts found after the shared write are written separately.
      if (isWritten) await storeFacts(ctx, domain, facts)
      else unsaved.set(domain, { ...unsaved.get(domain), ...facts })
    }
    const gathering = gatherFacts(ctx, { domain, stored, wanted, save })
    found.set(domain, await gathering.within(BUDGET_MS))
  })
  isWritten = true
  if (unsaved.size > 0) await resultLists.saveFactsOf(unsaved)
  return found
}
