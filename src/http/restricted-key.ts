import type { Context } from "hono"
import { brokenRestriction, type KeyRestrictions, type KeyScope } from "../domain/accounts/key-restrictions.ts"
import { iso } from "../domain/time.ts"
import { AppError } from "../errors.ts"
import type { AppEnv, Endpoint } from "./endpoint.ts"

/** The scope of each endpoint by the first step of its path. Every other endpoint belongs to "account". */
const SCOPES: Readonly<Record<string, KeyScope>> = {
  ...of("verify", ["validate", "verify", "check", "score", "activity", "cohort"]),
  ...of("verify", ["domain-intel", "deliverability", "resolve-catchall"]),
  ...of("lists", ["bulk", "jobs", "utils"]),
  ...of("find", ["find-email", "domain-formats"]),
  ...of("suppression", ["suppression"]),
  ...of("feedback", ["bounce", "delivered", "received", "feedback"]),
}

/** Paths below a step of another scope. */
const EXCEPTIONS: Readonly<Record<string, KeyScope>> = { "/validate/bulk": "lists" }

/**
 * What a program needs to know about itself, and the way to a session, whatever its key may do. Each tool of /mcp calls
 * an endpoint, which needs its own scope. The call of publishable keys needs none, because they have none.
 */
const ALWAYS_ALLOWED = ["GET /usage", "GET /auth/me", "POST /auth/request", "POST /mcp", "POST /form/verify"]

function of(scope: KeyScope, steps: readonly string[]): Record<string, KeyScope> {
  return Object.fromEntries(steps.map((step) => [step, scope]))
}

/** The scope that a restricted key needs. Null when every key may make the call. @param path of the route */
export function scopeOf(method: string, path: string): KeyScope | null {
  if (ALWAYS_ALLOWED.includes(`${method.toUpperCase()} ${path}`)) return null
  const exception = Object.keys(EXCEPTIONS).find((start) => path === start || path.startsWith(`${start}/`))
  return exception ? EXCEPTIONS[exception]! : (SCOPES[path.split("/")[1] ?? ""] ?? "account")
}

/** Credentials, the account itself and its payments. */
const RESERVED = [
  /^\/keys(?:\/|$)/,
  /^\/me\/unconfirmed-keys\//,
  /^\/me$/,
  /^\/billing\//,
  /^\/fleet\/(?:tokens|nodes\/[^/]+\/keys)$/,
]

/** Calls that could undo a restriction or spend the account's money: no restricted key may make them. */
export function isReserved(method: string, path: string): boolean {
  return method.toUpperCase() !== "GET" && RESERVED.some((reserved) => reserved.test(path))
}

/** Refuses what the key of the request may not do. @throws AppError key_expired or key_restricted */
export function refuseRestricted(
  c: Context<AppEnv>,
  {
    route,
    restrictions,
    clientIp,
  }: Pick<Endpoint, "route"> & { restrictions: KeyRestrictions; clientIp: string | undefined },
): void {
  const { method, path } = route
  const scope = scopeOf(method, path)
  const origin = c.req.header("origin")
  const broken = brokenRestriction(restrictions, { now: c.get("ctx").clock.now(), scope, clientIp, origin })
  if (broken === "expired") throw new AppError("key_expired", `this API key expired at ${iso(restrictions.expiresAt)}`)
  if (broken === "scope")
    throw new AppError("key_restricted", `this API key is restricted; this call needs its scope ${scope}`)
  if (broken === "network")
    throw new AppError(
      "key_restricted",
      clientIp === undefined
        ? "this API key is restricted to networks, and this service does not know the caller's address"
        : "this API key is restricted to other networks",
    )
  if (broken === "origin") throw new AppError("key_restricted", "this API key is restricted to other web origins")
  if (isReserved(method, path))
    throw new AppError(
      "key_restricted",
      "a restricted API key cannot do this; use a session or a key without restrictions",
    )
}
