import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { DAY_MS } from "../../domain/time.ts"

export interface Greylisting {
  readonly waiting: number
  readonly due: number
  /** Unix milliseconds. */
  readonly nextDueAt: number | null
  /** Of the last day, the highest count of deferrals first. */
  readonly operators: readonly { readonly operator: string; readonly deferred: number; readonly share: number }[]
}

const SHOWN = 50

/**
 * Counts the addresses that wait for a recheck, and the deferrals by operator. For the operator: the whole service and
 * its shared nodes. For others: the caller's account and its own nodes.
 */
export async function findGreylisting(ctx: Context, caller: Caller): Promise<Greylisting> {
  const now = ctx.clock.now()
  const owner = accountOf(caller)
  const [waiting, counts] = await Promise.all([
    ctx.store.fleetRecords.waiting(now, owner),
    ctx.store.fleetRecords.countsSince(now - DAY_MS),
  ])
  const byOperator = new Map<string, { deferred: number; all: number }>()
  const counted = new Set((await ctx.fleet.all()).filter(({ accountId }) => accountId === owner).map(({ id }) => id))
  for (const { nodeId, operator, deferred, answered, blocked } of counts) {
    if (!counted.has(nodeId)) continue
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
