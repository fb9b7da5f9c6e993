import type { createRoute, RouteConfig, RouteHandler } from "@hono/zod-openapi"
import type { Handler } from "hono"
import type { AccessWord } from "../../schema/vocabulary.ts"
import type { Deps } from "../deps.ts"
import type { Caller } from "../domain/accounts/caller.ts"
import type { AuditDetails } from "../domain/compliance/audit-chain.ts"
import type { Bindings } from "../env.ts"

/** What a handler adds to the audit trail's row about its call. Ids, counts and keyed hashes only. */
interface AuditNote {
  readonly subject?: string
  readonly details?: AuditDetails
}

/** What a request carries through the handlers. */
export interface AppEnv {
  Bindings: Bindings
  /** `caller` is set by the guard; public endpoints have none. */
  Variables: { deps: Deps; requestId: string; caller: Caller; auditNote?: AuditNote }
}

type Route = ReturnType<typeof createRoute>

/** One endpoint as a value: who may call it, what it takes and gives, and what it does. Nothing registers itself. */
export interface Endpoint {
  readonly access: AccessWord
  readonly route: Route
  readonly handler: Handler<AppEnv>
  readonly body?: BodyRules
  /** It costs credits, so a retry can be told by its Idempotency-Key. */
  readonly costs?: true
}

/** For endpoints whose body is not a small JSON document. */
export interface BodyRules {
  readonly maxBytes: number
  /** The handler reads `c.req.raw.body` itself; what the route says about the body is documentation only. */
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
export function costing(one: Endpoint): Endpoint {
  return { ...one, costs: true }
}

/** The same endpoint with its own rules for the body. */
export function withBody(one: Endpoint, body: BodyRules): Endpoint {
  return { ...one, body }
}
