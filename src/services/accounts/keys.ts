import type { Tier } from "../../../schema/vocabulary.ts"
import type { KeyChange, KeyUsage, NewKey } from "../../adapters/store/accounts/keys.ts"
import type { Context } from "../../context.ts"
import { type Admin, type Caller, coarseNetwork, type Member } from "../../domain/accounts/caller.ts"
import { type KeyKind, lastFour, makeSecret, SECRET_ENTROPY_BYTES } from "../../domain/accounts/credentials.ts"
import { hex } from "../../domain/accounts/crypto.ts"
import { DEFAULT_FORM_POLICY, kindOf, type RestrictionChange } from "../../domain/accounts/key-restrictions.ts"
import { allowsTier, periodOf } from "../../domain/accounts/tiers.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { DAY_MS } from "../../domain/time.ts"
import { AppError, invalidField } from "../../errors.ts"
import { recallLeases } from "./charge.ts"
import { countFreeWork, countNetworkWork } from "./count-free-work.ts"
import { emailOf, KEY_REFUSED } from "./identify.ts"

export interface CreatedKey extends NewKey {
  /** Shown once. Only its keyed hash is stored. */
  readonly secret: string
}

const KEY_ID_BYTES = 12
const LONGEST_LIFE_MS = 5 * 366 * DAY_MS

interface KeyRequest {
  readonly caller: Caller
  readonly clientIp?: string | undefined
  readonly name: string
  readonly ownerEmail: string
  readonly tier: Tier
  readonly kind?: KeyKind
  readonly restrictions?: RestrictionChange
}

/**
 * Creates a key. A member's key belongs to the member's account, whatever `ownerEmail` says. An anonymous caller's key
 * gets a new account id and joins no account. Otherwise a stranger could list the keys of any known address. The owner of
 * the mailbox finds it among the unconfirmed keys (src/services/accounts/unconfirmed-keys.ts). A publishable key needs an
 * account and origins.
 * @throws AppError bad_request for a malformed owner, payment_required for a tier beyond the plan, rate_limited, conflict,
 * invalid for restrictions of the other kind, unauthorized without the account or when it was closed during the call
 */
export async function createKey(
  ctx: Context,
  { caller, clientIp, name, ownerEmail, tier, kind = "secret", restrictions: given = {} }: KeyRequest,
): Promise<CreatedKey> {
  refusePastEnd(given, ctx.clock.now())
  const restrictions = restrictionsFor(kind, given, { isNew: true })
  const owner = parseAddress(ownerEmail)
  if (!owner.ok) throw new AppError("bad_request", `owner_email: ${explainProblem(owner)}`)
  if (caller.kind !== "admin" && tier !== "free") await refuseBeyondPlan(ctx, caller, tier)
  if (kind === "publishable") await refusePublishableKey(ctx, caller)
  if (caller.kind === "anonymous") await countNetworkWork(ctx, "strangerKeys", clientIp)

  const isOwn = caller.kind === "member"
  if (isOwn) await countFreeWork(ctx, "secrets", caller.accountId)
  const issued = await issueSecret(ctx, kind)
  const key: NewKey = {
    ...issued.key,
    accountId: isOwn ? caller.accountId : `acc_${hex(ctx.randomBytes(12))}`,
    ownerEmail: isOwn ? emailOf(caller) : cacheKey(owner),
    name,
    tier,
    createdAt: ctx.clock.now(),
    network: caller.kind === "anonymous" ? coarseNetwork(clientIp) : null,
    // Clients without a known network share one subject, which says nothing about them.
    createdBy: caller.kind === "anonymous" && coarseNetwork(clientIp) !== null ? caller.subject : null,
    restrictions,
  }
  // The body may take minutes to arrive, and the account may be erased meanwhile.
  if (!isOwn) await ctx.store.keys.create(key)
  else if (!(await ctx.store.keys.add(key))) throw new AppError("key_refused", KEY_REFUSED)
  ctx.knownCredentials.accept(key.digest)
  return { ...key, secret: issued.secret }
}

/** A key may have a lower tier than the account's plan, or a higher one set by the operator. The higher one decides. */
async function refuseBeyondPlan(ctx: Context, caller: Exclude<Caller, Admin>, tier: Tier): Promise<void> {
  const own = caller.kind === "member" ? caller.tier : "free"
  if (allowsTier(own, tier)) return
  const account = caller.kind === "member" ? await ctx.store.operator.account(caller.accountId) : null
  const plan = account && allowsTier(account.tier, own) ? account.tier : own
  if (!allowsTier(plan, tier))
    throw new AppError("plan_required", `a key of this tier needs the ${tier} plan; this account's plan is ${plan}`)
}

/** Creates a secret with its public id and its keyed hash. */
export async function issueSecret({ randomBytes, digests }: Pick<Context, "randomBytes" | "digests">, kind: KeyKind) {
  const secret = makeSecret(randomBytes(SECRET_ENTROPY_BYTES), kind)
  const { pepperId } = digests
  const keyId = `kid_${hex(randomBytes(KEY_ID_BYTES))}`
  return { secret, key: { keyId, digest: await digests.of("key", secret), pepperId, last4: lastFour(secret) } }
}

/** A key of the caller's account. */
interface OwnKey {
  readonly caller: Member
  readonly keyId: string
}

/** Returns the keys of an account with their usage, newest first. */
export async function listKeys(ctx: Context, accountId: string): Promise<KeyToday[]> {
  await recallLeases(ctx, [accountId])
  const keys = await ctx.store.keys.list(accountId, periodOf(ctx.clock.now()))
  return Promise.all(keys.map((key) => withToday(ctx, key)))
}

/** Returns a key of the caller's account with its usage. @throws AppError not_found, also for another account's key */
export async function findKey(ctx: Context, { caller, keyId }: OwnKey): Promise<KeyToday> {
  await recallLeases(ctx, [caller.accountId])
  const own = await ctx.store.keys.list(caller.accountId, periodOf(ctx.clock.now()))
  const key = own.find((candidate) => candidate.keyId === keyId)
  if (!key) throw unknownKey()
  return withToday(ctx, key)
}

/**
 * Replaces a key with a new one of the same kind, name, tier and restrictions. The old key is refused from the next request
 * on. Of two concurrent rotations one succeeds and the other gets a conflict. @throws AppError not_found, conflict, rate_limited
 */
export async function rotateKey(ctx: Context, { caller, keyId }: OwnKey): Promise<CreatedKey> {
  const old = await ctx.store.keys.find(keyId, caller.accountId)
  if (!old) throw unknownKey()
  if (!old.isActive) throw new AppError("conflict", "this key is revoked; only an active key can be rotated")
  await countFreeWork(ctx, "secrets", caller.accountId)
  const issued = await issueSecret(ctx, kindOf(old.restrictions))
  const { accountId, ownerEmail, name, tier, network, createdBy } = old
  const kept = { accountId, ownerEmail, name, tier, network, createdBy }
  const replacement = { ...kept, createdAt: ctx.clock.now(), ...issued.key }
  const won = await ctx.store.keys.rotate(keyId, replacement)
  await ctx.keyLimiters.ofKey(old.digest).invalidate()
  if (!won) throw new AppError("conflict", "this key was rotated or revoked by another request")
  ctx.knownCredentials.accept(replacement.digest)
  return { ...replacement, secret: issued.secret }
}

/**
 * Renames a key or changes what it may do, from the next request on. A field that is left out stays.
 * @throws AppError not_found, conflict for a revoked key, invalid
 */
export async function changeKey(ctx: Context, { caller, keyId }: OwnKey, change: KeyChange): Promise<KeyToday> {
  refusePastEnd(change.restrictions, ctx.clock.now())
  const key = await ctx.store.keys.find(keyId, caller.accountId)
  if (!key) throw unknownKey()
  const restrictions = restrictionsFor(kindOf(key.restrictions), change.restrictions, { isNew: false })
  const isDone = await ctx.store.keys.change(keyId, caller.accountId, { ...change, restrictions })
  await ctx.keyLimiters.ofKey(key.digest).invalidate()
  if (!isDone) throw new AppError("conflict", "this key is revoked; only an active key can be changed")
  return findKey(ctx, { caller, keyId })
}

/** A key that ends in the past, or far in the future, is a mistake in the date. @throws AppError invalid */
function refusePastEnd({ expiresAt = null }: Pick<RestrictionChange, "expiresAt">, now: number): void {
  if (expiresAt === null || (expiresAt > now && expiresAt <= now + LONGEST_LIFE_MS)) return
  throw invalidField(["expires_at"], "must be in the future, within five years")
}

/** Revokes a key permanently, from the next request on. Revoking again changes nothing. @throws AppError not_found */
export async function revokeKey(
  ctx: Context,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  const key = await ctx.store.keys.find(keyId, accountId)
  if (!key) throw unknownKey()
  await ctx.store.keys.revoke(keyId, accountId, ctx.clock.now())
  await ctx.keyLimiters.ofKey(key.digest).invalidate()
}

/** Revokes a key of any account, for the operator. @returns the key's account @throws AppError not_found */
export async function revokeAnyKey(ctx: Context, keyId: string): Promise<string> {
  const accountId = await ctx.store.users.accountOfKey(keyId)
  if (accountId === null) throw unknownKey()
  await revokeKey(ctx, { accountId, keyId })
  return accountId
}

/** Makes the limiters of an account's keys read their keys again. */
export async function invalidateKeys(ctx: Context, accountId: string): Promise<void> {
  const digests = await ctx.store.keys.digestsOf(accountId)
  await Promise.all(digests.map((digest) => ctx.keyLimiters.ofKey(digest).invalidate()))
}

function unknownKey(): AppError {
  return new AppError("not_found", "there is no such key")
}

/** Active publishable keys of an account. Listing them calls the limiter of each. */
const MAX_ACTIVE = 50

/** A key with the answers of today, UTC. Null for a secret key, and for a revoked one. */
export interface KeyToday extends KeyUsage {
  readonly usedToday: number | null
}

/** Adds what a publishable key used of today's budget. */
async function withToday({ keyLimiters }: Pick<Context, "keyLimiters">, key: KeyUsage): Promise<KeyToday> {
  const isCounted = key.isActive && key.restrictions?.form
  return { ...key, usedToday: isCounted ? await keyLimiters.ofForm(key.keyId).usedToday() : null }
}

/**
 * Refuses restrictions that do not fit the kind of a key, and completes those of a publishable key.
 * @param isNew false for a change of a key, where a field that is left out stays
 * @throws AppError invalid with the field
 */
function restrictionsFor(
  kind: KeyKind,
  { form, ...given }: RestrictionChange,
  { isNew }: { isNew: boolean },
): RestrictionChange {
  if (kind !== "publishable") {
    const isGiven = Object.values(form ?? {}).some((value) => value !== null)
    if (isGiven)
      throw invalidField(["kind"], "only a publishable key has a daily budget, a visitor limit or live results")
    return kind === "test" && isNew ? { ...given, isTest: true } : given
  }
  if (given.scopes) throw invalidField(["scopes"], "must be left out: a publishable key only checks forms")
  if (isNew ? !given.origins : given.origins === null)
    throw invalidField(["allowed_origins"], "a publishable key needs at least one origin")
  if (isNew) return { ...given, scopes: [], form: { ...DEFAULT_FORM_POLICY, ...form } }
  return { ...given, scopes: [], ...(form ? { form } : {}) }
}

/**
 * Refuses a publishable key to a caller without an account, which pays for its live results, and one key too many.
 * @throws AppError unauthorized, conflict
 */
async function refusePublishableKey(ctx: Context, caller: Caller): Promise<void> {
  if (caller.kind !== "member")
    throw new AppError("key_missing", "a publishable key is created with a session or with a secret key")
  const keys = await ctx.store.keys.list(caller.accountId, periodOf(ctx.clock.now()))
  if (keys.filter(({ isActive, restrictions }) => isActive && restrictions?.form).length >= MAX_ACTIVE)
    throw new AppError("conflict", `an account has at most ${MAX_ACTIVE} active publishable keys; revoke one first`)
}
