import type { Context } from "../../context.ts"
import { freeRate } from "../../domain/accounts/free-limits.ts"
import { FREE_WORK } from "../../domain/accounts/free-work.ts"
import { clientNetworks, UNKNOWN_NETWORK } from "../../domain/accounts/network.ts"
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
 * so a stranger in the same network cannot lock out its owner.
 * @param find looks up one name. `isKnown`: this isolate has accepted it before
 * @returns null for a refused credential @throws AppError rate_limited
 */
export async function lookUpCredential<T>(
  { knownCredentials, memoryRateLimiter }: Pick<Context, "knownCredentials" | "memoryRateLimiter">,
  { names, clientIp }: Presented,
  find: (name: string, isKnown: boolean) => Promise<T | null>,
): Promise<T | null> {
  const known = names.find((name) => knownCredentials.get(name))
  if (known !== undefined) {
    const found = await find(known, true)
    if (found === null) knownCredentials.delete(known)
    return found
  }
  const networks = clientNetworks(clientIp)
  const row =
    networks[0]?.network === UNKNOWN_NETWORK ? FREE_WORK.refusedOfUnknownClients : FREE_WORK.refusedCredentials
  const { limit, windowMs } = freeRate(row, "")
  const counters = networks.map(({ network, times }) => ({ key: `${row.limiter}:${network}`, limit: limit * times }))
  const isAllowed = counters.every((one) => memoryRateLimiter.reserve(one.key, 1, one.limit))
  if (!isAllowed) throw tooMany(windowMs / 1_000, "too many invalid credentials")
  for (const name of names) {
    const found = await find(name, false)
    if (found === null) continue
    knownCredentials.set(name, true)
    for (const { key } of counters) memoryRateLimiter.giveBack(key, 1)
    return found
  }
  return null
}
