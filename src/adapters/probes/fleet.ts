import { NodeSet } from "../../domain/fleet/node-set.ts"
import type { PairName } from "../../domain/fleet/pair.ts"
import type { PairView, RouteAsk, Weighed } from "../../domain/fleet/router.ts"
import type { Config } from "../../env.ts"
import type { Clock, Log } from "../platform.ts"
import type { FleetRows, FleetStore } from "../store/fleet.ts"
import type { FleetMemory } from "./fleet-memory.ts"
import { type FleetNode, nodesOf } from "./fleet-node.ts"

export interface Fleet {
  /** Every node, whatever its state; at most 30 s old. */
  all(): Promise<readonly FleetNode[]>
  /** Nodes that may be asked for an account: its own when it has some that work, else the shared ones. */
  askable(accountId: string | null): Promise<readonly FleetNode[]>
  /** Reads it anew: something has been changed. */
  refresh(): Promise<void>
  /** The nodes of an account weighed for a question, as a choice would; best first. */
  weigh(accountId: string | null, ask: RouteAsk): Promise<Weighed<FleetNode>[]>
  /** How a source IP stands with an operator, as far as this isolate knows. */
  pair(name: PairName): PairView | null
  /** Writes what has been counted, now and then; cheap to call after each request. */
  flush(): Promise<void>
}

interface FleetNeeds {
  readonly config: Pick<Config, "probeNodes">
  readonly clock: Clock
  readonly log: Log
  /** Touched only when something is read or written: most requests need no database for this. */
  readonly store: () => Pick<FleetStore, "read" | "addCounts" | "hold">
  readonly memory: FleetMemory
  readonly background: (work: Promise<unknown>) => void
}

/** What is older is read again while it is still used; what is much older is not used before. */
const FRESH_MS = 20_000
const USABLE_MS = 120_000
/** A read that takes longer than this is another's turn. */
const READING_MS = 5_000
const RETRY_MS = 5_000

export function createFleet(needs: FleetNeeds): Fleet {
  const { config, clock, log, memory, background } = needs

  async function refresh(): Promise<void> {
    memory.readingUntil = clock.now() + READING_MS
    try {
      const rows = await needs.store().read(clock.now())
      memory.take(await nodesOf(config, rows, clock.now()), rows, clock.now())
    } catch (error) {
      log("fleet_unread", { error: (error as Error).message })
      // The nodes of the settings need no database.
      if (memory.nodes.length === 0) memory.take(await nodesOf(config, NO_ROWS, clock.now()), NO_ROWS, clock.now())
      memory.readAt = clock.now() - USABLE_MS + RETRY_MS
    } finally {
      memory.readingUntil = 0
    }
  }

  async function all(): Promise<readonly FleetNode[]> {
    const now = clock.now()
    const age = now - memory.readAt
    if (age >= USABLE_MS) await refresh()
    else if (age >= FRESH_MS && now >= memory.readingUntil) background(refresh())
    return memory.nodes
  }

  return {
    all,
    refresh,
    pair: (name) => memory.router.pair(name, clock.now()),

    async weigh(accountId, ask) {
      await all()
      const nodes = memory.askable(accountId)
      const within = { now: clock.now(), set: NodeSet.of(nodes) }
      const weighed = nodes.map((node) => memory.router.weigh(node, ask, within))
      return weighed.toSorted((a, b) => Number(b.usable.length > 0) - Number(a.usable.length > 0) || a.cost - b.cost)
    },

    async askable(accountId) {
      await all()
      return memory.askable(accountId)
    },

    async flush() {
      const written = memory.takeUnwritten(clock.now())
      if (!written) return
      try {
        await needs.store().addCounts(written.counts, written.slice)
        await needs.store().hold(written.held)
      } catch (error) {
        log("fleet_unwritten", { error: (error as Error).message })
      }
    },
  }
}

const NO_ROWS: FleetRows = { nodes: [], health: [], pairs: [], counts: [] }
