import type { Context } from "../../context.ts"
import { allocateChunks } from "../../domain/lists/job.ts"

/** Chunks in flight for each probe node, and the largest share of them for one account. */
const IN_FLIGHT = { perNode: 24, maxShareOfAccount: 0.75 } as const

/**
 * Leases the next chunks, shared equally among accounts, and enqueues pointers to them. The limit on chunks in flight
 * lets a new account start before another account's million addresses are done. Safe to call at any time, repeatedly.
 */
export async function dispatchChunks(ctx: Context): Promise<number> {
  const { clock, chunkQueue, probes } = ctx
  const { jobChunks } = ctx.store
  const { bulk } = ctx.config
  const now = clock.now()
  const total = IN_FLIGHT.perNode * Math.max(1, await probes.count(null))
  const waiting = await jobChunks.waiting(now, total)
  const shares = allocateChunks(waiting, { total, perQueue: Math.ceil(total * IN_FLIGHT.maxShareOfAccount) })
  if (shares.size === 0) return 0
  const messages = await jobChunks.lease(shares, { now, leaseUntil: now + bulk.leaseMs })
  try {
    await chunkQueue.send(messages)
  } catch (error) {
    ctx.log("chunk_queue_failed", { error: (error as Error).message })
    await jobChunks.release(messages, now)
  }
  return messages.length
}
