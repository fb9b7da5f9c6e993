import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { classifyAddress } from "../../domain/reference/classify.ts"
import { MINUTE_MS } from "../../domain/time.ts"
import { reassess } from "../../domain/verification/verification.ts"

/** How far back a run looks. Two runs overlap, so that a late one misses no result. */
const WINDOW_MS = 3 * MINUTE_MS
/** Results that one run considers, the newest first. A list of a hundred thousand has more than its formats need. */
const PER_RUN = 1_000

/**
 * Counts recently confirmed mailboxes as samples of their domains' formats. Runs each minute, so that no verification
 * waits for it, and each sample is written once. @returns how many were new
 */
export async function learnFromResults(ctx: Context): Promise<number> {
  const since = ctx.clock.now() - WINDOW_MS
  const keys = await ctx.store.formats.candidates({ since, limit: PER_RUN })
  const addresses = keys.flatMap((key) => {
    const address = parseAddress(key)
    return address.ok && mayTeach(address) ? [address] : []
  })
  if (addresses.length === 0) return 0
  // Loaded on use: the romanization of names is a large part of the Worker's code, and no answer waits for it.
  const { digestOf, learnFormats } = await import("./formats.ts")
  const digests = await Promise.all(addresses.map((address) => digestOf(ctx, address)))
  const known = await ctx.store.formats.knownOf(
    addresses.map(({ domain }, index) => ({ domain, digest: digests[index]! })),
  )
  const unknown = addresses.filter((_, index) => !known.has(digests[index]!))
  const stored = await ctx.store.resultLists.findMany(unknown.map(cacheKey), { isLookup: false })
  const confirmed = unknown.filter((address) => {
    const result = stored.get(cacheKey(address))
    return result !== undefined && reassess(result, address).verdict.isCatchAll === false
  })
  const byDomain = Map.groupBy(confirmed, ({ domain }) => domain)
  const learned = [...byDomain].map(([domain, own]) => ({
    domain,
    samples: own.map(({ local }) => ({ localPart: local })),
    source: "verified" as const,
  }))
  return learnFormats(ctx, learned)
}

/** Role mailboxes and public mailbox providers say nothing about the names of a company. */
function mayTeach(address: ValidAddress): boolean {
  const { isRole, isFree, isDisposable, isRelay } = classifyAddress(address)
  return !isRole && !isFree && !isDisposable && !isRelay
}
