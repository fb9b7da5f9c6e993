import { NODE_STATES, type NodeState } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"

export interface ServiceHealth {
  readonly database: { readonly reachable: boolean; readonly ms: number }
  readonly probeNodes: number
  /** Shared nodes by state. */
  readonly fleet: Readonly<Record<NodeState, number>>
  /** Unix milliseconds. */
  readonly time: number
}

/** Looks at what the service stands on. Never throws: an outage is an answer. */
export async function checkHealth({
  results,
  probes,
  fleet,
  clock,
}: Pick<Deps, "results" | "probes" | "fleet" | "clock">): Promise<ServiceHealth> {
  const startedAt = clock.now()
  const reachable = await results.ping().then(
    () => true,
    () => false,
  )
  const time = clock.now()
  const shared = (await fleet.all()).filter(({ accountId }) => accountId === null)
  const counts = NODE_STATES.map((word) => [word, shared.filter(({ state }) => state === word).length] as const)
  return {
    database: { reachable, ms: time - startedAt },
    probeNodes: await probes.count(),
    fleet: Object.fromEntries(counts) as Record<NodeState, number>,
    time,
  }
}
