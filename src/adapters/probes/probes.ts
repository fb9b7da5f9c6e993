import type { ProbeRequest } from "../../../schema/wire/probe.ts"
import type { Clock, Log } from "../platform.ts"
import { Dispatch, type NodeLine } from "./dispatch.ts"
import type { Fleet } from "./fleet.ts"
import type { FleetMemory } from "./fleet-memory.ts"
import type { NodeClient } from "./node-client.ts"

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

export interface Probes {
  /** How many nodes probe for an account. */
  count(accountId: string | null): Promise<number>
  /** The owner of the nodes that probe for an account, null for the shared ones. */
  owner(accountId: string | null): Promise<string | null>
  /** Asks the fleet; lines arrive as nodes learn them, each recipient at most once. */
  probe(request: ProbeRequest, options: ProbeOptions): Promise<ProbeAnswer>
}

export interface ProbesDeps {
  readonly clock: Clock
  readonly log: Log
  readonly randomToken: () => string
  readonly fleet: Fleet
  readonly memory: FleetMemory
  readonly nodeClient: Pick<NodeClient, "probe">
  readonly background: (work: Promise<unknown>) => void
}

export function createProbes(needs: ProbesDeps): Probes {
  const { fleet, background } = needs

  async function* counted(lines: AsyncIterable<NodeLine>): AsyncGenerator<NodeLine> {
    try {
      yield* lines
    } finally {
      background(fleet.flush())
    }
  }

  return {
    count: async (accountId) => (await fleet.usableNodes(accountId)).length,
    owner: async (accountId) => (await fleet.usableNodes(accountId))[0]?.accountId ?? null,

    async probe(request, { accountId, avoidNodes = [], preferNode = null, onlyUnblocked = false, onlyNode }) {
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
