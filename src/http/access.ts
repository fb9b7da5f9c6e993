import type { Context, MiddlewareHandler } from "hono"
import type { RemoteKeyLimiter } from "../adapters/accounts/key-limiters.ts"
import { createUsageMeter, type LimitState } from "../adapters/accounts/usage-meter.ts"
import type { Context as ServiceContext } from "../context.ts"
import { accountOf, type Caller, formPolicyOf, limitSubjectOf } from "../domain/accounts/caller.ts"
import { isPublishable } from "../domain/accounts/credentials.ts"
import { AppError, isUnavailable } from "../errors.ts"
import { countWiderNetworks } from "../services/accounts/count-free-work.ts"
import { type Credentials, identify, KEY_REFUSED } from "../services/accounts/identify.ts"
import { requireOwnDatabase } from "../services/admin/own-database.ts"
import { audit, auditActionOf } from "./audit.ts"
import { isOwnOrigin, readSessionCookie } from "./cookies.ts"
import type { AccessWord, AppEnv, Endpoint } from "./endpoint.ts"
import { refuseRestricted } from "./restricted-key.ts"

const COOKIE_IGNORED =
  "the session cookie is ignored on a request from another site or origin; send the session token as a bearer token"

const ONLY_FORMS = "a publishable API key can only call POST /form/verify; use a secret key on your server"
const NEEDS_PUBLISHABLE = "this needs a publishable API key (mv_pk_…); POST /keys creates one"

/** The guard of an endpoint. It runs before the validators, so an unauthorized caller learns nothing about fields. */
export function guard({ access, route, isDiagnostic }: Endpoint): MiddlewareHandler<AppEnv> {
  // The name of the call in the audit trail.
  const call = `${route.method.toUpperCase()} ${route.path}`
  return async function guardAccess(c, next) {
    const checking = isDiagnostic ? null : requireOwnDatabase(c.get("ctx"))
    if (checking) await checking
    if (access === "publishable-key") c.set("sharedOrigin", null)
    else refusePublishable(c)
    const authorized = access === "public" ? null : await authorize(c, { access, route })
    await next()
    if (authorized) addCallerHeaders(c, authorized)
    const action = auditActionOf(c, call)
    if (action) await audit(c, call, action)
  }
}

/** A publishable key is visible in a page, so it is refused at other endpoints before the key is searched. */
function refusePublishable(c: Context<AppEnv>): void {
  if (isPublishable(apiKeyOf(c) ?? "")) throw new AppError("key_restricted", ONLY_FORMS)
}

/** @returns the authorized caller. @throws AppError unauthorized or forbidden */
async function authorize(c: Context<AppEnv>, { access, route }: Pick<Endpoint, "access" | "route">): Promise<Caller> {
  const ctx = c.get("ctx")
  const credentials = readCredentials(c)
  const caller = await identify(ctx, credentials)
  if (caller.kind === "member" && caller.restrictions)
    refuseRestricted(c, { route, restrictions: caller.restrictions, clientIp: credentials.clientIp })
  if (!allows(access, caller)) throw refusal(access, caller, credentials)
  if (credentials.fromCookie) refuseForeignOrigin(c)
  // Its restrictions have already refused the pages of other origins.
  if (access === "publishable-key") c.set("sharedOrigin", c.req.header("origin") ?? null)
  ctx.queueEntry.queue = limitSubjectOf(caller)
  c.set("caller", caller)
  let limiter: Promise<RemoteKeyLimiter> | undefined
  const findLimiter = () => (limiter ??= limiterOf(ctx, caller, credentials))
  c.set("meter", createUsageMeter(ctx, { caller, limiter: findLimiter }))
  // The lists and the classifier that judge addresses are at most a minute old. This rarely waits.
  const refreshing = ctx.activeRules.refreshIfDue()
  if (refreshing) await refreshing
  return caller
}

/** Whether a caller that was authorized still is, for an answer that lasts. An outage of the store ends no answer. */
export async function isStillAuthorized(c: Context<AppEnv>, route: Endpoint["route"]): Promise<boolean> {
  const credentials = readCredentials(c)
  try {
    const caller = await identify(c.get("ctx"), credentials)
    if (caller.kind === "member" && caller.restrictions)
      refuseRestricted(c, { route, restrictions: caller.restrictions, clientIp: credentials.clientIp })
    return accountOf(caller) === accountOf(c.get("caller"))
  } catch (error) {
    return isUnavailable(error)
  }
}

function addCallerHeaders(c: Context<AppEnv>, caller: Caller): void {
  const { headers, status } = c.res
  if (caller.kind !== "anonymous") headers.set("cache-control", "no-store")
  // The limits are those of the account, and every reader of the page has the key.
  if (formPolicyOf(caller)) return
  const answered = { status, counted: c.var.meter.state() }
  for (const [name, value] of rateLimitHeaders(caller, answered)) headers.set(name, value)
}

function allows(access: AccessWord, caller: Caller): boolean {
  if (formPolicyOf(caller)) return access === "publishable-key"
  switch (access) {
    case "public":
    case "key-optional":
      return true
    case "publishable-key":
      return false
    case "key":
      return caller.kind === "member"
    case "session":
      return caller.kind === "member" && caller.keyId === null
    case "key-or-admin":
      return caller.kind !== "anonymous"
    case "admin":
      return caller.kind === "admin"
  }
}

function refusal(access: AccessWord, caller: Caller, { ignoresCookie }: RequestCredentials): AppError {
  if (formPolicyOf(caller)) return new AppError("key_restricted", ONLY_FORMS)
  if (access === "publishable-key" && caller.kind !== "anonymous") return new AppError("forbidden", NEEDS_PUBLISHABLE)
  if (access === "admin") return new AppError("admin_required", "this needs the admin secret")
  if (access === "session" && caller.kind === "member")
    return new AppError("session_required", "this needs a session of the account's owner; an API key is not enough")
  return new AppError("key_missing", ignoresCookie ? COOKIE_IGNORED : KEY_REFUSED)
}

/**
 * Reads a bearer token, or a key without a scheme. An empty token counts as given, so an unset variable is refused.
 * Other schemes belong to a proxy.
 */
export function bearerOf(c: Context<AppEnv>): string | undefined {
  return /^(?:Bearer(?:\s+(?!\s)|$)|(?=mv_))(.*)$/i.exec(c.req.header("authorization") ?? "")?.[1]
}

/** The API key, from any of the places that may carry it. */
export function apiKeyOf(c: Context<AppEnv>): string | undefined {
  const bearer = bearerOf(c)
  return c.req.header("x-api-key") ?? c.req.query("api_key") ?? (bearer?.startsWith("mv_") ? bearer : undefined)
}

/** The client's address as the platform reports it. Undefined when the operator names no header. */
export function clientIpOf(c: Context<AppEnv>): string | undefined {
  const header = c.get("ctx").config.clientIpHeader
  return header ? c.req.header(header) : undefined
}

interface RequestCredentials extends Credentials {
  readonly fromCookie: boolean
  /** The only credential is a session cookie that this request may not use. */
  readonly ignoresCookie: boolean
}

function readCredentials(c: Context<AppEnv>): RequestCredentials {
  const [bearer, apiKey] = [bearerOf(c), apiKeyOf(c)]
  const cookie = readSessionCookie(c)
  const isAlone = apiKey === undefined && bearer === undefined
  return {
    adminSecret: c.req.header("x-admin-secret"),
    apiKey,
    sessionToken: bearer ?? cookie.token,
    fromCookie: isAlone && cookie.token !== undefined,
    ignoresCookie: isAlone && cookie.isIgnored,
    clientIp: clientIpOf(c),
  }
}

/** Browsers send cookies with any page's request, but only our own pages may change something with them. */
function refuseForeignOrigin(c: Context<AppEnv>): void {
  if (c.req.method === "GET" || c.req.method === "HEAD") return
  if (!isOwnOrigin(c, c.req.header("origin") ?? ""))
    throw new AppError("forbidden", "this request came from another site")
}

/**
 * The limiter of the caller's minute. All keys of an account share that of their tier, because new keys cost nothing. Only
 * keys without a limit a minute have limiters of their own, which spread their calls.
 */
async function limiterOf(
  ctx: ServiceContext,
  caller: Caller,
  { apiKey, clientIp }: Credentials,
): Promise<RemoteKeyLimiter> {
  const { keyLimiters, digests } = ctx
  if (caller.kind === "member" && caller.allowance.perMinute === null && apiKey !== undefined)
    return keyLimiters.ofKey(await digests.of("key", apiKey))
  if (caller.kind === "anonymous") await countWiderNetworks(ctx, caller, clientIp)
  const subject = limitSubjectOf(caller)
  const hasPaidTier = caller.kind === "member" && caller.tier !== "free"
  return keyLimiters.ofSubject(hasPaidTier ? `${subject}:${caller.tier}` : subject)
}

const MONTH_SECONDS = 2_592_000
/** Statuses of requests that a limit refused. */
const REFUSED: readonly number[] = [402, 429]

interface LimitedAnswer {
  readonly status: number
  /** Null when nothing was counted. */
  readonly counted: LimitState | null
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) of a counted call. A call that is refused
 * before it is counted gets the policy only, and a call without limits gets neither. `bought` appears when the month's
 * credits are used up and bought ones pay.
 */
function rateLimitHeaders(caller: Caller, { status, counted: state }: LimitedAnswer): [name: string, value: string][] {
  if (caller.kind === "admin" || (!state && !REFUSED.includes(status))) return []
  const { perMinute, perMonth } = caller.allowance
  const policy = [
    ...(perMinute === null ? [] : [`"rpm";q=${perMinute};w=60`]),
    ...(perMonth === null ? [] : [`"month";q=${perMonth};w=${MONTH_SECONDS}`]),
  ]
  const headers: [string, string][] = policy.length > 0 ? [["ratelimit-policy", policy.join(", ")]] : []
  if (!state) return headers
  const left = [
    ...(state.remainingInMinute === null ? [] : [`"rpm";r=${state.remainingInMinute};t=${state.minuteResetSeconds}`]),
    ...(perMonth === null || !state.month
      ? []
      : [`"month";r=${Math.max(0, perMonth - state.month.used)};t=${state.month.resetSeconds}`]),
    // Bought credits never expire, so they have no time.
    ...(state.month?.boughtLeft == null ? [] : [`"bought";r=${state.month.boughtLeft}`]),
  ]
  if (left.length > 0) headers.push(["ratelimit", left.join(", ")])
  return headers
}
