import type { ProbeRequest } from "../../../schema/wire/probe.ts"
import type { Clock, Log } from "../platform.ts"
import { Dispatch, type NodeLine } from "./dispatch.ts"
import type { Fleet } from "./fleet.ts"
import type { FleetMemory } from "./fleet-memory.ts"
import type { NodeDoor } from "./node-door.ts"

export type ProbeAnswer = { kind: "lines"; lines: AsyncIterable<NodeLine> } | { kind: "unavailable" }

export interface AskOptions {
  readonly avoidNodes?: readonly string[]
  /** The node to ask first: it knows the recipients already. */
  readonly preferNode?: string | null
  /** Rather ask nobody than from a source IP that the operator holds off. */
  readonly onlyWelcome?: boolean
  /** Ask this node and no other, whatever its state. */
  readonly onlyNode?: string
}

export interface Probes {
  /** How many nodes may be asked. */
  count(): Promise<number>
  /** The account whose own nodes are asked; null: those of everybody. */
  owner(): Promise<string | null>
  /** Asks the fleet; lines arrive as nodes learn them, each recipient at most once. */
  ask(request: ProbeRequest, options?: AskOptions): Promise<ProbeAnswer>
  /** The same for an account, while others go on as before. */
  forAccount(accountId: string | null): Probes
}

export interface ProbesNeeds {
  readonly clock: Clock
  readonly log: Log
  readonly randomToken: () => string
  readonly fleet: Fleet
  readonly memory: FleetMemory
  readonly door: Pick<NodeDoor, "probe">
  readonly background: (work: Promise<unknown>) => void
}

/** @param account for whom is asked: an account's own nodes serve nobody else */
export function createProbes(needs: ProbesNeeds, account: () => string | null): Probes {
  const { fleet, background } = needs

  async function* counted(lines: AsyncIterable<NodeLine>): AsyncGenerator<NodeLine> {
    try {
      yield* lines
    } finally {
      background(fleet.flush())
    }
  }

  return {
    count: async () => (await fleet.askable(account())).length,
    owner: async () => (await fleet.askable(account()))[0]?.accountId ?? null,

    async ask(request, { avoidNodes = [], preferNode = null, onlyWelcome = false, onlyNode } = {}) {
      const nodes =
        onlyNode === undefined
          ? await fleet.askable(account())
          : (await fleet.all()).filter(({ id }) => id === onlyNode)
      if (nodes.every(({ id }) => avoidNodes.includes(id))) return { kind: "unavailable" }
      const dispatch = new Dispatch(needs, { request, nodes, avoidNodes, preferNode, onlyWelcome })
      return { kind: "lines", lines: counted(dispatch.lines()) }
    },

    forAccount: (accountId) => createProbes(needs, () => accountId),
  }
}
