import { WorkerEntrypoint } from "cloudflare:workers"
import type { Courier as Carrying } from "./adapters/courier/courier.ts"
import { createDeps } from "./adapters/create-deps.ts"
import { createApp } from "./app.ts"
import { consumeChunks } from "./consumers/bulk-chunks.ts"
import type { Deps } from "./deps.ts"
import { type Bindings, type Config, readConfig } from "./env.ts"
import { keepPlusInEmail } from "./http/plus-sign.ts"
import { presentCached } from "./http/present/cached.ts"
import { SCHEDULES } from "./schedules/index.ts"
import { deliverNow, LAST_START_MS } from "./services/webhooks/deliver.ts"
import { sweepWebhooks } from "./services/webhooks/sweep-webhooks.ts"

export { Flight } from "./adapters/flights/flight.ts"
export { KeyGate } from "./adapters/keygate/key-gate.ts"

/** Plain values only: I/O objects may not cross requests, settings and keys may. */
let config: Config | null = null

const app = createApp((c) => {
  if (!config) throw new Error("a request came before the settings were read")
  return createDeps(config, {
    requestId: c.get("requestId"),
    bindings: c.env,
    presentCached,
    background: (work) => c.executionCtx.waitUntil(work),
  })
})

export default {
  fetch(request, bindings, context): Response | Promise<Response> {
    return config ? app.fetch(keepPlusInEmail(request), bindings, context) : firstFetch(request, bindings, context)
  },

  async queue(batch, bindings, context): Promise<void> {
    const deps = await backgroundDeps(bindings, context)
    await traced(deps, "queue bulk-chunks", () => consumeChunks(deps, batch.messages))
  },

  async scheduled({ cron }, bindings, context): Promise<void> {
    const deps = await backgroundDeps(bindings, context)
    const due = SCHEDULES[cron] ?? []
    const runs = await traced(deps, `cron ${cron}`, () => Promise.allSettled(due.map((run) => run(deps))))
    const failed = runs.flatMap((run) => (run.status === "rejected" ? [String(run.reason)] : []))
    if (failed.length > 0) deps.log("schedule_failed", { cron, failed })
  },
} satisfies ExportedHandler<Bindings>

/** Reached by the binding COURIER only: webhooks go out in calls of their own, and nobody waits for a receiver. */
export class Courier extends WorkerEntrypoint<Bindings> implements Carrying {
  async deliver(eventId: string): Promise<void> {
    const deps = await backgroundDeps(this.env, this.ctx)
    this.ctx.waitUntil(deliverNow(deps, eventId))
  }

  async sweep(): Promise<void> {
    const deps = await backgroundDeps(this.env, this.ctx)
    this.ctx.waitUntil(sweepWebhooks(deps, LAST_START_MS))
  }
}

async function firstFetch(request: Request, bindings: Bindings, context: ExecutionContext): Promise<Response> {
  const problems = await readConfigOnce(bindings)
  return problems ? misconfigured(problems) : app.fetch(keepPlusInEmail(request), bindings, context)
}

/** Reads the settings when that was not done before. @returns what is wrong with them; null when nothing is */
async function readConfigOnce(bindings: Bindings): Promise<string[] | null> {
  if (config) return null
  const result = await readConfig(bindings)
  if (!result.ok) return result.problems
  config = result.config
  return null
}

/** The adapters of one queue batch or one cron run. */
async function backgroundDeps(bindings: Bindings, context: ExecutionContext): Promise<Deps> {
  const problems = await readConfigOnce(bindings)
  if (!config) throw new Error(`the settings are wrong: ${problems?.join("; ")}`)
  const background = (work: Promise<unknown>) => context.waitUntil(work)
  const deps = createDeps(config, { requestId: crypto.randomUUID(), bindings, presentCached, background })
  await deps.currentLists.keep()
  return deps
}

/** Measures work that no request has asked for. */
async function traced<T>({ tracer }: Deps, name: string, work: () => Promise<T>): Promise<T> {
  const span = tracer.begin(name)
  try {
    return await work()
  } finally {
    span.end()
  }
}

/** Nothing works without settings, so nothing pretends to; the problems name settings, not values, and go to the log. */
function misconfigured(problems: string[]): Response {
  console.error(JSON.stringify({ event: "bad_environment", problems }))
  return Response.json({ detail: "the service is not configured; its log names the settings to mend" }, { status: 500 })
}
