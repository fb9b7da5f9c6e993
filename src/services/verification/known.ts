import type { StoredAbout, StoredBrief, StoredResult } from "../../adapters/store/verification/results.ts"
import type { CachedResult, CacheEntry } from "../../adapters/verification/result-cache.ts"
import type { Context } from "../../context.ts"
import { isTestAccount, isTestAddress } from "../../domain/accounts/test-mode.ts"
import { addressHash, cacheKey, flagHashes } from "../../domain/address/address-forms.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import {
  type AccountFlags,
  accountFlagsOf,
  type HiddenUntil,
  isHidden,
  isHiddenIn,
  NO_ACCOUNT_FLAGS,
  sameAccountFlags,
} from "../../domain/suppression/flags.ts"
import { HOUR_MS } from "../../domain/time.ts"
import { isCurrent, presentCached } from "../../domain/verification/cached-checks.ts"
import {
  chooseFacts,
  type Evidence,
  forCurrentSpelling,
  knownFacts,
  type StoredEvidence,
} from "../../domain/verification/evidence.ts"
import { type OptionalChecks, wantedFacts } from "../../domain/verification/plan.ts"
import { assess, reassess, type Verification } from "../../domain/verification/verification.ts"
import { outsideTestMode } from "../../errors.ts"
import {
  copyFlags,
  findAccountFlags,
  findAccountFlagsAtEdge,
  findHidden,
  listsOf,
  restoreFlags,
  suppressionFlagsAbout,
} from "../suppression/flags.ts"
import { completeStored } from "./gather.ts"
import { fillEdge, withFound } from "./settle.ts"

/** A Worker may run for 30 s after its response. */
const RETRY_MS = 20_000
/** A retry begins when the answer is out, so that it delays no answer. */
const RETRY_AFTER_MS = 100

/** An address, and the caller's account: null for a caller without one, who sees every result. */
interface Subject {
  readonly address: ValidAddress
  readonly accountId: string | null
}

/** What the database knows about an address when its verification begins, fresh or not. */
export interface Known extends StoredAbout {
  readonly accountFlags: AccountFlags
}

export const NOTHING_KNOWN: Known = { result: null, facts: null, accountFlags: NO_ACCOUNT_FLAGS }

/** Reads the stored result of an address, the facts of its domain and the account's flags of it, in one round trip. */
export async function findKnown(ctx: Context, { address, accountId }: Subject): Promise<Known> {
  refuseOutsideTestMode({ accountId, addresses: [address] })
  const lists = listsOf(accountId)
  const hashes = await flagHashes(ctx.digests, address)
  const now = ctx.clock.now()
  const about = await ctx.store.results.knownAbout({
    key: cacheKey(address),
    domain: address.domain,
    lists,
    hashes,
    now,
  })
  const flags = [...about.flags.values()].flatMap((list) => [...list.values()])
  return { result: about.result, facts: about.facts, accountFlags: accountFlagsOf(flags, now) }
}

type Many = Pick<Subject, "accountId"> & { readonly addresses: readonly ValidAddress[] }

/** Refuses a test key what is known of other addresses. Its work on them fails for lack of credits. @throws AppError */
function refuseOutsideTestMode({ accountId, addresses }: Many): void {
  if (isTestAccount(accountId) && !addresses.every(isTestAddress)) throw outsideTestMode()
}

/** What is stored about the addresses of a list, by cache key, fresh or not. */
export interface KnownMany {
  readonly results: ReadonlyMap<string, StoredResult>
  /** Results that the account may not see. */
  readonly hidden: HiddenUntil
}

/** Reads the stored results of many addresses, also those that are hidden from the account. */
export async function findKnownMany(ctx: Context, many: Many): Promise<KnownMany> {
  refuseOutsideTestMode(many)
  const [results, hidden] = await Promise.all([ctx.store.resultLists.findMany(keysOf(many)), findHidden(ctx, many)])
  return { results, hidden }
}

/** Reads stored results by cache key, fresh or not, without those hidden from the account. */
export async function readStored(ctx: Context, many: Many): Promise<Map<string, StoredResult>> {
  const { results, hidden } = await findKnownMany(ctx, many)
  return shownOf(results, hidden)
}

/** Reads fresh results by cache key without their evidence and without those hidden from the account. */
export async function readSummaries(ctx: Context, many: Many): Promise<Map<string, StoredBrief>> {
  refuseOutsideTestMode(many)
  const now = ctx.clock.now()
  const [briefs, hidden] = await Promise.all([
    ctx.store.resultLists.findBriefs(keysOf(many), now),
    findHidden(ctx, many),
  ])
  return shownOf(briefs, hidden)
}

function keysOf({ addresses }: Many): string[] {
  return [...new Set(addresses.map(cacheKey))]
}

function shownOf<T extends { readonly verifiedAt: number }>(
  stored: ReadonlyMap<string, T>,
  hidden: HiddenUntil,
): Map<string, T> {
  return new Map([...stored].filter(([key, { verifiedAt }]) => !isHiddenIn(hidden, key, verifiedAt)))
}

interface AtEdge {
  /** The keyed hash of the address. */
  readonly hash: string
  readonly entry: CacheEntry | null
  /** Null while they are being copied. */
  readonly accountFlags: AccountFlags | null
}

/** @returns null when `trustsMisses` and the database did not have the address some seconds ago */
async function readEdge(
  ctx: Context,
  { address, accountId }: Subject,
  { trustsMisses = false } = {},
): Promise<AtEdge | null> {
  // The hashes come first, because simultaneous KV reads become one operation.
  const [hash, queries] = await Promise.all([
    addressHash(ctx.digests, address),
    suppressionFlagsAbout(ctx, { accountId, address }),
  ])
  if (trustsMisses && ctx.cache.isKnownMiss(hash)) return null
  const [entry, accountFlags] = await Promise.all([ctx.cache.get(hash), findAccountFlagsAtEdge(ctx, queries)])
  if (!accountFlags && accountId !== null) ctx.background(copyFlags(ctx, accountId))
  return { hash, entry, accountFlags }
}

/**
 * Returns the fresh result of an address and the caller's flags from the edge cache, judged by the active rules, without
 * the database. Null when only the database can answer: the edge has no fresh result with every wanted check, the
 * account may not see it, or its flags are still being copied.
 */
export async function findAtEdge(ctx: Context, subject: Subject, checks: OptionalChecks) {
  refuseOutsideTestMode({ ...subject, addresses: [subject.address] })
  try {
    const found = await readEdge(ctx, subject)
    return found && judgeAtEdge(ctx, { address: subject.address, checks, found })
  } catch (error) {
    // The database has every answer, so a failing cache only costs time.
    ctx.log("edge_cache_failed", { error: (error as Error).message })
    return null
  }
}

function judgeAtEdge(
  ctx: Context,
  { address, checks, found }: { address: ValidAddress; checks: OptionalChecks; found: AtEdge },
): { readonly verification: Verification; readonly accountFlags: AccountFlags } | null {
  const { hash, entry, accountFlags } = found
  if (!entry || !accountFlags) return null
  if (entry.expiresAt <= ctx.clock.now() || isHidden(accountFlags, entry.verifiedAt)) return null
  const stored = ctx.cache.evidenceOf(entry)
  const evidence = stored && chooseEvidence(forCurrentSpelling(stored, address), checks)
  if (!evidence) return null
  const { verifiedAt } = entry
  const unknown = countUnknown(evidence, checks)
  if (unknown > 0 && ctx.cache.startCompletion(hash))
    ctx.background(retryUnknown(ctx, { address, checks, cached: { verifiedAt, unknown } }))
  return { verification: assess(evidence, { cached: true, verifiedAt }), accountFlags }
}

/** Omits checks that are off. Null when a wanted check was never run. */
function chooseEvidence({ gravatar, ...known }: Evidence, checks: OptionalChecks): Evidence | null {
  const { domain } = known
  const wanted = wantedFacts(checks)
  if (domain && [...wanted].some((name) => domain[name] === undefined)) return null
  if (checks.gravatar && !gravatar) return null
  const chosen = { ...known, domain: domain && chooseFacts(domain, wanted) }
  return checks.gravatar && gravatar ? { ...chosen, gravatar } : chosen
}

/** How many lookups of the wanted checks failed. */
function countUnknown({ domain, gravatar }: StoredEvidence, checks: OptionalChecks): number {
  const facts = domain ? [...wantedFacts(checks)].filter((name) => domain[name] === null) : []
  return facts.length + (checks.gravatar && gravatar?.found === null ? 1 : 0)
}

/** Runs failed lookups again in the background, for the next answers. */
async function retryUnknown(
  ctx: Context,
  {
    address,
    checks,
    cached,
  }: { address: ValidAddress; checks: OptionalChecks; cached: { verifiedAt: number; unknown: number } },
): Promise<void> {
  await ctx.clock.sleep(RETRY_AFTER_MS)
  const { result, facts } = await ctx.store.results.latest(cacheKey(address), address.domain)
  if (!result) return
  const stored = forCurrentSpelling(result.evidence, address)
  const known = { ...stored, domain: stored.domain && knownFacts(stored.domain) }
  const found = await completeStored(ctx, known, { facts, checks, budgetMs: RETRY_MS })
  const evidence = withFound(result.evidence, found)
  if (result.verifiedAt === cached.verifiedAt && countUnknown(evidence, checks) === cached.unknown) return
  await fillEdge(ctx, address, { ...result, evidence })
}

export interface FoundCached {
  readonly result: CachedResult
  readonly accountFlags: AccountFlags
}

interface CacheQuery extends Subject {
  /** Overrides the result's own lifetime. */
  readonly maxAgeHours?: number | undefined
  /** Whether an address that the database did not have some seconds ago is still missing. */
  readonly trustsMisses?: boolean
}

/**
 * Returns the fresh published result of an address and the caller's flags, from the edge cache, else from the database,
 * whose result then fills the cache. Null without a fresh result that the account may see.
 * @throws AppError unavailable when the database does not answer
 */
export async function findCached(
  ctx: Context,
  { maxAgeHours, trustsMisses = false, ...subject }: CacheQuery,
): Promise<FoundCached | null> {
  const { address, accountId } = subject
  const isFresh = ({ verifiedAt, expiresAt }: { verifiedAt: number; expiresAt: number }) => {
    const until = maxAgeHours === undefined ? expiresAt : verifiedAt + maxAgeHours * HOUR_MS
    return until > ctx.clock.now()
  }
  refuseOutsideTestMode({ accountId, addresses: [address] })
  const atEdge = await readEdge(ctx, subject, { trustsMisses })
  if (!atEdge) return null
  const { hash, entry } = atEdge
  if (entry && isFresh(entry)) {
    const accountFlags = atEdge.accountFlags ?? (await findAccountFlags(ctx, subject))
    const result = isHidden(accountFlags, entry.verifiedAt) ? null : publishedNow(ctx, { address, hash, entry })
    if (result) return { result, accountFlags }
  }
  const { result: stored, accountFlags } = await findKnown(ctx, subject)
  if (!stored) ctx.cache.recordMiss(hash)
  if (atEdge.accountFlags && !sameAccountFlags(accountFlags, atEdge.accountFlags))
    ctx.background(restoreFlags(ctx, { accountId, address }))
  if (!stored || !isFresh(stored) || isHidden(accountFlags, stored.verifiedAt)) return null
  if (stored.verifiedAt !== entry?.verifiedAt) ctx.background(fillEdge(ctx, address, stored))
  return { result: publish(stored, address), accountFlags }
}

/**
 * Returns a cached result as the active classifier scores it. If another one scored the entry, judges its evidence
 * again and rewrites it. Null when the entry has no evidence.
 */
function publishedNow(
  ctx: Context,
  { address, hash, entry }: { address: ValidAddress; hash: string; entry: CacheEntry },
): CachedResult | null {
  if (isCurrent(entry)) return entry
  const evidence = ctx.cache.evidenceOf(entry)
  if (!evidence) return null
  const { verifiedAt, expiresAt } = entry
  const stored = { evidence, verifiedAt, expiresAt }
  if (ctx.cache.startCompletion(hash)) ctx.background(fillEdge(ctx, address, stored))
  return publish(stored, address)
}

/** The checks of a stored result as the cache has them, by the active rules. */
function publish(stored: StoredResult, address: ValidAddress): CachedResult {
  const { verifiedAt, expiresAt } = stored
  return { ...presentCached(reassess(stored, address)), verifiedAt, expiresAt }
}
