import type { OpenReservation, UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Answer } from "../../adapters/store/accounts/history.ts"
import type { ResultToStore, StoredResult } from "../../adapters/store/verification/results.ts"
import type { Context } from "../../context.ts"
import type { Caller, Member } from "../../domain/accounts/caller.ts"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import {
  addressHash,
  addressHashes,
  cacheKey,
  domainHashes,
  flagHashes,
  historyAddress,
} from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import type { HiddenUntil } from "../../domain/suppression/flags.ts"
import { presentCached } from "../../domain/verification/cached-checks.ts"
import { presentChecks } from "../../domain/verification/checks.ts"
import { type Evidence, fillFacts, type StoredEvidence, type StoredFacts } from "../../domain/verification/evidence.ts"
import { lifetimeMs } from "../../domain/verification/lifetime.ts"
import { answerOf, reassess, type Verification } from "../../domain/verification/verification.ts"
import { reserveFreeWork } from "../accounts/count-free-work.ts"
import { refreshFlags } from "../suppression/flags.ts"

/** Settles the charge. An unknown result and a failure are free: the answer waits until their credit is returned. */
export async function settleCharge(
  ctx: Context,
  charge: OpenReservation,
  work: Promise<Verification>,
): Promise<Verification> {
  const verification = await work.catch(async (error: unknown) => {
    await charge.settle(0)
    throw error
  })
  if (verification.verdict.status === "unknown") await charge.settle(0)
  else ctx.background(charge.settle(CREDITS.verification))
  return verification
}

/** The account that results are stored for, and what is known of their addresses. */
export interface StoredFor {
  /** Null for a caller without an account. */
  readonly accountId: string | null
  /** Stored results that were hidden from the account before. */
  readonly hidden: HiddenUntil
  /** Whether the edge may hold an older result under a cache key. */
  readonly isCached: (key: string) => boolean
}

/**
 * Stores a verification after its answer, with the recheck of a deferred address: in the database together with those of
 * other requests, and at once at the edge. What the database does not store leaves the edge too, because only the
 * database shows what an erasure removes.
 * @param isStored false when the stored result stays
 * @param facts of the domain, not stored yet
 */
export async function storeAnswer(
  ctx: Context,
  verification: Verification,
  { isStored, facts, storedFor }: { isStored: boolean; facts: StoredFacts; storedFor: StoredFor },
): Promise<void> {
  const { address, nextCheckAt } = verification.evidence
  if (!address.ok) return
  const { accountId } = storedFor
  const [result] = isStored ? resultsOf([verification]) : []
  const dueAt = isStored ? (nextCheckAt ?? null) : null
  const hasFacts = Object.keys(facts).length > 0
  if (!result && !hasFacts && dueAt === null) return
  const writing = ctx.writeBehind.add({
    accountId,
    at: verification.verifiedAt,
    subjects: await flagHashes(ctx.digests, address),
    ...(result ? { result } : {}),
    ...(hasFacts ? { facts: { domain: address.domain, found: facts } } : {}),
    ...(dueAt === null ? {} : { recheck: { address: address.normalized, dueAt } }),
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

/** Stores verifications of a list for their lifetime, in one write per slice. */
export async function storeVerifications(
  ctx: Context,
  verifications: readonly Verification[],
  storedFor: StoredFor,
): Promise<void> {
  await ctx.store.resultLists.saveAll(resultsOf(verifications), storedFor.accountId)
  await publishStored(ctx, verifications, storedFor)
}

/** Returns the rows to store. Results of an account's own node are not shared: only its owner trusts it. */
export function resultsOf(verifications: readonly Verification[]): ResultToStore[] {
  return storable(verifications).map(({ address, expiresAt, verification }) => {
    const { evidence, verdict, score, canSend, verifiedAt } = verification
    const key = cacheKey(address)
    return { key, domain: address.domain, evidence, verdict, score: score.total, canSend, verifiedAt, expiresAt }
  })
}

function storable(verifications: readonly Verification[]) {
  return verifications.flatMap((verification) => {
    const { address, mailbox } = verification.evidence
    const lifetime = mailbox?.isPrivate ? 0 : lifetimeMs(verification)
    return address.ok && lifetime > 0 ? [{ address, verification, expiresAt: verification.verifiedAt + lifetime }] : []
  })
}

/**
 * Publishes stored verifications. The edge cache is rewritten only where it may hold an older result, a later read
 * fills the rest. An account that erased an address sees the new result.
 */
export async function publishStored(
  ctx: Context,
  verifications: readonly Verification[],
  storedFor: StoredFor,
): Promise<void> {
  await publishAtEdge(ctx, verifications, storedFor)
  await showVerified(ctx, storedFor, verifications)
}

/** Rewrites the edge cache where it may hold an older result. */
async function publishAtEdge(
  ctx: Context,
  verifications: readonly Verification[],
  { isCached }: Pick<StoredFor, "isCached">,
): Promise<void> {
  const older = storable(verifications).filter(({ address }) => isCached(cacheKey(address)))
  await Promise.all(
    older.map(async ({ address, verification, expiresAt }) => {
      const hash = await addressHash(ctx.digests, address)
      const { evidence, verifiedAt } = verification
      await ctx.cache.put(hash, { ...presentCached(verification), evidence, verifiedAt, expiresAt })
    }),
  )
}

/** Shows the stored results of erased addresses to the account that verified them again. Older results stay hidden. */
async function showVerified(
  ctx: Context,
  { accountId, hidden }: Pick<StoredFor, "accountId" | "hidden">,
  verifications: readonly Verification[],
): Promise<void> {
  if (accountId === null) return
  const erased = storable(verifications).filter(
    ({ address }) => hidden.get(cacheKey(address)) === Number.POSITIVE_INFINITY,
  )
  if (erased.length === 0) return
  const subjects = await Promise.all(
    erased.map(async ({ address, verification: { verifiedAt } }) =>
      (await addressHashes(ctx.digests, address)).map((hash) => ({ hash, hidesUntil: verifiedAt - 1 })),
    ),
  ).then((all) => all.flat())
  await ctx.store.accountErasures.showSince(accountId, subjects)
  await refreshFlags(
    ctx,
    accountId,
    subjects.map(({ hash }) => hash),
  )
}

/**
 * Copies a stored result to the edge cache. Deletes the copy when the result changed meanwhile, so that no old result
 * stays.
 */
export async function fillEdge(ctx: Context, address: ValidAddress, stored: StoredResult): Promise<void> {
  const { evidence, verifiedAt, expiresAt } = stored
  const hash = await addressHash(ctx.digests, address)
  await ctx.cache.put(hash, { ...presentCached(reassess(stored, address)), evidence, verifiedAt, expiresAt })
  const { result } = await ctx.store.results.latest(cacheKey(address), address.domain)
  if (result?.verifiedAt !== verifiedAt) await ctx.cache.delete(hash)
}

/**
 * The same with what the answer found in addition, at most once a minute: the edge did not have the result, or not all
 * of its evidence.
 */
export async function completeEdge(
  ctx: Context,
  { address, stored, found }: { address: ValidAddress; stored: StoredResult; found: Evidence },
): Promise<void> {
  if (!ctx.cache.startCompletion(await addressHash(ctx.digests, address))) return
  await fillEdge(ctx, address, { ...stored, evidence: withFound(stored.evidence, found) })
}

/** Adds what was found to stored evidence that lacks it. The checks of `found` may be fewer. */
export function withFound(stored: StoredEvidence, { domain, gravatar, notConfigured }: Evidence): StoredEvidence {
  return {
    ...stored,
    domain: stored.domain && domain ? fillFacts(stored.domain, domain) : stored.domain,
    ...(gravatar ? { gravatar } : {}),
    ...(notConfigured ? { notConfigured } : {}),
  }
}

/** Adds results to the caller's history after the response. Those of a caller without an account are only counted. */
export function recordHistory(
  ctx: Context,
  meter: UsageMeter,
  { caller, verifications }: { caller: Caller; verifications: readonly Verification[] },
): void {
  if (caller.kind !== "member") {
    ctx.background(countAnswers(ctx, verifications.map(answerOf)))
    return
  }
  ctx.background(recordAnswers(ctx, caller, { verifications, isCounted: Boolean(meter.state()?.month) }))
}

/**
 * Adds answers to the account's history. Answers of a request that counts against the month are all stored. Free answers
 * beyond the limit of the minute are only counted. A single answer is written with those of other requests.
 */
async function recordAnswers(
  ctx: Context,
  member: Member,
  { verifications, isCounted }: { verifications: readonly Verification[]; isCounted: boolean },
): Promise<void> {
  const { accountId, keyId } = member
  const at = ctx.clock.now()
  const entries = verifications.map((verification) => ({
    ...historyAddress(verification.evidence.address),
    ...answerOf(verification),
    checks: presentChecks(verification),
  }))
  const isStored = isCounted || (await reserveFreeWork(ctx, "historyAnswers", member, entries.length)) === null
  if (verifications.length === 1) {
    const { address } = verifications[0]!.evidence
    // An erasure of the address or its domain comes before the entry.
    const subjects = address.ok ? await flagHashes(ctx.digests, address) : []
    const only = entries[0]!
    await ctx.writeBehind.add({ accountId, keyId, at, subjects, ...(isStored ? { listed: only } : { counted: only }) })
  } else if (isStored) await ctx.store.history.record({ accountId, keyId }, entries, at)
  else await ctx.store.history.count({ accountId, keyId }, entries, at)
}

/** Counts answers to callers without an account, who have no history. */
async function countAnswers(ctx: Context, answers: readonly Answer[]): Promise<void> {
  const at = ctx.clock.now()
  if (answers.length === 1) await ctx.writeBehind.add({ accountId: null, at, subjects: [], counted: answers[0]! })
  else await ctx.store.history.count({ accountId: null, keyId: null }, answers, at)
}
