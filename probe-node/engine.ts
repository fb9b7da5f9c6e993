import { createDialPort } from "./address-policy.ts"
import type { EngineNeeds } from "./chunk-run.ts"
import type { NodeSettings } from "./config.ts"
import { createDoors, Pacer } from "./pacing.ts"
import { createResolver } from "./resolver.ts"
import { PATIENCE_MS } from "./smtp/connection.ts"
import { createSources } from "./sources.ts"

/** The SMTP engine with these settings. */
export function createEngine(settings: NodeSettings): EngineNeeds {
  return {
    heloName: settings.heloName,
    envelopeSender: settings.envelopeSender,
    resolver: createResolver(settings.dns),
    dialPort: createDialPort(settings.policy),
    random: Math.random,
    proxy: settings.proxy,
    patienceMs: PATIENCE_MS,
    sources: createSources(settings.sourceIps, settings.proxy),
    pacer: new Pacer(settings, Date.now),
    doors: createDoors(settings, Date.now),
  }
}
