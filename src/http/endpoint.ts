import type { createRoute, RouteConfig, RouteHandler } from "@hono/zod-openapi"
import type { Context, Handler } from "hono"
import type { HeldBody } from "../adapters/accounts/isolate-limits.ts"
import type { UsageMeter } from "../adapters/accounts/usage-meter.ts"
import type { Context as ServiceContext } from "../context.ts"
import type { Caller, Member } from "../domain/accounts/caller.ts"
import type { AuditDetails } from "../domain/compliance/audit-chain.ts"
import type { Bindings } from "../env.ts"

/**
 * Access level of an endpoint. Declared per endpoint, enforced and tested in one place. `key` is an account with its key
 * or session. `publishable-key` is a key of a page, which makes no other call. `key-or-admin` acts on the account's own
 * data, or with the admin secret on the data of all accounts.
 */
export const ACCESS_WORDS = [
  "public",
  "key-optional",
  "publishable-key",
  "key",
  "session",
  "key-or-admin",
  "admin",
] as const
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
  Variables: {
    ctx: ServiceContext
    requestId: string
    caller: Caller
    meter: UsageMeter
    auditNote?: AuditNote
    /** The bytes of the body that stay in memory until the request ends. */
    heldBody?: HeldBody
    /** Set for a streamed body with an `Idempotency-Key`. */
    claimContent?: ClaimContent
    /** The only origin whose pages may read the answer, null for none. Missing: pages of every origin may. */
    sharedOrigin?: string | null
  }
}

/**
 * Claims the request's `Idempotency-Key` for the content that the handler has read. The handler calls it before it
 * starts or charges anything.
 * @param content what `contentOf` of the body rules returns for this body
 * @returns the first answer to send again. Null: the request runs, and `c.var.meter` pays for it
 * @throws AppError conflict while the first request runs, invalid for another content; drop what was received
 */
type ClaimContent = (content: string) => Promise<Response | null>

/** Answers a request of the service to itself, with the bindings and the lifetime of the request in `c`. */
export type AnswerInside = (request: Request, c: Context<AppEnv>) => Promise<Response>

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

/** The texts of an operation in the published document, for a function that makes several endpoints. */
export interface OperationTexts {
  readonly operationId: string
  readonly summary: string
  readonly description: string
}

/** For endpoints whose body is not a small JSON document. */
export interface BodyRules {
  readonly maxBytes: number
  /** The handler reads `c.req.raw.body` itself. The route's body schema is documentation only. */
  readonly isStreamed?: boolean
  /**
   * Reads a streamed body and returns a short text that is the same for the same content. Required when the endpoint
   * costs credits. Its handler calls `c.var.claimContent` with the same text.
   */
  readonly contentOf?: (c: Context<AppEnv>) => Promise<string>
  /** JSON may have the type `text/plain`, which browsers send to another origin without a preflight. */
  readonly acceptsText?: boolean
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

/** The account of a request. Only for endpoints whose access word requires one. */
export function member(c: Context<AppEnv>): Member {
  if (c.var.caller.kind !== "member")
    throw new Error("an endpoint that needs an account must have an access word that requires one")
  return c.var.caller
}
