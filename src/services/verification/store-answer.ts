import type { Context } from "../../context.ts"
import { addressHash, domainHashes, flagHashes } from "../../domain/feedback/address-hash.ts"
import type { StoredFacts } from "../../domain/verdict/evidence.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { publishAtEdge, resultsOf, type StoredFor, showVerified } from "./stored-results.ts"

interface Answer {
  readonly verification: Verification
  /** False when the stored result stays. */
  readonly isStored: boolean
  /** Facts of the domain that are not stored yet. */
  readonly facts: StoredFacts
  /** When the mail server is probed again, Unix ms; null for never. */
  readonly recheckAt: number | null
  readonly storedFor: StoredFor
}

/**
 * Stores a verification after its answer: in the database together with those of other requests, and at once at the
 * edge. What the database does not store leaves the edge too, because only the database shows what an erasure removes.
 */
export async function storeAnswer(
  ctx: Context,
  { verification, isStored, facts, recheckAt, storedFor }: Answer,
): Promise<void> {
  const { address } = verification.evidence
  if (!address.ok) return
  const { accountId } = storedFor
  const [result] = isStored ? resultsOf([verification]) : []
  const hasFacts = Object.keys(facts).length > 0
  if (!result && !hasFacts && recheckAt === null) return
  const subjects = await flagHashes(ctx.digests, address)
  const writing = ctx.writeBehind.add({
    ...{ accountId, at: verification.verifiedAt, subjects },
    ...(result ? { result } : {}),
    ...(hasFacts ? { facts: { domain: address.domain, found: facts } } : {}),
    ...(recheckAt === null ? {} : { recheck: { address: address.normalized, dueAt: recheckAt } }),
  })
  if (!result) return void (await writing)
  const [outcome] = await Promise.all([writing, publishAtEdge(ctx, [verification], storedFor)])
  if (outcome !== "stored") await ctx.cache.delete(await addressHash(ctx.digests, address))
  else await showVerified(ctx, storedFor, [verification])
}

/** Stores facts of a domain after the answer. They come too late for the write of a result. */
export async function storeFacts(ctx: Context, domain: string, found: StoredFacts): Promise<void> {
  const subjects = await domainHashes(ctx.digests, domain)
  await ctx.writeBehind.add({ accountId: null, at: ctx.clock.now(), subjects, facts: { domain, found } })
}
