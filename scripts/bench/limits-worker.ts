import service from "../../src/worker.ts"
import type { Invocation } from "./invocation.ts"

export { Flight, KeyGate, WebhookDispatcher } from "../../src/worker.ts"

type Environment = Record<string, unknown>

const invocations: Invocation[] = []

function begin(kind: Invocation["kind"]): Invocation {
  const invocation = { kind, subrequests: 0 }
  invocations.push(invocation)
  return invocation
}

/** The bindings, with each call of a method counted. Methods that only address an object make no call. */
function counted(bindings: Environment, invocation: Invocation): Environment {
  const watch = (target: object): object =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== "function") return value
        return (...given: unknown[]) => {
          const result: unknown = Reflect.apply(value, target, given)
          const isStub = name === "get" && "idFromName" in target
          if (isStub) return watch(result as object)
          if (name !== "idFromName") invocation.subrequests++
          return result
        }
      },
    })
  const entries = Object.entries(bindings).map(([name, value]) => [
    name,
    typeof value === "object" && value !== null ? watch(value) : value,
  ])
  return Object.fromEntries(entries)
}

export default {
  async fetch(request: Request, bindings: Environment, context: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === "/bench/invocations") {
      return Response.json(invocations.splice(0))
    }
    if (pathname === "/bench/cron") {
      const event = { cron: searchParams.get("cron")!, scheduledTime: Date.now(), noRetry() {} }
      await service.scheduled(event, counted(bindings, begin("scheduled")) as never, context)
      return new Response("done")
    }
    return service.fetch(request as never, counted(bindings, begin("fetch")) as never, context)
  },
  queue(batch: MessageBatch, bindings: Environment, context: ExecutionContext): Promise<void> {
    return service.queue(batch as never, counted(bindings, begin("queue")) as never, context)
  },
  scheduled: () => undefined,
}
