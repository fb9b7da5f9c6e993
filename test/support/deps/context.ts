import { createMemoryRateLimiter, newRateLimiterMemory } from "../../../src/adapters/accounts/isolate-limits.ts"
import type { UsageMeter } from "../../../src/adapters/accounts/usage-meter.ts"
import { openTable } from "../../../src/adapters/lists/tables.ts"
import type { QueueEntry } from "../../../src/adapters/store/database.ts"
import type { Stores } from "../../../src/adapters/store/stores.ts"
import { FairSlots } from "../../../src/concurrency/fair-limiter.ts"
import type { Context, ServiceConfig } from "../../../src/context.ts"
import { CredentialMemory } from "../../../src/domain/accounts/credentials.ts"
import { UNMETERED } from "../../../src/services/accounts/charge.ts"

/** A partial fake of T. Its functions take the same arguments. */
type Fake<T> = T extends (...given: infer Given) => unknown
  ? { call(...given: Given): unknown }["call"]
  : T extends object
    ? { readonly [Name in keyof T]?: Fake<T[Name]> }
    : T

type Parts = { readonly [Name in Exclude<keyof Context, "store" | "config">]?: Fake<Context[Name]> } & {
  readonly store?: { readonly [Name in keyof Stores]?: Fake<Stores[Name]> }
  readonly config?: { readonly [Name in keyof ServiceConfig]?: Fake<ServiceConfig[Name]> }
}

/** A context of the given parts, where addresses under `.test` cost credits. Reading any other part fails with its name. */
export function testContext({ store = {}, config = {}, ...parts }: Parts): Context {
  const queueEntry: QueueEntry = { queue: "", since: 0, deadlineAt: 0 }
  const failedFacts = { has: () => false, add: () => undefined }
  const whole = {
    queueEntry,
    failedFacts,
    knownCredentials: new CredentialMemory(),
    ...parts,
    store: onlyGiven(store, "ctx.store"),
    config: onlyGiven({ hasSandbox: true, ...config }, "ctx.config"),
  }
  return onlyGiven(whole, "ctx") as Context
}

/** What a context needs to read files: a clock, slots, and a budget of its own. */
export function reading<Clock extends { now(): number }>(clock: Clock) {
  return {
    clock,
    tables: { slots: new FairSlots({ waitMs: 20_000, waiting: 2, leaseMs: 30_000 }), open: openTable },
    memoryRateLimiter: createMemoryRateLimiter(newRateLimiterMemory(), clock),
  }
}

/** A meter that authorizes everything, but for the given functions. */
export function testMeter(given: Fake<UsageMeter> = {}): UsageMeter {
  return Object.assign({ ...UNMETERED }, given)
}

function onlyGiven<T extends object>(given: T, path: string): T {
  return new Proxy(given, {
    get(target, name) {
      // An await looks for `then`.
      if (typeof name === "string" && name !== "then" && !(name in target))
        throw new Error(`the test gives no ${path}.${name}`)
      return Reflect.get(target, name)
    },
  })
}
