import { createDns, type Dns } from "./adapters/dns/resolver.ts"
import { type Clock, jsonLog, type Log, randomToken, systemClock } from "./adapters/platform.ts"
import { createProbes, type Probes } from "./adapters/probes/ask.ts"
import { openDatabase } from "./adapters/store/database.ts"
import { createResultStore, type ResultStore } from "./adapters/store/results.ts"
import type { Config } from "./env.ts"

/** Everything outside the service, one field each. Services name what they touch with `Pick<Deps, ...>`. */
export interface Deps {
  readonly clock: Clock
  readonly randomToken: () => string
  readonly log: Log
  readonly dns: Dns
  readonly probes: Probes
  readonly results: ResultStore
  /** Keeps work running after the answer has been sent. */
  readonly background: (work: Promise<unknown>) => void
}

/** The adapters of one request. Nothing that does I/O outlives it: Workers forbid sharing I/O between requests. */
export function createDeps(
  config: Config,
  context: { requestId: string; background: Deps["background"] },
  overrides: Partial<Deps> = {},
): Deps {
  const log = jsonLog({ request_id: context.requestId })
  const base = { clock: systemClock, randomToken, log, background: context.background }
  return {
    ...base,
    dns: createDns({ urls: config.dohUrls, fetch: (input, init) => fetch(input, init), now: base.clock.now }),
    probes: createProbes({ config, ...base }),
    results: createResultStore(openDatabase(config.libsql)),
    ...overrides,
  }
}
