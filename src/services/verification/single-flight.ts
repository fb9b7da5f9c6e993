import { withDeadline } from "../../concurrency/with-deadline.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash } from "../../domain/feedback/address-hash.ts"
import { FULL_PROBE_MS } from "./mailbox-probe.ts"

/** A request's part among identical ones: verify and then `release`, or read the leader's result, or give up. */
type Part = { readonly release: () => Promise<void> } | "shared" | "expired"

/** Extra time in ms for the leader to store its result. After it the lease expires. */
const LEASE_GRACE_MS = 5_000

/**
 * Deduplicates identical requests: one verifies, the others wait for it until their own deadlines. Requests to private
 * nodes are deduplicated within their account only, because their results are for that account.
 */
export async function acquireSingleFlight(
  ctx: Context,
  { accountId, address, deadlineAt }: { accountId: string | null; address: ValidAddress; deadlineAt: number },
): Promise<Part> {
  const [hash, owner] = await Promise.all([addressHash(ctx.digests, address), ctx.probes.owner(accountId)])
  const name = owner === null ? hash : `${hash} ${owner}`
  const release = () => ctx.singleFlight.release(name)
  const leftMs = Math.max(0, deadlineAt - ctx.clock.now())
  const behindMs = leftMs < FULL_PROBE_MS ? FULL_PROBE_MS : 0
  const acquiring = ctx.singleFlight.acquire(name, leftMs + behindMs + LEASE_GRACE_MS)
  const isLeader = await withDeadline(ctx.clock, acquiring, deadlineAt)
  if (isLeader !== null) return isLeader ? { release } : "shared"
  // A leader past its deadline releases the lease.
  ctx.background(acquiring.then((leads) => (leads ? release() : undefined)))
  return "expired"
}
