import { createRoute, type RouteConfig, type z } from "@hono/zod-openapi"
import type { Context, Handler } from "hono"
import type { UploadedBody } from "../adapters/accounts/isolate-limits.ts"
import type { UsageMeter } from "../adapters/accounts/usage-meter.ts"
import type { Context as ServiceContext } from "../context.ts"
import type { Caller, Member } from "../domain/accounts/caller.ts"
import type { AuditDetails } from "../domain/compliance/audit-chain.ts"
import type { Bindings } from "../env.ts"
import { json as jsonBody } from "./fields.ts"
import { ok, type ProblemStatus, problem } from "./responses.ts"

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
  /** The account, for a public call. */
  readonly actor?: string
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
    /** Null: the call changed nothing. */
    auditNote?: AuditNote | null
    /** The bytes of the body that stay in memory until the request ends. */
    storedBody?: UploadedBody
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

/** What an endpoint states about itself. Its access word, its call and the tag of its file are parameters of their own. */
interface Definition<
  Params extends z.ZodObject | undefined,
  Query extends z.ZodType | undefined,
  Json extends z.ZodType | undefined,
  Answer extends z.ZodType | undefined,
> extends OperationTexts {
  readonly params?: Params
  readonly query?: Query
  readonly headers?: z.ZodObject
  /** A required JSON body. */
  readonly json?: Json
  /** A body of another type. */
  readonly content?: NonNullable<NonNullable<RouteConfig["request"]>["body"]>["content"]
  /** The JSON of status 200. */
  readonly answer?: Answer
  /** Error answers besides those that every endpoint has. */
  readonly problems?: readonly ProblemStatus[]
  /** Answers of another form. */
  readonly responses?: RouteConfig["responses"]
  readonly security?: NonNullable<RouteConfig["security"]>
  readonly body?: BodyRules
  readonly costs?: true
  readonly isDiagnostic?: true
  /** @returns the answer, or a response that is sent as it is */
  handle(c: Context<AppEnv, string, InputOf<Params, Query, Json>>): Promise<Answered<Answer>> | Answered<Answer>
}

type Optional<Target extends string, Schema> = Schema extends z.ZodType ? Record<Target, z.output<Schema>> : object

interface InputOf<Params, Query, Json> {
  in: object
  out: Optional<"param", Params> & Optional<"query", Query> & Optional<"json", Json>
}

type Answered<Answer> = Response | (Answer extends z.ZodType ? DeepReadonly<z.output<Answer>> : never)

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T

/**
 * Returns the function that makes the endpoints of a tag. It checks at compile time that the handler answers what the
 * endpoint declares.
 * @param tag the group of the operations in the published document
 */
export function endpointsOf(tag: string) {
  /** @param call the method and the path, such as `GET /keys/{key_id}` */
  return function endpoint<
    Params extends z.ZodObject | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
    Json extends z.ZodType | undefined = undefined,
    Answer extends z.ZodType | undefined = undefined,
  >(
    access: AccessWord,
    call: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`,
    definition: Definition<Params, Query, Json, Answer>,
  ): Endpoint {
    const { params, query, headers, json, content, answer, problems = [], responses, handle, ...rest } = definition
    const { body, costs, isDiagnostic, ...texts } = rest
    const [method, path] = call.split(" ") as [string, string]
    const route = createRoute({
      ...texts,
      method: method.toLowerCase() as RouteConfig["method"],
      path,
      tags: [tag],
      request: {
        ...(params && { params }),
        ...(query && { query }),
        ...(headers && { headers }),
        ...(json && { body: jsonBody(json) }),
        ...(content && { body: { required: true, content } }),
      } as NonNullable<RouteConfig["request"]>,
      responses: { ...(answer && { 200: ok(answer) }), ...problem(...problems), ...responses },
    })
    async function handler(c: Context<AppEnv>): Promise<Response> {
      const answered = await handle(c as Parameters<typeof handle>[0])
      return answered instanceof Response ? answered : c.json(answered as object, 200)
    }
    return {
      access,
      route,
      handler,
      ...(body && { body }),
      ...(costs && { costs }),
      ...(isDiagnostic && { isDiagnostic }),
    }
  }
}

/** The account of a request. Only for endpoints whose access word requires one. */
export function member(c: Context<AppEnv>): Member {
  if (c.var.caller.kind !== "member")
    throw new Error("an endpoint that needs an account must have an access word that requires one")
  return c.var.caller
}
