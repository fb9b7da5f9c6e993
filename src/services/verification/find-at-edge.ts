import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { addressHash } from "../../domain/feedback/address-hash.ts"
import { type AccountFlags, isHidden } from "../../domain/feedback/flags.ts"
import { chooseFacts, knownFacts } from "../../domain/verdict/domain-facts.ts"
import type { Evidence, StoredEvidence } from "../../domain/verdict/evidence.ts"
import { forCurrentSpelling } from "../../domain/verdict/evidence-about.ts"
import { assess, type Verification } from "../../domain/verdict/verification.ts"
import { copyFlags } from "../suppression/copy-flags.ts"
import { findAccountFlagsAtEdge, suppressionFlagsAbout } from "../suppression/find-flags.ts"
import { type Checks, completeStored } from "./complete-stored.ts"
import { wantedFacts } from "./domain-facts.ts"
import { fillEdge, withFound } from "./fill-edge.ts"

/** A Worker may run for 30 s after its response. */
const RETRY_MS = 20_000
/** A retry begins when the answer is out, so that it delays no answer. */
const RETRY_AFTER_MS = 100

export interface FoundAtEdge {
  readonly verification: Verification
  readonly accountFlags: AccountFlags
}

interface Wanted {
  readonly address: ValidAddress
  readonly checks: Checks
  /** Null for a caller without an account. */
  readonly accountId: string | null
}

/**
 * Returns the fresh result of an address and the caller's flags from the edge cache, judged by the active rules, without
 * the database. Null when only the database can answer: the edge has no fresh result with every wanted check, the
 * account may not see it, or its flags are still being copied.
 */
export async function findAtEdge(ctx: Context, wanted: Wanted): Promise<FoundAtEdge | null> {
  try {
    return await find(ctx, wanted)
  } catch (error) {
    // The database has every answer, so a failing cache only costs time.
    ctx.log("edge_cache_failed", { error: (error as Error).message })
    return null
  }
}

async function find(ctx: Context, { address, checks, accountId }: Wanted): Promise<FoundAtEdge | null> {
  // The hashes come first, because simultaneous KV reads become one operation.
  const [hash, asked] = await Promise.all([
    addressHash(ctx.digests, address),
    suppressionFlagsAbout(ctx, { accountId, address }),
  ])
  const [cached, accountFlags] = await Promise.all([ctx.cache.get(hash), findAccountFlagsAtEdge(ctx, asked)])
  if (!accountFlags && accountId !== null) ctx.background(copyFlags(ctx, accountId))
  if (!cached || !accountFlags) return null
  if (cached.expiresAt <= ctx.clock.now() || isHidden(accountFlags, cached.verifiedAt)) return null
  const stored = ctx.cache.evidenceOf(cached)
  const evidence = stored && chooseEvidence(forCurrentSpelling(stored, address), checks)
  if (!evidence) return null
  const { verifiedAt } = cached
  const unknown = countUnknown(evidence, checks)
  if (unknown > 0 && ctx.cache.startCompletion(hash))
    ctx.background(retryUnknown(ctx, { address, checks, verifiedAt, unknown }))
  return { verification: assess(evidence, { cached: true, verifiedAt }), accountFlags }
}

/** Omits checks that are off. Null when a wanted check was never run. */
function chooseEvidence({ gravatar, ...known }: Evidence, checks: Checks): Evidence | null {
  const { domain } = known
  const wanted = wantedFacts(checks)
  if (domain && [...wanted].some((name) => domain[name] === undefined)) return null
  if (checks.gravatar && !gravatar) return null
  return {
    ...known,
    domain: domain && chooseFacts(domain, wanted),
    ...(checks.gravatar && gravatar ? { gravatar } : {}),
  }
}

/** How many lookups of the wanted checks failed. */
function countUnknown({ domain, gravatar }: StoredEvidence, checks: Checks): number {
  const facts = domain ? [...wantedFacts(checks)].filter((name) => domain[name] === null) : []
  return facts.length + (checks.gravatar && gravatar?.found === null ? 1 : 0)
}

interface RetryInput extends Omit<Wanted, "accountId"> {
  /** Of the cached result. */
  readonly verifiedAt: number
  /** How many facts the cached result does not know. */
  readonly unknown: number
}

/** Runs failed lookups again in the background, for the next answers. */
async function retryUnknown(ctx: Context, { address, checks, verifiedAt, unknown }: RetryInput): Promise<void> {
  await ctx.clock.sleep(RETRY_AFTER_MS)
  const { result, facts } = await ctx.store.results.latest(cacheKey(address), address.domain)
  if (!result) return
  const stored = forCurrentSpelling(result.evidence, address)
  const known = { ...stored, domain: stored.domain && knownFacts(stored.domain) }
  const found = await completeStored(ctx, known, { kept: facts, checks, budgetMs: RETRY_MS })
  const evidence = withFound(result.evidence, found)
  if (result.verifiedAt === verifiedAt && countUnknown(evidence, checks) === unknown) return
  await fillEdge(ctx, address, { ...result, evidence })
}
