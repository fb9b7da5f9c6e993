import type { ProbeRequest } from "../../../schema/wire/probe.ts"
import type { RblAnswer, RblRequest } from "../../../schema/wire/rbl.ts"
import { NodeSet } from "../../domain/fleet/node-set.ts"
import type { RouteName } from "../../domain/fleet/route-stats.ts"
import type { NodeAssessment, RouteRequest, RouteView } from "../../domain/fleet/router.ts"
import type { Config } from "../../env.ts"
import type { Platform } from "../platform.ts"
import type { FleetRows, FleetStore } from "../store/fleet/fleet.ts"
import { Dispatch, type DispatchDeps, type NodeLine } from "./dispatch.ts"
import type { FleetMemory } from "./fleet-memory.ts"
import { type FleetNode, nodesOf } from "./fleet-node.ts"
import type { NodeClient } from "./node-client.ts"

export type Fleet = ReturnType<typeof createFleet>

interface FleetDeps extends Pick<Platform, "clock" | "log" | "background"> {
  readonly config: Pick<Config, "probeNodes">
  /** Opened only to read or write: most requests need no database for this. */
  readonly store: () => Pick<FleetStore, "read" | "addCounts" | "pauseRoutes">
  readonly memory: FleetMemory
}

/** State older than FRESH_MS is reloaded in the background. State older than USABLE_MS is not used. */
const FRESH_MS = 20_000
const USABLE_MS = 120_000
/** After this time another request may start the reload. */
const READING_MS = 5_000
const RETRY_MS = 5_000

export function createFleet(deps: FleetDeps) {
  const { config, clock, log, memory, background } = deps

  async function refresh(): Promise<void> {
    const startedAt = clock.now()
    memory.readingUntil = startedAt + READING_MS
    try {
      const rows = await deps.store().read(startedAt)
      const nodes = await nodesOf(config, rows, clock.now())
      // A read that began before a change may end after it, and must not undo it.
      if (startedAt >= memory.readAt) memory.replaceFleet(nodes, rows, startedAt)
    } catch (error) {
      log("fleet_unread", { error: (error as Error).message })
      // Configured nodes need no database.
      if (memory.nodes.length === 0)
        memory.replaceFleet(await nodesOf(config, NO_ROWS, clock.now()), NO_ROWS, clock.now())
      // Without any health no node may be used: the next call reads again, so that probes return with the database.
      const isKnown = memory.nodes.some(({ health }) => health !== null)
      memory.readAt = isKnown ? clock.now() - USABLE_MS + RETRY_MS : Number.NEGATIVE_INFINITY
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
    /** Every node, in any state; about 20 s old under traffic, after a pause at most 120 s. */
    all,
    /** Reads the fleet again after a change. */
    refresh,
    /** Those of the nodes that were not checked within this time, and that no other task or caller checks now. */
    claimChecks: (nodes: readonly FleetNode[], withinMs: number): FleetNode[] =>
      nodes.filter((node) => memory.claimCheck(node, withinMs, clock.now())),
    /** The claimed checks have ended, and are stored. */
    endChecks(nodes: readonly FleetNode[]): void {
      for (const { id } of nodes) memory.endCheck(id)
    },
    /** Statistics of a route (node, source IP, operator) in this isolate. */
    route: (name: RouteName): RouteView | null => memory.router.route(name, clock.now()),

    /** The account's nodes, scored for a request like the router does; best first. */
    async score(accountId: string | null, request: RouteRequest): Promise<NodeAssessment<FleetNode>[]> {
      await all()
      const nodes = memory.usableNodes(accountId)
      const within = { now: clock.now(), set: NodeSet.of(nodes) }
      const weighed = nodes.map((node) => memory.router.assess(node, request, within))
      return weighed.toSorted((a, b) => Number(b.usable.length > 0) - Number(a.usable.length > 0) || a.cost - b.cost)
    },

    /** Nodes that may probe for an account: its own when some are healthy, else the shared nodes. */
    async usableNodes(accountId: string | null): Promise<readonly FleetNode[]> {
      await all()
      return memory.usableNodes(accountId)
    },

    /** Writes the counts when they are due; cheap to call after each request. */
    async flush() {
      const written = memory.drainUnsavedCounts(clock.now())
      if (!written) return
      try {
        await deps.store().addCounts(written.counts, written.slice)
        await deps.store().pauseRoutes(written.paused)
      } catch (error) {
        log("fleet_unwritten", { error: (error as Error).message })
      }
    },
  }
}

const NO_ROWS: FleetRows = { nodes: [], drains: [], health: [], routes: [], counts: [] }

export type ProbeAnswer = { kind: "lines"; lines: AsyncIterable<NodeLine> } | { kind: "unavailable" }

export interface ProbeOptions {
  /** The account that the probe is for: its own nodes, else the shared ones. Null for the shared ones. */
  readonly accountId: string | null
  readonly avoidNodes?: readonly string[]
  /** The node to ask first: it knows the recipients already. */
  readonly preferNode?: string | null
  /** Fail rather than use a source IP that the operator blocks. */
  readonly onlyUnblocked?: boolean
  /** Ask this node and no other, whatever its state. */
  readonly onlyNode?: string
}

export type Probes = ReturnType<typeof createProbes>

interface ProbesDeps extends DispatchDeps, Pick<Platform, "background"> {
  readonly fleet: Fleet
}

export function createProbes(needs: ProbesDeps) {
  const { fleet, background } = needs

  async function* counted(lines: AsyncIterable<NodeLine>): AsyncGenerator<NodeLine> {
    try {
      yield* lines
    } finally {
      background(fleet.flush())
    }
  }

  return {
    /** How many nodes probe for an account. */
    count: async (accountId: string | null): Promise<number> => (await fleet.usableNodes(accountId)).length,
    /** The owner of the nodes that probe for an account, null for the shared ones. */
    owner: async (accountId: string | null): Promise<string | null> =>
      (await fleet.usableNodes(accountId))[0]?.accountId ?? null,

    /** Asks the fleet; lines arrive as nodes learn them, each recipient at most once. */
    async probe(
      request: ProbeRequest,
      { accountId, avoidNodes = [], preferNode = null, onlyUnblocked = false, onlyNode }: ProbeOptions,
    ): Promise<ProbeAnswer> {
      const nodes =
        onlyNode === undefined
          ? await fleet.usableNodes(accountId)
          : (await fleet.all()).filter(({ id }) => id === onlyNode)
      if (nodes.every(({ id }) => avoidNodes.includes(id))) return { kind: "unavailable" }
      const dispatch = new Dispatch(needs, { request, nodes, avoidNodes, preferNode, onlyUnblocked })
      return { kind: "lines", lines: counted(dispatch.lines()) }
    },
  }
}

export type Rbl = ReturnType<typeof createRbl>

interface RblDeps {
  readonly fleet: Pick<Fleet, "usableNodes">
  readonly nodeClient: Pick<NodeClient, "rbl">
  readonly randomToken: () => string
}

/** Blocklist lookups go through probe nodes only: blocklists refuse public resolvers or answer them wrongly. */
export function createRbl({ fleet, nodeClient, randomToken }: RblDeps) {
  return {
    /** Queries blocklists through the first probe node that answers; null when none does. Never rejects. */
    async query(lookup: Pick<RblRequest, "ips" | "zones" | "deadlineMs">): Promise<RblAnswer | null> {
      for (const node of await fleet.usableNodes(null)) {
        const answer = await nodeClient.rbl(node, { ...lookup, requestId: randomToken() })
        if (answer) return answer
      }
      return null
    },
  }
}
