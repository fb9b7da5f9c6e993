import type { Context, MiddlewareHandler } from "hono"
import { getCookie } from "hono/cookie"
import type { AccessWord } from "../../schema/vocabulary.ts"
import type { RemoteGate } from "../adapters/keygate/gates.ts"
import type { Deps } from "../deps.ts"
import { type Caller, subjectOf } from "../domain/accounts/caller.ts"
import { AppError } from "../errors.ts"
import { type Credentials, identify, KEY_REFUSED } from "../services/accounts/identify.ts"
import { audit, auditedAs } from "./audit.ts"
import type { AppEnv } from "./endpoint.ts"
import { rateLimitHeaders } from "./rate-limit.ts"

export const SESSION_COOKIE = "__Host-sid"

/**
 * The guard an endpoint's access word stands for. Runs before the validators: strangers learn nothing about fields.
 * @param call method and route template, under which the call stands in the audit trail
 */
export function guard(access: AccessWord, call: string): MiddlewareHandler<AppEnv> {
  return async function guardAccess(c, next) {
    const admitted = access === "public" ? null : await admit(c, access)
    await next()
    if (admitted) addCallerHeaders(c, admitted)
    const action = auditedAs(c, call)
    if (action) await audit(c, call, action)
  }
}

/** @returns the caller, who may go on. @throws AppError unauthorized or forbidden */
async function admit(c: Context<AppEnv>, access: AccessWord): Promise<Caller> {
  const deps = c.get("deps")
  const credentials = shown(c, deps.clientIpHeader)
  const caller = await identify(deps, credentials)
  refuseUnless(allows(access, caller), access)
  if (credentials.fromCookie) refuseForeignOrigin(c)
  c.set("caller", caller)
  if (caller.kind === "member") deps.actor.accountId = caller.accountId
  deps.meter.countFor(caller, () => gateOf(deps, caller, credentials))
  // Addresses are classified by lists that are at most a minute old; this hardly ever waits.
  const looking = deps.currentLists.keep()
  if (looking) await looking
  return caller
}

function addCallerHeaders(c: Context<AppEnv>, caller: Caller): void {
  const { headers, status } = c.res
  if (caller.kind !== "anonymous") headers.set("cache-control", "no-store")
  const answered = { status, counted: c.get("deps").meter.state() }
  for (const [name, value] of rateLimitHeaders(caller, answered)) headers.set(name, value)
}

function allows(access: AccessWord, caller: Caller): boolean {
  switch (access) {
    case "public":
    case "key-optional":
      return true
    case "key":
      return caller.kind === "member"
    case "key-or-admin":
      return caller.kind !== "anonymous"
    case "admin":
      return caller.kind === "admin"
  }
}

function refuseUnless(allowed: boolean, access: AccessWord): void {
  if (allowed) return
  if (access === "admin") throw new AppError("forbidden", "this needs the admin secret")
  throw new AppError("unauthorized", KEY_REFUSED)
}

/**
 * What an Authorization header that is meant for us shows: a key alone as well, and the empty text of a variable that was not
 * set, which is refused like any other that does not hold. Other schemes are a proxy's.
 */
export function bearerOf(c: Context<AppEnv>): string | undefined {
  return /^(?:Bearer(?:\s+|$)|(?=mv_))(.*)$/i.exec(c.req.header("authorization") ?? "")?.[1]
}

/** A key, in whichever of its ways it is shown. */
export function apiKeyOf(c: Context<AppEnv>): string | undefined {
  const bearer = bearerOf(c)
  return c.req.header("x-api-key") ?? c.req.query("api_key") ?? (bearer?.startsWith("mv_") ? bearer : undefined)
}

type Shown = Credentials & { readonly fromCookie: boolean }

function shown(c: Context<AppEnv>, ipHeader: string): Shown {
  const [bearer, apiKey] = [bearerOf(c), apiKeyOf(c)]
  const cookie = getCookie(c, SESSION_COOKIE)
  return {
    adminSecret: c.req.header("x-admin-secret"),
    apiKey,
    sessionToken: bearer ?? cookie,
    fromCookie: apiKey === undefined && bearer === undefined && cookie !== undefined,
    clientIp: ipHeader ? c.req.header(ipHeader) : undefined,
  }
}

/**
 * A browser sends its cookies along with any page's request; only our own pages may use them to change something: those of the
 * name that was called, or of the service's own where a proxy does not tell what was called.
 */
function refuseForeignOrigin(c: Context<AppEnv>): void {
  if (c.req.method === "GET" || c.req.method === "HEAD") return
  const ours = [c.req.url, c.get("deps").baseUrl].map((url) => new URL(url).origin)
  if (!ours.includes(c.req.header("origin") ?? ""))
    throw new AppError("forbidden", "this request came from another site")
}

/** Free keys share their account's minute: new ones cost nothing, so that limits of their own would be no limit. */
async function gateOf({ gates, digests }: Deps, caller: Caller, { apiKey }: Credentials): Promise<RemoteGate> {
  const isPaidKey = caller.kind === "member" && caller.keyId !== null && caller.tier !== "free"
  if (isPaidKey && apiKey !== undefined) return gates.ofKey(await digests.of("key", apiKey))
  return gates.ofSubject(subjectOf(caller))
}
