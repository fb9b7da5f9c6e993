import { Hono } from "hono"
import type { KeyLimiterNamespace } from "../../src/adapters/accounts/key-limiters.ts"
import service from "../../src/worker.ts"

export { Flight, KeyGate, WebhookDispatcher } from "../../src/worker.ts"

interface Bindings {
  readonly CACHE: { get(key: string): Promise<string | null>; put(key: string, value: string): Promise<void> }
  readonly KEY_GATE: KeyLimiterNamespace
}

/** Bare routes in the same isolate as the service, so that both are measured under the same conditions. */
const bare = new Hono<{ Bindings: Bindings }>()
bare.get("/bare/json", (c) => c.json({ ok: true }))
bare.get("/bare/floor", async (c) => {
  const key = c.req.query("key") ?? ""
  const limiter = c.env.KEY_GATE.get(c.env.KEY_GATE.idFromName("key:bench-floor"))
  const [value] = await Promise.all([c.env.CACHE.get(`bench:${key}`), limiter.check("bench-floor")])
  return c.body(value ?? "{}", 200, { "content-type": "application/json" })
})

/** Stores values as long as a cached result, for /bare/floor. */
bare.get("/bare/fill", async (c) => {
  const [from, to] = [Number(c.req.query("from")), Number(c.req.query("to"))]
  const value = JSON.stringify({ checks: "x".repeat(1_500) })
  for (let at = from; at < to; at++) await c.env.CACHE.put(`bench:${at}`, value)
  return c.json({ filled: to - from })
})

export default {
  ...service,
  fetch(request: Request, bindings: never, context: ExecutionContext): Response | Promise<Response> {
    const isBare = new URL(request.url).pathname.startsWith("/bare/")
    return isBare ? bare.fetch(request, bindings, context) : service.fetch!(request as never, bindings, context)
  },
}
