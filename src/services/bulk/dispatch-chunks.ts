import type { Deps } from "../../deps.ts"
import { shareOut } from "../../domain/bulk/share-out.ts"

export type DispatchNeeds = Pick<Deps, "clock" | "log" | "jobChunks" | "chunkQueue" | "probes" | "bulk">

/** Chunks in flight for each probe node, and how much of that one account may have. */
const IN_FLIGHT = { perNode: 24, laneShare: 0.75 } as const

/**
 * Leases the next chunks, equally among accounts, and puts pointers to them into the queue. Only so many are under way
 * at a time that a newcomer does not wait behind somebody's million. Safe to call at any time, by anybody, any number of times.
 */
export async function dispatchChunks(needs: DispatchNeeds): Promise<number> {
  const { clock, jobChunks, chunkQueue, probes, bulk } = needs
  const now = clock.now()
  const total = IN_FLIGHT.perNode * Math.max(1, await probes.count())
  const waiting = await jobChunks.waiting(now, total)
  const shares = shareOut(waiting, { total, perLane: Math.ceil(total * IN_FLIGHT.laneShare) })
  if (shares.size === 0) return 0
  const messages = await jobChunks.lease(shares, { now, leaseUntil: now + bulk.leaseMs })
  try {
    await chunkQueue.send(messages)
  } catch (error) {
    needs.log("chunk_queue_failed", { error: (error as Error).message })
    await jobChunks.release(messages, now)
  }
  return messages.length
}
