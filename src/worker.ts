import { createApp } from "./app.ts"
import { createDeps } from "./deps.ts"
import { type Bindings, type Config, readConfig } from "./env.ts"
import { keepPlusInEmail } from "./http/plus-sign.ts"
import { presentCached } from "./http/present/cached.ts"

export { KeyGate } from "./adapters/keygate/key-gate.ts"

/** Plain values only: I/O objects may not cross requests, settings and keys may. */
let config: Config | null = null

const app = createApp((c) => {
  if (!config) throw new Error("a request came before the settings were read")
  return createDeps(config, {
    requestId: c.var.requestId,
    bindings: c.env,
    presentCached,
    background: (work) => c.executionCtx.waitUntil(work),
  })
})

export default {
  async fetch(request, bindings, context): Promise<Response> {
    if (!config) {
      const result = await readConfig(bindings)
      if (!result.ok) return misconfigured(result.problems)
      config = result.config
    }
    return app.fetch(keepPlusInEmail(request), bindings, context)
  },
} satisfies ExportedHandler<Bindings>

/** Nothing works without settings, so nothing pretends to; the problems name settings, not values, and go to the log. */
function misconfigured(problems: string[]): Response {
  console.error(JSON.stringify({ event: "bad_environment", problems }))
  return Response.json({ detail: "the service is not configured; its log names the settings to mend" }, { status: 500 })
}
