import { createDialPort } from "./address-policy.ts"
import type { NodeSettings } from "./config.ts"
import { createEndpointLimiter, Pacer } from "./pacing.ts"
import type { EngineDeps } from "./probe.ts"
import { createResolver } from "./resolver.ts"
import { REPLY_TIMEOUT_MS } from "./smtp/connection.ts"
import { createSources } from "./sources.ts"

/** Builds the SMTP engine from the node's settings. */
export function createEngine(settings: NodeSettings): EngineDeps {
  return {
    heloName: settings.heloName,
    envelopeSender: settings.envelopeSender,
    resolver: createResolver(settings.dns),
    dialPort: createDialPort(settings.policy),
    random: Math.random,
    proxy: settings.proxy,
    replyTimeoutMs: REPLY_TIMEOUT_MS,
    sources: createSources(settings.sourceIps, settings.proxy),
    pacer: new Pacer(settings, Date.now),
    endpointLimiter: createEndpointLimiter(settings, Date.now),
  }
}
