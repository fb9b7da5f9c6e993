import type { createRoute, RouteConfig, RouteHandler } from "@hono/zod-openapi"
import type { Handler } from "hono"
import type { UsageMeter } from "../adapters/key-limiter/usage-meter.ts"
import type { Context } from "../context.ts"
import type { Caller } from "../domain/accounts/caller.ts"
import type { AuditDetails } from "../domain/compliance/audit-chain.ts"
import type { Bindings } from "../env.ts"

/**
 * Access level of an endpoint. Declared per endpoint, enforced and tested in one place. `key` is an account with its key
 * or session. `key-or-admin` acts on the account's own data, or with the admin secret on the data of all accounts.
 */
export const ACCESS_WORDS = ["public", "key-optional", "key", "session", "key-or-admin", "admin"] as const
export type AccessWord = (typeof ACCESS_WORDS)[number]

/** What a handler adds to its call's row in the audit trail. Ids, counts and keyed hashes only. */
interface AuditNote {
  readonly subject?: string
  readonly details?: AuditDetails
}

/** The values that a request carries through the handlers. */
export interface AppEnv {
  Bindings: Bindings
  /** The guard sets `caller` and `meter`. Public endpoints have neither. */
  Variables: { ctx: Context; requestId: string; caller: Caller; meter: UsageMeter; auditNote?: AuditNote }
}

type Route = ReturnType<typeof createRoute>

/** One endpoint as a value: its access, its route and its handler. */
export interface Endpoint {
  readonly access: AccessWord
  readonly route: Route
  readonly handler: Handler<AppEnv>
  readonly body?: BodyRules
  /** It costs credits, so it accepts an Idempotency-Key. */
  readonly costs?: true
  /** It answers also when the database belongs to another installation, because it reports that. */
  readonly isDiagnostic?: true
}

/** For endpoints whose body is not a small JSON document. */
export interface BodyRules {
  readonly maxBytes: number
  /** The handler reads `c.req.raw.body` itself. The route's body schema is documentation only. */
  readonly isStreamed?: boolean
}

/** Checks at compile time that the handler answers what the route declares. */
export function endpoint<R extends RouteConfig>(
  access: AccessWord,
  route: R & Route,
  handler: RouteHandler<R, AppEnv>,
): Endpoint {
  return { access, route, handler: handler as unknown as Handler<AppEnv> }
}

/** The same endpoint, whose work costs credits. */
export function withCosts(one: Endpoint): Endpoint {
  return { ...one, costs: true }
}

/** The same endpoint, which reports problems of the installation. */
export function asDiagnostic(one: Endpoint): Endpoint {
  return { ...one, isDiagnostic: true }
}

/** The same endpoint with its own rules for the body. */
export function withBody(one: Endpoint, body: BodyRules): Endpoint {
  return { ...one, body }
}
