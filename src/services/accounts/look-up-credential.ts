import type { Context } from "../../context.ts"
import { clientNetworks, UNKNOWN_NETWORK } from "../../domain/accounts/caller.ts"
import { FREE_WORK } from "../../domain/accounts/free-work.ts"
import { freeRate } from "../../domain/accounts/rate-limits.ts"
import { tooMany } from "../../errors.ts"

interface Presented {
  /** Hashes of the credential: one for each pepper or table where it may be. */
  readonly names: readonly string[]
  /** The network of the caller, as the platform reports its address. */
  readonly clientIp: string | undefined
}

/**
 * Looks up a credential, unless its network has already presented too many that were refused. Each look-up costs a query,
 * so it is counted before, and given back when the credential is good. One that this isolate has accepted is not counted,
 * so a stranger in the same network cannot lock out its owner. Calls at the same time with one credential count as one
 * until it is refused.
 * @param find looks up one name. `isKnown`: this isolate has accepted it before
 * @returns null for a refused credential @throws AppError rate_limited
 */
export async function lookUpCredential<T>(
  ctx: Pick<Context, "knownCredentials" | "memoryRateLimiter" | "clock">,
  { names, clientIp }: Presented,
  find: (name: string, isKnown: boolean) => Promise<T | null>,
): Promise<T | null> {
  const { knownCredentials: memory } = ctx
  const known = names.find((name) => memory.isAccepted(name))
  if (known !== undefined) {
    const found = await find(known, true)
    if (found === null) memory.refuse(known)
    return found
  }
  const [first = ""] = names
  const refusals = refusalsOf(ctx, clientIp)
  const isFirst = memory.beginLookUp(first, ctx.clock.now())
  try {
    if (isFirst && !refusals.count()) throw tooMany(refusals.seconds, "too many invalid credentials")
    for (const name of names) {
      const found = await find(name, false)
      if (found === null) continue
      memory.accept(name)
      if (isFirst) refusals.giveBack()
      return found
    }
    if (!isFirst) refusals.count()
    return null
  } finally {
    if (isFirst) memory.endLookUp(first)
  }
}

/** The refused credentials of a client's networks in this minute. */
function refusalsOf({ memoryRateLimiter }: Pick<Context, "memoryRateLimiter">, clientIp: string | undefined) {
  const networks = clientNetworks(clientIp)
  const row =
    networks[0]?.network === UNKNOWN_NETWORK ? FREE_WORK.refusedOfUnknownClients : FREE_WORK.refusedCredentials
  const { limit, windowMs } = freeRate(row, "")
  const counters = networks.map(({ network, times }) => ({ key: `${row.limiter}:${network}`, limit: limit * times }))
  return {
    seconds: windowMs / 1_000,
    /** @returns false when the limit is reached */
    count: () => counters.every((one) => memoryRateLimiter.reserve(one.key, 1, one.limit)),
    giveBack() {
      for (const { key } of counters) memoryRateLimiter.giveBack(key, 1)
    },
  }
}
