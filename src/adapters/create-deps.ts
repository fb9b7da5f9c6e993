import { type Deps, SETTINGS } from "../deps.ts"
import { dayOf } from "../domain/time.ts"
import type { Bindings, Config } from "../env.ts"
import { createHibp } from "./breach/hibp.ts"
import { createKvReader, type KvReader, type ReadableKv, type WritableKv } from "./cache/kv-reader.ts"
import { createKvWriter } from "./cache/kv-writer.ts"
import { createMarkCache } from "./cache/mark-cache.ts"
import { createResultCache } from "./cache/result-cache.ts"
import type { Courier } from "./courier/courier.ts"
import { createCredentialType } from "./credential-type/credential-type.ts"
import { createDirectories } from "./directory/directories.ts"
import { createDns } from "./dns/resolver.ts"
import { createFlights, type FlightNamespace } from "./flights/flights.ts"
import { createGravatar } from "./gravatar/gravatar.ts"
import { createGoogleIdentity } from "./identity/google.ts"
import { createInboundReaders } from "./inbound/readers.ts"
import { createConnectors } from "./integrations/connect.ts"
import { createGates, type GateNamespace } from "./keygate/gates.ts"
import { createMeter } from "./keygate/meter.ts"
import { createCurrentLists } from "./lists/current-lists.ts"
import { createListSources } from "./lists/list-sources.ts"
import { createMailer } from "./mailer/mailer.ts"
import { createMinuteBook, newMinuteMemory } from "./minute-book.ts"
import { outboundOf, publicOutboundOf, type Ways } from "./outbound.ts"
import { createPages } from "./pages/company-pages.ts"
import { createPayments } from "./payments/stripe.ts"
import { jsonLog, randomBytes, randomToken, systemClock } from "./platform.ts"
import { createFleet } from "./probes/fleet.ts"
import { FleetMemory } from "./probes/fleet-memory.ts"
import { createNodeDoor } from "./probes/node-door.ts"
import { createProbes } from "./probes/probes.ts"
import { wayToNode } from "./probes/way-to-node.ts"
import { createChunkQueue, type QueueProducer } from "./queue/chunk-queue.ts"
import { createRbl } from "./rbl/rbl.ts"
import { createRdap } from "./rdap/rdap.ts"
import { countedCache, countedLists, countedResults } from "./store/counted.ts"
import { type Database, openDatabase } from "./store/database.ts"
import { createResultLists } from "./store/result-lists.ts"
import { createResultStore } from "./store/results.ts"
import { STORES, type Stores } from "./store/stores.ts"
import { createTally, newTallyMemory } from "./tally.ts"
import { tracedDns, tracedProbes, tracedRoundTrip } from "./tracing/traced.ts"
import { createTracer } from "./tracing/tracer.ts"
import { createWeb } from "./web/safe-fetch.ts"
import { createWebhookSender } from "./webhooks/sender.ts"

/** Plain values, so that they may outlive a request: what this isolate knows of the fleet. */
const fleetMemory = new FleetMemory(Math.random)
const minuteMemory = newMinuteMemory()
const [serviceTally, requestTally] = [newTallyMemory(), newTallyMemory()]

type Base = Pick<Deps, "clock" | "randomToken" | "randomBytes" | "log" | "background" | "presentCached">

export interface RequestContext extends Pick<Base, "background" | "presentCached"> {
  readonly requestId: string
  readonly bindings: Bindings
}

/** What adapters are made from, for one request. */
class Making {
  readonly config: Config
  readonly bindings: Bindings
  /** What needs nothing else, and how calls leave. */
  readonly base: Base & Ways & { readonly fetch: typeof fetch; readonly userAgent: string }
  /** The others, for adapters that stand on them. */
  readonly deps: Deps
  #database: Database | null = null
  #reader: KvReader | null = null

  constructor(config: Config, { requestId, bindings, presentCached, background }: RequestContext, deps: Deps) {
    this.config = config
    this.bindings = bindings
    this.base = {
      clock: systemClock,
      randomToken,
      randomBytes,
      log: jsonLog({ request_id: requestId }),
      background,
      presentCached,
      fetch: outboundOf(bindings),
      fetchPublic: publicOutboundOf(bindings),
      userAgent: `Mailverdict (+${config.baseUrl})`,
    }
    this.deps = deps
  }

  get database(): Database {
    this.#database ??= openDatabase(this.config.libsql, {
      fetch: this.base.fetch,
      around: tracedRoundTrip(this.deps.tracer),
    })
    return this.#database
  }

  get reader(): KvReader {
    this.#reader ??= createKvReader(this.bindings.CACHE as ReadableKv)
    return this.#reader
  }

  get writer(): WritableKv {
    return createKvWriter(this.bindings.CACHE as WritableKv, this.base.clock)
  }
}

type Setting = (typeof SETTINGS)[number]

/** How each is made that is no setting and no plain store. */
const MAKERS: { readonly [K in Exclude<keyof Deps, Setting | keyof Stores>]: (making: Making) => Deps[K] } = {
  clock: ({ base }) => base.clock,
  randomToken: ({ base }) => base.randomToken,
  randomBytes: ({ base }) => base.randomBytes,
  log: ({ base }) => base.log,
  background: ({ base }) => base.background,
  presentCached: ({ base }) => base.presentCached,
  tracer: ({ config, base }) => createTracer(config.traces, base),
  dns: ({ config, base, deps }) =>
    tracedDns(createDns({ urls: config.dohUrls, fetch: base.fetch, now: base.clock.now }), deps.tracer),
  nodeDoor: ({ config, base }) => createNodeDoor({ ...base, config, fetch: wayToNode(config, base) }),
  fleet: ({ config, base, deps }) =>
    createFleet({ ...base, config, memory: fleetMemory, store: () => deps.fleetStore }),
  actor: () => ({ accountId: null }),
  probes: ({ base, deps }) => {
    const needs = { ...base, fleet: deps.fleet, memory: fleetMemory, door: deps.nodeDoor }
    return tracedProbes(
      createProbes(needs, () => deps.actor.accountId),
      deps.tracer,
    )
  },
  rbl: ({ base, deps }) => createRbl({ ...base, fleet: deps.fleet, door: deps.nodeDoor }),
  rdap: ({ config, base }) => createRdap({ ...base, bootstrapUrl: config.rdapBootstrapUrl }),
  web: ({ config, base, deps }) => createWeb({ ...base, dns: deps.dns, sandbox: config.webSandbox }),
  gravatar: ({ config, base }) => createGravatar(config.gravatarUrl, base),
  pages: ({ deps }) => createPages(deps),
  credentialType: ({ config, base }) => {
    const { msCredentialUrl: url } = config
    return url === null ? null : createCredentialType(url, base)
  },
  results: ({ database, deps }) => countedResults(createResultStore(database), deps),
  resultLists: ({ database, deps }) => countedLists(createResultLists(database), deps),
  chunkQueue: ({ bindings }) => createChunkQueue(bindings.BULK_QUEUE as QueueProducer),
  cache: ({ base, writer, reader, deps }) =>
    countedCache(createResultCache(writer, reader, base.clock.now), deps.tally),
  marks: ({ base, writer, reader }) => createMarkCache(writer, reader, base.clock.now),
  inbound: ({ base }) => createInboundReaders(base.fetch),
  minuteBook: ({ base }) => createMinuteBook(minuteMemory, base.clock),
  mailer: ({ config, base }) => createMailer(config, base),
  google: ({ config }) => createGoogleIdentity(config),
  payments: ({ config }) => createPayments(config),
  flights: ({ bindings }) => createFlights(bindings.FLIGHT as FlightNamespace),
  gates: ({ bindings }) => createGates(bindings.KEY_GATE as GateNamespace),
  meter: ({ deps }) => createMeter(deps),
  breachService: ({ config, base }) => config.hibp && createHibp(config.hibp, base),
  directories: ({ config, base }) => createDirectories(config.directories, base),
  webhookSender: ({ config, base, deps }) =>
    createWebhookSender({ ...base, dns: deps.dns, rules: config.webhookRules }),
  courier: ({ bindings }) => (bindings.COURIER as Courier | undefined) ?? null,
  connectors: ({ config, base }) => createConnectors(config.providerPlaces, base),
  tally: ({ base, deps }) => {
    const write = (counts: ReadonlyMap<string, number>) => {
      const day = dayOf(base.clock.now())
      return deps.counters.add([...counts].map(([name, count]) => ({ day, name, count })))
    }
    return createTally({ memory: serviceTally, pauseMs: 4_000, write }, base)
  },
  requestTally: ({ base, deps }) =>
    createTally({ memory: requestTally, pauseMs: 10_000, write: (counts) => deps.metrics.add(counts) }, base),
  listSources: ({ config, base }) => createListSources(config.listSources, base),
  currentLists: ({ base, deps }) => createCurrentLists(() => deps.listOverrides, base),
}

/** Adapters by name, each made when it is first touched: most requests need a few, and all cost more than a cached answer. */
class LazyDeps {
  readonly made: { [name: string]: unknown } = {}
  readonly making: Making

  constructor(config: Config, context: RequestContext) {
    this.making = new Making(config, context, this as unknown as Deps) // the getters below make it so
  }
}

function makeWhenTouched(name: string, make: (making: Making) => unknown): void {
  Object.defineProperty(LazyDeps.prototype, name, {
    get(this: LazyDeps) {
      if (this.made[name] === undefined) this.made[name] = make(this.making)
      return this.made[name]
    },
  })
}
for (const [name, make] of Object.entries(MAKERS)) makeWhenTouched(name, make)
for (const name of SETTINGS) makeWhenTouched(name, ({ config }) => config[name])
for (const [name, create] of Object.entries(STORES))
  makeWhenTouched(name, ({ database, base }) => create(database, base.clock))

/** The adapters of one request. Nothing that does I/O outlives it: Workers forbid sharing I/O between requests. */
export function createDeps(config: Config, context: RequestContext): Deps {
  return new LazyDeps(config, context) as unknown as Deps
}
