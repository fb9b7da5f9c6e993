import { OpenAPIHono, type RouteHandler } from "@hono/zod-openapi"
import type { Context } from "hono"
import { METHOD_NAME_ALL } from "hono/router"
import { TrieRouter } from "hono/router/trie-router"
import type { Context as ServiceContext } from "./context.ts"
import { AppError } from "./errors.ts"
import { guard } from "./http/access.ts"
import { serveAsset, serveDocs } from "./http/assets.ts"
import type { AccessWord, AnswerInside, AppEnv, Endpoint } from "./http/endpoint.ts"
import { invalidFields, onError } from "./http/errors.ts"
import { IDEMPOTENCY_PARAMETER, idempotency } from "./http/idempotency.ts"
import { limitBody, MAX_BODY_BYTES, refuseCompressed, requireJson } from "./http/request-body.ts"
import { requestMiddleware } from "./http/request-middleware.ts"
import { BODY_RESPONSES, COMMON_RESPONSES, COST_RESPONSES, problem } from "./http/responses.ts"
import { READY_ENDPOINTS, type RouteGroup, routeGroupAt } from "./routes/route-groups.ts"

/** The OpenAPI security of each access word. An endpoint may state its own. */
const SECURITY: Readonly<Record<AccessWord, Record<string, string[]>[]>> = {
  public: [],
  "key-optional": [{}, { ApiKey: [] }, { Session: [] }, { AdminSecret: [] }],
  "publishable-key": [{ ApiKey: [] }],
  key: [{ ApiKey: [] }, { Session: [] }],
  session: [{ Session: [] }],
  "key-or-admin": [{ ApiKey: [] }, { Session: [] }, { AdminSecret: [] }],
  admin: [{ AdminSecret: [] }],
}

/** OpenAPI's names for the validation targets that hono names differently. */
const PLACES = {
  json: "body",
  form: "body",
  param: "path",
  query: "query",
  header: "header",
  cookie: "header",
} as const

/** Runs for each request, because I/O objects may not cross requests. */
export type CreateContext = (c: Context<AppEnv>) => ServiceContext

export type App = OpenAPIHono<AppEnv>

/**
 * The apps of all endpoints: one that is ready, and one for each group of endpoints at its first request.
 * @returns a function from the URL of a request to the app that answers it
 */
export function createApps(createContext: CreateContext): (url: string) => App | Promise<App> {
  const ready = createApp(READY_ENDPOINTS, createContext)
  addPages(ready)
  const loaded = new Map<RouteGroup, App>()
  async function load(group: RouteGroup): Promise<App> {
    const app = createApp(await group.load(answerInside), createContext)
    loaded.set(group, app)
    return app
  }
  function appAt(url: string): App | Promise<App> {
    const group = routeGroupAt(url)
    return group ? (loaded.get(group) ?? load(group)) : ready
  }
  const answerInside: AnswerInside = async (request, c) => {
    const app = await appAt(request.url)
    return app.fetch(request, c.env, c.executionCtx)
  }
  return appAt
}

/** Builds an app of some endpoints. */
export function createApp(endpoints: readonly Endpoint[], createContext: CreateContext): App {
  const methodsAt = new TrieRouter<string>()
  for (const { route } of endpoints) methodsAt.add(METHOD_NAME_ALL, route.getRoutingPath(), route.method.toUpperCase())
  const app = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidFields(result.error, PLACES[result.target])
    },
  })
  app.use(requestMiddleware(createContext))
  app.onError(onError)
  // Not thrown: a thrown error would skip what the innermost middleware adds to every response.
  app.notFound((c) =>
    onError(
      methodProblem(methodsAt, c) ?? new AppError("unknown_endpoint", "no endpoint at this path; see /openapi.json"),
      c,
    ),
  )
  for (const endpoint of endpoints) register(app, endpoint)
  return app
}

/** Adds the pages, and the document of the interface. */
function addPages(app: App): void {
  app.get("/openapi.json", serveAsset())
  // A request for the root path comes from a browser.
  app.get("/", (c) => c.redirect("/console/"))
  app.get("/llms.txt", serveAsset())
  app.get("/docs", serveDocs("/docs/index.html", "/docs.md"))
  app.get("/docs/errors", serveDocs("/docs/errors.html", "/docs/guide-errors.md"))
  app.get("/docs.md", serveAsset())
  app.get("/docs/", (c) => c.redirect("/docs"))
  app.get("/docs/:file", serveAsset())
  app.get("/docs/chunks/:file", serveAsset())
  app.get("/docs/skill/:file", serveAsset())
  app.get("/form.js", serveAsset())
  app.get("/console", (c) => c.redirect("/console/"))
  app.get("/console/", serveAsset("/console/index.html"))
  app.get("/console/assets/:file", serveAsset())
}

/** Adds the guards and responses that follow from the access word and the body. An endpoint states only the rest. */
function register(app: App, one: Endpoint): void {
  const { access, route, handler, body, costs } = one
  const hasBody = route.request?.body !== undefined
  const { maxBytes = MAX_BODY_BYTES, isStreamed = false, acceptsText = false, contentOf } = body ?? {}
  const limit = limitBody(maxBytes, isStreamed)
  const acceptsJson = route.request?.body?.content["application/json"] !== undefined
  const bodyGuards = hasBody ? [refuseCompressed(), ...(acceptsJson ? [requireJson({ acceptsText })] : []), limit] : []
  const retries = costs ? [idempotency(contentOf)] : []
  const guards = [guard(one), ...bodyGuards, ...retries]
  const responses = {
    ...COMMON_RESPONSES,
    ...(access === "public" ? {} : problem(402)),
    ...(costs ? COST_RESPONSES : {}),
    ...(hasBody ? BODY_RESPONSES : {}),
    ...route.responses,
  }
  const parameters = costs ? { parameters: [IDEMPOTENCY_PARAMETER] } : {}
  const documented = { ...route, ...parameters, responses, security: route.security ?? SECURITY[access] }
  if (isStreamed) {
    app.openAPIRegistry.registerPath(documented)
    app.on([route.method.toUpperCase()], [route.path], ...guards, handler)
  } else {
    const complete = { ...documented, middleware: guards }
    app.openapi(complete, handler as RouteHandler<typeof complete, AppEnv>)
  }
}

/** 405 when the path exists under other methods. */
function methodProblem(methodsAt: TrieRouter<string>, c: Context<AppEnv>): AppError | null {
  const [methods] = methodsAt.match(METHOD_NAME_ALL, c.req.path)
  if (methods.length === 0) return null
  const allow = methods.map(([method]) => method).join(", ")
  c.header("allow", allow)
  return new AppError("method_not_allowed", `this path accepts ${allow}`)
}
