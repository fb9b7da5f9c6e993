import type { Deps } from "../../deps.ts"
import { DAY_MS } from "../../domain/time.ts"

export interface Greylisting {
  readonly waiting: number
  readonly due: number
  /** Unix milliseconds. */
  readonly nextDueAt: number | null
  /** Of the last day, those that put off most first. */
  readonly operators: readonly { readonly operator: string; readonly deferred: number; readonly share: number }[]
}

const SHOWN = 50

/** How many addresses wait for a second question, and which operators put the shared nodes off. Counts only. */
export async function findGreylisting({
  clock,
  fleet,
  fleetRecords,
}: Pick<Deps, "clock" | "fleet" | "fleetRecords">): Promise<Greylisting> {
  const now = clock.now()
  const [waiting, counts] = await Promise.all([fleetRecords.waiting(now), fleetRecords.countsSince(now - DAY_MS)])
  const byOperator = new Map<string, { deferred: number; all: number }>()
  const shared = new Set((await fleet.all()).filter(({ accountId }) => accountId === null).map(({ id }) => id))
  for (const { nodeId, operator, deferred, answered, blocked } of counts) {
    if (!shared.has(nodeId)) continue
    const sum = byOperator.get(operator) ?? { deferred: 0, all: 0 }
    sum.deferred += deferred
    sum.all += deferred + answered + blocked
    byOperator.set(operator, sum)
  }
  const operators = [...byOperator]
    .filter(([, { deferred }]) => deferred > 0)
    .map(([operator, { deferred, all }]) => ({ operator, deferred, share: deferred / all }))
    .toSorted((a, b) => b.deferred - a.deferred)
  return { ...waiting, operators: operators.slice(0, SHOWN) }
}
