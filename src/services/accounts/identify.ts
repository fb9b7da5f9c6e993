import type { ActiveKey } from "../../adapters/accounts/limiter-state.ts"
import type { Context } from "../../context.ts"
import {
  type Anonymous,
  type Caller,
  clientNetwork,
  clientNetworks,
  type Member,
  UNKNOWN_NETWORK,
} from "../../domain/accounts/caller.ts"
import { isSecretForm } from "../../domain/accounts/credentials.ts"
import { sameSecret, sha256 } from "../../domain/accounts/crypto.ts"
import { FREE_WORK } from "../../domain/accounts/free-work.ts"
import { freeRate } from "../../domain/accounts/rate-limits.ts"
import { testAccountOf, testAllowanceOf } from "../../domain/accounts/test-mode.ts"
import { tierIn } from "../../domain/accounts/tiers.ts"
import { AppError, storeUnavailable, tooMany } from "../../errors.ts"
import { countNetworkWork, networkSubject } from "./count-free-work.ts"

/** The credentials that a request carries. */
export interface Credentials {
  readonly adminSecret: string | undefined
  readonly apiKey: string | undefined
  readonly sessionToken: string | undefined
  /** As the platform reports it. A client's own claim is never used. */
  readonly clientIp: string | undefined
}

/** The same text for a malformed, an unknown and a revoked key, so that a client cannot distinguish them. */
export const KEY_REFUSED = "the API key is invalid or revoked"

/** Identifies the caller. Invalid credentials are never treated as anonymous. @throws AppError */
export async function identify(ctx: Context, credentials: Credentials): Promise<Caller> {
  if (credentials.adminSecret !== undefined) return identifyAdmin(ctx, credentials.adminSecret, credentials.clientIp)
  if (credentials.apiKey !== undefined) return identifyKey(ctx, credentials.apiKey, credentials.clientIp)
  if (credentials.sessionToken !== undefined)
    return identifySession(ctx, credentials.sessionToken, credentials.clientIp)
  return identifyNetwork(ctx, credentials.clientIp)
}

async function identifyAdmin(ctx: Context, given: string, ip: string | undefined): Promise<Caller> {
  if (ctx.config.adminSecret !== null && (await sameSecret(given, ctx.config.adminSecret))) return { kind: "admin" }
  await countNetworkWork(ctx, "adminFailures", ip)
  throw new AppError("admin_required", "this needs the admin secret")
}

async function identifyKey(ctx: Context, secret: string, clientIp: string | undefined): Promise<Member> {
  if (!isSecretForm(secret)) throw new AppError("key_refused", KEY_REFUSED)
  const names = await ctx.digests.candidates("key", secret)
  const state = await findCredential(ctx, { names, clientIp }, async (digest, isKnown) => {
    // A limiter is an object with a file: only a key that exists may start one.
    if (!isKnown && !(await mayBeActive(ctx, digest))) return null
    const found = await ctx.keyLimiters.ofKey(digest).check(digest)
    // Thrown here, so the look-up stays counted.
    if (found.kind === "unavailable") throw storeUnavailable()
    return found.kind === "refused" ? null : found
  })
  if (state === null) throw new AppError("key_refused", KEY_REFUSED)
  if (state.kind === "suspended") throw suspended()
  return memberByKey(ctx, state.key)
}

/** While the store is unavailable, the key's limiter has the only copy of its state. */
function mayBeActive({ store }: Context, digest: string): Promise<boolean> {
  return store.keys.byDigest(digest).then(
    (key) => key?.isActive ?? false,
    () => true,
  )
}

function memberByKey(ctx: Context, { keyId, ownerEmail, ...key }: ActiveKey): Member {
  const tier = tierIn(ctx.config.limits, key.tier)
  const isTest = key.restrictions?.isTest ?? false
  const accountId = isTest ? testAccountOf(key.accountId) : key.accountId
  return {
    kind: "member",
    accountId,
    keyId,
    email: ownerEmail,
    tier,
    subject: accountId,
    allowance: isTest ? testAllowanceOf(ctx.config.limits.table[tier]) : ctx.config.limits.table[tier],
    ...(key.createdBy ? { createdBy: key.createdBy } : {}),
    // Missing in state that a limiter stored before keys had restrictions.
    ...(key.restrictions ? { restrictions: key.restrictions } : {}),
  }
}

async function identifySession(ctx: Context, token: string, clientIp: string | undefined): Promise<Member> {
  const names = [await sessionName(token)]
  const session = await findCredential(ctx, { names, clientIp }, () => ctx.store.sessions.find(token))
  if (!session)
    throw new AppError(
      "session_expired",
      "the request has no API key (mv_live_…), and its session is invalid or expired",
    )
  if (session.isSuspended) throw suspended()
  const { accountId, email, signedInAt, signInKeyId } = session
  const tier = tierIn(ctx.config.limits, session.tier)
  return {
    kind: "member",
    accountId,
    keyId: null,
    signedInAt,
    signInKeyId,
    email,
    tier,
    subject: accountId,
    allowance: ctx.config.limits.table[tier],
  }
}

/** The name of a session among the credentials that this isolate knows. */
export async function sessionName(token: string): Promise<string> {
  return `session:${await sha256(token)}`
}

async function identifyNetwork(ctx: Context, ip: string | undefined): Promise<Anonymous> {
  const subject = await networkSubject(ctx, clientNetwork(ip))
  return { kind: "anonymous", subject, allowance: ctx.config.limits.anonymous }
}

/** Distinct from an invalid key: the credentials work again when the operator resumes the account. */
function suspended(): AppError {
  return new AppError("account_suspended", "this account is suspended; contact the operator of this service")
}

/** The email address of the member's account. @throws AppError unavailable while the database does not answer */
export function emailOf({ email }: Member): string {
  if (email === null) throw storeUnavailable()
  return email
}

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
export async function findCredential<T>(
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
  const isFirst = memory.beginLookup(first, ctx.clock.now())
  try {
    if (isFirst && !refusals.count()) throw tooMany(refusals.seconds, "rate_limited", "too many invalid credentials")
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
    if (isFirst) memory.endLookup(first)
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
