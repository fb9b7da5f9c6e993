import { WorkerEntrypoint } from "cloudflare:workers"
import { createContext } from "./adapters/create-context.ts"
import { createBackground } from "./adapters/platform.ts"
import { loadReferenceData } from "./adapters/reference/reference-file.ts"
import { JOBS_QUEUE } from "./adapters/store/database.ts"
import type { WebhookDispatcher as Dispatching } from "./adapters/webhooks/webhook-sender.ts"
import { createApps } from "./app.ts"
import type { Context } from "./context.ts"
import { type Bindings, type Config, readConfig } from "./env.ts"
import { type ErrorCode, statusOf } from "./error-codes.ts"
import { rootCause } from "./errors.ts"
import { preservePlus } from "./http/request-middleware.ts"
import { helpLink } from "./http/response-headers.ts"
import { requireOwnDatabase } from "./services/admin/own-database.ts"

export { KeyLimiterObject as KeyGate } from "./adapters/accounts/key-limiter-object.ts"
export { SingleFlightObject as Flight } from "./adapters/verification/single-flight-object.ts"

/** Set when the isolate is ready. Plain values only: requests may share settings and keys, but not I/O objects. */
let config: Config | null = null

const appAt = createApps((c) => {
  if (!config) throw new Error("a request arrived before the settings were read")
  return createContext(config, {
    requestId: c.get("requestId"),
    bindings: c.env,
    background: createBackground((work) => c.executionCtx.waitUntil(work)),
  })
})

export default {
  fetch(request, bindings, context): Response | Promise<Response> {
    const app = config && appAt(request.url)
    return app && !(app instanceof Promise)
      ? app.fetch(preservePlus(request), bindings, context)
      : firstFetch(request, bindings, context)
  },

  async queue(batch, bindings, context): Promise<void> {
    const { consumeChunks } = await import("./consumers/list-chunks.ts")
    const ctx = await backgroundContext(bindings, context)
    await traced(ctx, "queue bulk-chunks", () => consumeChunks(ctx, batch.messages))
  },

  async scheduled({ cron }, bindings, context): Promise<void> {
    const { runSchedule } = await import("./schedules/index.ts")
    const ctx = await backgroundContext(bindings, context)
    await traced(ctx, `cron ${cron}`, () => runSchedule(ctx, cron))
  },
} satisfies ExportedHandler<Bindings>

/** Reachable only by the binding WEBHOOK_DISPATCHER. Webhooks go out in separate calls, so no request waits for a receiver. */
export class WebhookDispatcher extends WorkerEntrypoint<Bindings> implements Dispatching {
  async deliver(eventId: string): Promise<void> {
    const { deliverNow } = await import("./services/webhooks/deliveries.ts")
    const ctx = await backgroundContext(this.env, this.ctx)
    this.ctx.waitUntil(deliverNow(ctx, eventId))
  }

  async sweep(): Promise<void> {
    const { LAST_START_MS, sweepWebhooks } = await import("./services/webhooks/deliveries.ts")
    const ctx = await backgroundContext(this.env, this.ctx)
    this.ctx.waitUntil(sweepWebhooks(ctx, LAST_START_MS))
  }
}

/** Answers the first request of an isolate, or of a group of endpoints. */
async function firstFetch(request: Request, bindings: Bindings, execution: ExecutionContext): Promise<Response> {
  try {
    const problems = await prepare(bindings)
    if (problems) return misconfigured(problems)
    const app = await appAt(request.url)
    return app.fetch(preservePlus(request), bindings, execution)
  } catch (error) {
    return notReady(error)
  }
}

/**
 * Reads the settings and the reference data once. Settings are there only together with the data, so no request is
 * answered without its lists.
 * @returns problems of the settings; null without any
 * @throws Error when the reference data cannot be read. The next call tries again
 */
async function prepare(bindings: Bindings): Promise<string[] | null> {
  if (config) return null
  const [result] = await Promise.all([readConfig(bindings), loadReferenceData(bindings.ASSETS)])
  if (!result.ok) return result.problems
  config = result.config
  return null
}

/** The adapters of one queue batch or one cron run. @throws Error when the settings or the database are not usable */
async function backgroundContext(bindings: Bindings, execution: ExecutionContext): Promise<Context> {
  const problems = await prepare(bindings)
  if (!config) throw new Error(`the settings are wrong: ${problems?.join("; ")}`)
  const background = createBackground((work) => execution.waitUntil(work))
  const ctx = createContext(config, { requestId: crypto.randomUUID(), bindings, background, queue: JOBS_QUEUE })
  await requireOwnDatabase(ctx)?.catch((error: Error) => {
    ctx.log("unavailable", { detail: error.message, cause: rootCause(error).message })
    throw error
  })
  await ctx.activeRules.refreshIfDue()
  return ctx
}

/** Traces work outside a request. */
async function traced<T>({ tracer }: Context, name: string, work: () => Promise<T>): Promise<T> {
  const span = tracer.begin(name)
  try {
    return await work()
  } finally {
    span.end()
  }
}

/** Fails every request. The problems go to the log; they name settings, never values. */
function misconfigured(problems: string[]): Response {
  console.error(JSON.stringify({ event: "bad_environment", problems }))
  return failure("internal_error", "the service is not configured; its log names the settings to fix")
}

/** Fails one request, which the caller may repeat: the isolate could not read its data. */
function notReady(error: unknown): Response {
  console.error(JSON.stringify({ event: "not_ready", error: String(error) }))
  const answer = failure("unavailable", "the service is starting; try again shortly")
  answer.headers.set("retry-after", "1")
  return answer
}

/** An error before there is an app. */
function failure(code: ErrorCode, detail: string): Response {
  return Response.json({ detail, code }, { status: statusOf(code), headers: { link: helpLink(code) } })
}
