import type { Deps } from "../../deps.ts"

export interface ServiceHealth {
  readonly database: { readonly reachable: boolean; readonly ms: number }
  readonly probeNodes: number
  /** Unix milliseconds. */
  readonly time: number
}

/** Looks at what the service stands on. Never throws: an outage is an answer. */
export async function checkHealth({
  results,
  probes,
  clock,
}: Pick<Deps, "results" | "probes" | "clock">): Promise<ServiceHealth> {
  const startedAt = clock.now()
  const reachable = await results.ping().then(
    () => true,
    () => false,
  )
  const time = clock.now()
  return { database: { reachable, ms: time - startedAt }, probeNodes: await probes.count(), time }
}
