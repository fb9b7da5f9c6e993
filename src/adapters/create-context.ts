import type { Context } from "../context.ts"
import { CredentialMemory } from "../domain/accounts/credentials.ts"
import { dayOf } from "../domain/time.ts"
import type { Bindings, Config } from "../env.ts"
import { createPayments } from "./accounts/create-payments.ts"
import { createGoogleIdentity } from "./accounts/google-identity.ts"
import { createBodyMemory, createMemoryRateLimiter, newRateLimiterMemory } from "./accounts/isolate-limits.ts"
import { createKeyLimiters, type KeyLimiterNamespace } from "./accounts/key-limiters.ts"
import { createMailer } from "./accounts/mailer.ts"
import { newPriceMemory } from "./accounts/payments.ts"
import { countedCache, createBufferedCounters, newCounterMemory } from "./admin/counter-buffer.ts"
import { createDisk, newDatabaseMemory } from "./admin/installation-state.ts"
import { createKvReader, createKvWriter, type KvReader, type ReadableKv, type WritableKv } from "./cache.ts"
import { createDns } from "./dns/resolver.ts"
import { createLookup, type Lookup } from "./external-calls.ts"
import { createFleet, createProbes, createRbl } from "./fleet/fleet.ts"
import { FleetMemory } from "./fleet/fleet-memory.ts"
import { createNodeClient, nodeFetch } from "./fleet/node-client.ts"
import { createConnectors } from "./integrations/connect.ts"
import { createChunkQueue, type QueueProducer } from "./lists/chunk-queue.ts"
import { TABLES } from "./lists/tables.ts"
import { type OutboundFetch, outboundOf, publicOutboundOf, unreachableLog } from "./outbound.ts"
import { jsonLog, type Platform, randomBytes, randomToken, systemClock } from "./platform.ts"
import { createActiveRules } from "./reference/active-rules.ts"
import { createListSources } from "./reference/list-sources.ts"
import { withSandboxBlocklists, withSandboxMailHosts, withSandboxNames } from "./sandbox/sandbox.ts"
import { createCredentialType, createGravatar } from "./signals/account-lookup.ts"
import { createHibp } from "./signals/breach-source.ts"
import { createRdap } from "./signals/rdap.ts"
import { type Database, openDatabase, type QueueEntry, UNKNOWN_QUEUE } from "./store/database.ts"
import { createStores } from "./store/stores.ts"
import { type AnswerWrite, bytesOfWrite } from "./store/verification/answer-writes.ts"
import { createFlagCache } from "./suppression/flag-cache.ts"
import { createInboundReaders } from "./suppression/inbound-readers.ts"
import { createTracer, tracedDns, tracedProbes, tracedRoundTrip } from "./tracing.ts"
import { createDirectories } from "./verification/directories.ts"
import { createFailedFacts, createResultCache } from "./verification/result-cache.ts"
import { createSingleFlight, type SingleFlightNamespace } from "./verification/single-flight.ts"
import { createWriteBehind, newWriteBehindMemory } from "./verification/write-behind.ts"
import { createPages, createWeb } from "./web-pages.ts"
import { createWebhookSender, type WebhookDispatcher } from "./webhooks/webhook-sender.ts"

/** Plain values that outlive a request: what this isolate knows of the fleet and the database, and its counters. */
const fleetMemory = new FleetMemory(Math.random)
const isolate = {
  databaseMemory: newDatabaseMemory(),
  failedFacts: createFailedFacts(systemClock.now),
  bodyMemory: createBodyMemory(),
  knownCredentials: new CredentialMemory(),
}
const [minuteMemory, priceMemory] = [newRateLimiterMemory(), newPriceMemory()]
const answerMemory = newWriteBehindMemory<AnswerWrite>()
const [serviceTally, requestCounters] = [newCounterMemory(), newCounterMemory()]

/** What adapters are created from, and how calls leave. */
type AdapterBase = Platform &
  OutboundFetch & { readonly fetch: typeof fetch; readonly lookUp: Lookup; readonly userAgent: string }

interface RequestScope {
  readonly requestId: string
  readonly bindings: Bindings
  readonly background: (work: Promise<unknown>) => void
  /** The caller's queue for the database, until the caller is known. */
  readonly queue?: string
}

/** The values of one request, which cost nothing. */
function valuesOf(config: Config, { requestId, bindings, background, queue = UNKNOWN_QUEUE }: RequestScope) {
  const log = jsonLog({ request_id: requestId })
  const fetch = outboundOf(bindings, unreachableLog(log, systemClock))
  const platform = { clock: systemClock, randomToken, randomBytes, log, background }
  const base: AdapterBase = {
    ...platform,
    fetch,
    fetchPublic: publicOutboundOf(bindings),
    lookUp: createLookup(fetch),
    userAgent: `Mailverdict (+${config.baseUrl})`,
  }
  const queueEntry: QueueEntry = { queue, since: systemClock.now(), deadlineAt: 0 }
  const { digests, sealer } = config
  return { ...platform, ...isolate, config, bindings, base, queueEntry, digests, sealer, tables: TABLES }
}

type Values = ReturnType<typeof valuesOf>
type Adapters = Omit<Context, keyof Values> & {
  readonly database: Database
  readonly kvReader: KvReader
  readonly kvWriter: WritableKv
}

/** The adapters of one request. Each is created on use: all of them cost more than a cached answer. */
const ADAPTERS: { readonly [Name in keyof Adapters]: (request: Values & Adapters) => Adapters[Name] } = {
  store: (request) => createStores(request),
  tracer: ({ config, base }) => createTracer(config.traces, base),
  dns({ config, base, clock, tracer }) {
    const dns = createDns({ urls: config.dohUrls, fetch: base.fetch, now: clock.now })
    return tracedDns(config.hasSandbox ? dns : withSandboxNames(dns), tracer)
  },
  nodeClient: ({ config, base }) => createNodeClient({ ...base, config, fetch: nodeFetch(config, base) }),
  fleet: (request) =>
    createFleet({
      ...request.base,
      config: request.config,
      memory: fleetMemory,
      store: () => request.store.fleetStore,
    }),
  probes({ config, base, fleet, nodeClient, tracer }) {
    const probes = createProbes({ ...base, fleet, memory: fleetMemory, nodeClient })
    return tracedProbes(config.hasSandbox ? probes : withSandboxMailHosts(probes), tracer)
  },
  rbl({ config, base, fleet, nodeClient }) {
    const rbl = createRbl({ ...base, fleet, nodeClient })
    return config.hasSandbox ? rbl : withSandboxBlocklists(rbl)
  },
  rdap: ({ base, config }) => createRdap({ ...base, bootstrapUrl: config.rdapBootstrapUrl }),
  web: ({ base, config, dns }) => createWeb({ ...base, dns, sandbox: config.webSandbox }),
  gravatar: ({ base, config }) => createGravatar(config.gravatarUrl, base),
  pages: (request) => createPages(request),
  directories: ({ base, config }) => createDirectories(config.directories, base),
  cache: ({ kvWriter, kvReader, clock, counters }) =>
    countedCache(createResultCache(kvWriter, kvReader, clock.now), counters),
  flags: ({ kvWriter, kvReader, clock }) => createFlagCache(kvWriter, kvReader, clock.now),
  keyLimiters: ({ bindings }) => createKeyLimiters(bindings.KEY_GATE as KeyLimiterNamespace),
  singleFlight: ({ bindings }) => createSingleFlight(bindings.FLIGHT as SingleFlightNamespace),
  memoryRateLimiter: ({ clock }) => createMemoryRateLimiter(minuteMemory, clock),
  disk: ({ bindings, base }) => createDisk(bindings, base),
  chunkQueue: ({ bindings }) => createChunkQueue(bindings.BULK_QUEUE as QueueProducer),
  inbound: ({ base }) => createInboundReaders(base.fetch),
  mailer: ({ config, base }) => createMailer(config, base),
  webhookSender: ({ base, config, dns }) => createWebhookSender({ ...base, dns, rules: config.webhookRules }),
  connectors: ({ config, base }) => createConnectors(config.providerUrls, base),
  listSources: ({ config, base }) => createListSources(config.listSources, base),
  activeRules: (request) => createActiveRules(() => request.store, request.base),
  credentialType: ({ config: { msCredentialUrl: url }, base }) =>
    url === null ? null : createCredentialType(url, base),
  breachService: ({ config: { hibp }, base }) => hibp && createHibp(hibp, base),
  google: ({ config }) => createGoogleIdentity(config),
  payments: ({ config, clock }) => createPayments(config, { now: clock.now, priceMemory }),
  webhookDispatcher: ({ bindings }) => (bindings.WEBHOOK_DISPATCHER as WebhookDispatcher | undefined) ?? null,
  counters: (request) =>
    createBufferedCounters(
      {
        memory: serviceTally,
        pauseMs: 4_000,
        write(counts) {
          const day = dayOf(request.clock.now())
          return request.store.counters.add([...counts].map(([name, count]) => ({ day, name, count })))
        },
      },
      request.base,
    ),
  requestCounters: (request) =>
    createBufferedCounters(
      { memory: requestCounters, pauseMs: 10_000, write: (counts) => request.store.metrics.add(counts) },
      request.base,
    ),
  writeBehind: (request) =>
    createWriteBehind(
      {
        memory: answerMemory,
        bytesOf: bytesOfWrite,
        write: (entries) => request.store.answerWrites.writeAll(entries),
      },
      request.base,
    ),
  database: ({ config, base, background, queueEntry, tracer }) =>
    openDatabase(config.libsql, {
      fetch: base.fetch,
      around: tracedRoundTrip(tracer),
      background,
      queueEntry: () => queueEntry,
    }),
  kvReader: ({ bindings }) => createKvReader(bindings.CACHE as ReadableKv),
  kvWriter: ({ bindings, clock }) => createKvWriter(bindings.CACHE as WritableKv, clock),
}

/** Getters that create an adapter at its first use and replace themselves by it. */
const PROTOTYPE = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(ADAPTERS).map(([name, create]) => {
      function get(this: Values & Adapters) {
        const value = create(this)
        Object.defineProperty(this, name, { value })
        return value
      }
      return [name, { get }]
    }),
  ),
)

/** Creates the adapters of one request. No I/O object outlives it: Workers forbid sharing them between requests. */
export function createContext(config: Config, scope: RequestScope): Context {
  return Object.assign(Object.create(PROTOTYPE) as Adapters, valuesOf(config, scope))
}
