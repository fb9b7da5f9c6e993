import { byWall } from "../../adapters/by-wall.ts"
import type { Deps } from "../../deps.ts"
import { assembleFacts } from "../../domain/verdict/domain-facts.ts"
import type { DomainFacts, Fact, FactName, FactValues, KeptFacts, MailRoute } from "../../domain/verdict/evidence.ts"
import { factLifetimeMs } from "../../domain/verdict/fact-lifetimes.ts"
import { FINDERS, type Finder, type FinderNeeds } from "./fact-finders.ts"

export type FactNeeds = FinderNeeds & Pick<Deps, "clock" | "results" | "log" | "background">

export interface FactsInput {
  readonly domain: string
  /** As stored, whatever their age. */
  readonly stored: KeptFacts | null
  readonly wanted: ReadonlySet<FactName>
  /** Keeps what has been found; in the store when left out. */
  readonly save?: (found: KeptFacts) => Promise<void>
}

/** The search for the facts of a domain, going on. */
export interface Gathering {
  /** Where mail goes, as soon as it is known: the mailbox can be asked while other facts are still looked for. */
  readonly route: Promise<MailRoute>
  /** What is known by now; null before the route is. */
  soFar(): DomainFacts | null
  /**
   * The facts, stored for every address of the domain; after `budgetMs` from the start those that are known by then.
   * Late ones are stored in the background, for the next time.
   */
  within(budgetMs: number): Promise<DomainFacts>
}

/** Facts that a verification always has. */
export const DNS_FACTS: ReadonlySet<FactName> = new Set([
  "route",
  "exchangers",
  "spf",
  "dkim",
  "dmarc",
  "mtaSts",
  "bimi",
])
/** How long an answer waits for a slow fact, in ms. */
export const FACTS_BUDGET_MS = 2_500

type Known = { -readonly [Name in FactName]?: Fact<FactValues[Name]> }

/** The facts of a domain: as stored when they are fresh, else looked for all at once. */
export function gatherFacts(needs: FactNeeds, input: FactsInput): Gathering {
  const { clock, results } = needs
  const { domain, stored, wanted, save = (found) => results.saveFacts(domain, found) } = input
  const startedAt = clock.now()
  const known: Known = {}
  let unsaved: Known = {}
  const running = new Map<FactName, Promise<unknown>>()

  function get<Name extends FactName>(name: Name): Promise<FactValues[Name] | null> {
    const shared = running.get(name) ?? take(name)
    running.set(name, shared)
    return shared as Promise<FactValues[Name] | null>
  }

  async function take<Name extends FactName>(name: Name): Promise<FactValues[Name] | null> {
    const kept = stored?.[name]
    if (kept && kept.expiresAt > startedAt) {
      known[name] = kept as Known[Name]
      return kept.value as FactValues[Name] | null
    }
    const value = await find(name)
    const checkedAt = clock.now()
    const fact = { value, checkedAt, expiresAt: checkedAt + factLifetimeMs(name, value) }
    known[name] = fact as Known[Name]
    if (fact.expiresAt > checkedAt) unsaved[name] = fact as Known[Name]
    return value
  }

  /** A finder that fails is a bug of ours; the other facts are none the worse for it. */
  async function find<Name extends FactName>(name: Name): Promise<FactValues[Name] | null> {
    try {
      return await (FINDERS[name] as Finder<Name>)(needs, { domain, get })
    } catch (error) {
      if (name === "route") throw error
      needs.log("fact_failed", { fact: name, error: (error as Error).message })
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
  all.catch(() => undefined) // told by `route`
  const soFar = () => assembleFacts(domain, known, wanted)

  return {
    route,
    soFar,
    async within(budgetMs) {
      await route
      const isComplete = await byWall(
        clock,
        all.then(() => true),
        startedAt + budgetMs,
      )
      await saveFound()
      if (!isComplete) needs.background(all.then(saveFound))
      return soFar()!
    },
  }
}
