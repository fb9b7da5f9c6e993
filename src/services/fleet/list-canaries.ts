import type { CanaryFinding } from "../../../schema/vocabulary.ts"
import type { Canary } from "../../adapters/store/fleet/fleet-records.ts"
import type { Context } from "../../context.ts"

/** The last probe of canary addresses from one source IP. */
export interface CanaryResult {
  readonly nodeId: string
  readonly sourceIp: string
  readonly finding: CanaryFinding
  readonly detail: string | null
  /** Unix milliseconds. */
  readonly checkedAt: number
}

export interface CanaryStatus extends Canary {
  /** Of the current addresses, by node and source IP. */
  readonly results: readonly CanaryResult[]
}

/** Lists the canary addresses of each mail operator with their last results from the nodes of the registry. */
export async function listCanaries(ctx: Context): Promise<CanaryStatus[]> {
  const { fleetRecords } = ctx.store
  const [canaries, pairs, nodes] = await Promise.all([fleetRecords.canaries(), fleetRecords.pairs(), ctx.fleet.all()])
  const present = new Set(nodes.map(({ id }) => id))
  const results = pairs
    .flatMap(({ operator, nodeId, sourceIp, canary: finding, canaryAt: checkedAt, detail }) => {
      if (finding === null || checkedAt === null || !present.has(nodeId)) return []
      return [{ operator, result: { nodeId, sourceIp, finding, detail, checkedAt } }]
    })
    .toSorted((a, b) => (keyOf(a.result) < keyOf(b.result) ? -1 : 1))
  return canaries.map((canary) => ({
    ...canary,
    results: results.filter(({ operator }) => operator === canary.operator).map(({ result }) => result),
  }))
}

function keyOf({ nodeId, sourceIp }: CanaryResult): string {
  return `${nodeId} ${sourceIp}`
}
