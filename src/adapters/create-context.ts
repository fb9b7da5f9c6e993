import type { Context } from "../context.ts"
import { CredentialMemory } from "../domain/accounts/credentials.ts"
import { dayOf } from "../domain/time.ts"
import type { Bindings, Config } from "../env.ts"
import { createPayments } from "./accounts/create-payments.ts"
import { createGoogleIdentity, type GoogleIdentity } from "./accounts/google-identity.ts"
import {
  createBodyMemory,
  createMemoryRateLimiter,
  type MemoryRateLimiter,
  newRateLimiterMemory,
} from "./accounts/isolate-limits.ts"
import { createKeyLimiters, type KeyLimiterNamespace, type KeyLimiters } from "./accounts/key-limiters.ts"
import { createMailer, type Mailer } from "./accounts/mailer.ts"
import { newPriceMemory, type Payments } from "./accounts/payments.ts"
import {
  type BufferedCounters,
  countedCache,
  createBufferedCounters,
  newCounterMemory,
} from "./admin/counter-buffer.ts"
import { createDisk, type Disk, newDatabaseMemory } from "./admin/installation-state.ts"
import { createKvReader, createKvWriter, type KvReader, type ReadableKv, type WritableKv } from "./cache.ts"
import { createDns, type Dns } from "./dns/resolver.ts"
import { createLookup, type Lookup } from "./external-calls.ts"
import { createFleet, createProbes, createRbl, type Fleet, type Probes, type Rbl } from "./fleet/fleet.ts"
import { FleetMemory } from "./fleet/fleet-memory.ts"
import { createNodeClient, type NodeClient, nodeFetch } from "./fleet/node-client.ts"
import { type Connectors, createConnectors } from "./integrations/connect.ts"
import { type ChunkQueue, createChunkQueue, type QueueProducer } from "./lists/chunk-queue.ts"
import { TABLES } from "./lists/tables.ts"
import { type OutboundFetch, outboundOf, publicOutboundOf, unreachableLog } from "./outbound.ts"
import { jsonLog, type Log, randomBytes, randomToken, systemClock } from "./platform.ts"
import { type ActiveRules, createActiveRules } from "./reference/active-rules.ts"
import { createListSources, type ListSources } from "./reference/list-sources.ts"
import { type CredentialType, createCredentialType, createGravatar, type Gravatar } from "./signals/account-lookup.ts"
import { type BreachSource, createHibp } from "./signals/breach-source.ts"
import { createRdap, type Rdap } from "./signals/rdap.ts"
import { type Database, openDatabase, type Turn, UNKNOWN_QUEUE } from "./store/database.ts"
import { RequestStores, type Stores } from "./store/stores.ts"
import { type AnswerWrite, type AnswerWriteStore, bytesOfWrite } from "./store/verification/answer-writes.ts"
import { createFlagCache, type FlagCache } from "./suppression/flag-cache.ts"
import { createInboundReaders, type InboundReaders } from "./suppression/inbound-readers.ts"
import { createTracer, type Tracer, tracedDns, tracedProbes, tracedRoundTrip } from "./tracing.ts"
import { createDirectories, type Directories } from "./verification/directories.ts"
import { createFailedFacts, createResultCache, type ResultCache } from "./verification/result-cache.ts"
import { createSingleFlight, type SingleFlight, type SingleFlightNamespace } from "./verification/single-flight.ts"
import { createWriteBehind, newWriteBehindMemory, type WriteBehind } from "./verification/write-behind.ts"
import { createPages, createWeb, type Pages, type Web } from "./web-pages.ts"
import { createWebhookSender, type WebhookDispatcher, type WebhookSender } from "./webhooks/webhook-sender.ts"

/** Plain values that outlive a request: what this isolate knows of the fleet and the database, and its counters. */
const fleetMemory = new FleetMemory(Math.random)
const [databaseMemory, failedFacts] = [newDatabaseMemory(), createFailedFacts(systemClock.now)]
const [bodyMemory, knownCredentials] = [createBodyMemory(), new CredentialMemory()]
const [minuteMemory, priceMemory] = [newRateLimiterMemory(), newPriceMemory()]
const answerMemory = newWriteBehindMemory<AnswerWrite>()
const [serviceTally, requestCounters] = [newCounterMemory(), newCounterMemory()]

type AdapterBase = Pick<Context, "clock" | "randomToken" | "randomBytes" | "log" | "background"> &
  OutboundFetch & { readonly fetch: typeof fetch; readonly lookUp: Lookup; readonly userAgent: string }

interface RequestScope {
  readonly requestId: string
  readonly bindings: Bindings
  readonly background: (work: Promise<unknown>) => void
  /** The caller's queue for the database, until the caller is known. */
  readonly queue?: string
}

/** Creates the adapters of one request. No I/O object outlives it: Workers forbid sharing them between requests. */
export function createContext(config: Config, scope: RequestScope): Context {
  return new RequestContext(config, scope)
}

/** The adapters of one request. Each is created on use: all of them cost more than a cached answer. Those with state are kept. */
class RequestContext implements Context {
  readonly config: Config
  readonly clock = systemClock
  readonly randomToken = randomToken
  readonly randomBytes = randomBytes
  readonly log: Log
  readonly background: (work: Promise<unknown>) => void
  readonly turn: Turn
  readonly digests: Config["digests"]
  readonly sealer: Config["sealer"]
  readonly tables = TABLES
  readonly databaseMemory = databaseMemory
  readonly failedFacts = failedFacts
  readonly bodyMemory = bodyMemory
  readonly knownCredentials = knownCredentials
  readonly #bindings: Bindings
  /** What adapters are created from, and how calls leave. */
  readonly #base: AdapterBase
  #store: Stores | undefined
  #tracer: Tracer | undefined
  #dns: Dns | undefined
  #nodeClient: NodeClient | undefined
  #fleet: Fleet | undefined
  #probes: Probes | undefined
  #rbl: Rbl | undefined
  #rdap: Rdap | undefined
  #web: Web | undefined
  #directories: Directories | undefined
  #cache: ResultCache | undefined
  #flags: FlagCache | undefined
  #keyLimiters: KeyLimiters | undefined
  #activeRules: ActiveRules | undefined
  #database: Database | undefined
  #kv: KvReader | undefined
  #counters: BufferedCounters | undefined
  #requestCounters: BufferedCounters | undefined
  #writeBehind: WriteBehind<AnswerWrite> | undefined

  constructor(config: Config, { requestId, bindings, background, queue = UNKNOWN_QUEUE }: RequestScope) {
    const log = jsonLog({ request_id: requestId })
    const fetch = outboundOf(bindings, unreachableLog(log, systemClock))
    this.config = config
    this.log = log
    this.background = background
    this.turn = { queue, since: systemClock.now(), deadlineAt: 0 }
    this.digests = config.digests
    this.sealer = config.sealer
    this.#bindings = bindings
    this.#base = {
      clock: systemClock,
      randomToken,
      randomBytes,
      log,
      background,
      fetch,
      fetchPublic: publicOutboundOf(bindings),
      lookUp: createLookup(fetch),
      userAgent: `Mailverdict (+${config.baseUrl})`,
    }
  }

  get store(): Stores {
    this.#store ??= new RequestStores(this)
    return this.#store
  }
  get tracer(): Tracer {
    this.#tracer ??= createTracer(this.config.traces, this.#base)
    return this.#tracer
  }
  get dns(): Dns {
    this.#dns ??= tracedDns(
      createDns({ urls: this.config.dohUrls, fetch: this.#base.fetch, now: this.clock.now }),
      this.tracer,
    )
    return this.#dns
  }
  get nodeClient(): NodeClient {
    this.#nodeClient ??= createNodeClient({
      ...this.#base,
      config: this.config,
      fetch: nodeFetch(this.config, this.#base),
    })
    return this.#nodeClient
  }
  get fleet(): Fleet {
    this.#fleet ??= createFleet({
      ...this.#base,
      config: this.config,
      memory: fleetMemory,
      store: () => this.store.fleetStore,
    })
    return this.#fleet
  }
  get probes(): Probes {
    this.#probes ??= tracedProbes(
      createProbes({ ...this.#base, fleet: this.fleet, memory: fleetMemory, nodeClient: this.nodeClient }),
      this.tracer,
    )
    return this.#probes
  }
  get rbl(): Rbl {
    this.#rbl ??= createRbl({ ...this.#base, fleet: this.fleet, nodeClient: this.nodeClient })
    return this.#rbl
  }
  get rdap(): Rdap {
    this.#rdap ??= createRdap({ ...this.#base, bootstrapUrl: this.config.rdapBootstrapUrl })
    return this.#rdap
  }
  get web(): Web {
    this.#web ??= createWeb({ ...this.#base, dns: this.dns, sandbox: this.config.webSandbox })
    return this.#web
  }
  get gravatar(): Gravatar {
    return createGravatar(this.config.gravatarUrl, this.#base)
  }
  get pages(): Pages {
    return createPages(this)
  }
  get directories(): Directories {
    this.#directories ??= createDirectories(this.config.directories, this.#base)
    return this.#directories
  }
  get cache(): ResultCache {
    this.#cache ??= countedCache(createResultCache(this.#kvWriter, this.#kvReader, this.clock.now), this.counters)
    return this.#cache
  }
  get flags(): FlagCache {
    this.#flags ??= createFlagCache(this.#kvWriter, this.#kvReader, this.clock.now)
    return this.#flags
  }
  get keyLimiters(): KeyLimiters {
    this.#keyLimiters ??= createKeyLimiters(this.#bindings.KEY_GATE as KeyLimiterNamespace)
    return this.#keyLimiters
  }
  get singleFlight(): SingleFlight {
    return createSingleFlight(this.#bindings.FLIGHT as SingleFlightNamespace)
  }
  get memoryRateLimiter(): MemoryRateLimiter {
    return createMemoryRateLimiter(minuteMemory, this.clock)
  }
  get disk(): Disk {
    return createDisk(this.#bindings, this)
  }
  get chunkQueue(): ChunkQueue {
    return createChunkQueue(this.#bindings.BULK_QUEUE as QueueProducer)
  }
  get inbound(): InboundReaders {
    return createInboundReaders(this.#base.fetch)
  }
  get mailer(): Mailer {
    return createMailer(this.config, this.#base)
  }
  get webhookSender(): WebhookSender {
    return createWebhookSender({ ...this.#base, dns: this.dns, rules: this.config.webhookRules })
  }
  get connectors(): Connectors {
    return createConnectors(this.config.providerUrls, this.#base)
  }
  get listSources(): ListSources {
    return createListSources(this.config.listSources, this.#base)
  }
  get activeRules(): ActiveRules {
    this.#activeRules ??= createActiveRules(() => this.store, this.#base)
    return this.#activeRules
  }
  get credentialType(): CredentialType | null {
    const { msCredentialUrl: url } = this.config
    return url === null ? null : createCredentialType(url, this.#base)
  }
  get breachService(): BreachSource | null {
    return this.config.hibp && createHibp(this.config.hibp, this.#base)
  }
  get google(): GoogleIdentity | null {
    return createGoogleIdentity(this.config)
  }
  get payments(): Payments | null {
    return createPayments(this.config, { now: this.clock.now, priceMemory })
  }
  get webhookDispatcher(): WebhookDispatcher | null {
    return (this.#bindings.WEBHOOK_DISPATCHER as WebhookDispatcher | undefined) ?? null
  }
  get counters(): BufferedCounters {
    const write = (counts: ReadonlyMap<string, number>) => {
      const day = dayOf(this.clock.now())
      return this.store.counters.add([...counts].map(([name, count]) => ({ day, name, count })))
    }
    this.#counters ??= createBufferedCounters({ memory: serviceTally, pauseMs: 4_000, write }, this.#base)
    return this.#counters
  }
  get requestCounters(): BufferedCounters {
    const write = (counts: ReadonlyMap<string, number>) => this.store.metrics.add(counts)
    this.#requestCounters ??= createBufferedCounters({ memory: requestCounters, pauseMs: 10_000, write }, this.#base)
    return this.#requestCounters
  }

  get writeBehind(): WriteBehind<AnswerWrite> {
    const write: AnswerWriteStore["writeAll"] = (entries) => this.store.answerWrites.writeAll(entries)
    this.#writeBehind ??= createWriteBehind({ memory: answerMemory, bytesOf: bytesOfWrite, write }, this.#base)
    return this.#writeBehind
  }
  get database(): Database {
    const around = tracedRoundTrip(this.tracer)
    const { background, turn } = this
    this.#database ??= openDatabase(this.config.libsql, {
      fetch: this.#base.fetch,
      around,
      background,
      turn: () => turn,
    })
    return this.#database
  }
  get #kvReader(): KvReader {
    this.#kv ??= createKvReader(this.#bindings.CACHE as ReadableKv)
    return this.#kv
  }
  get #kvWriter(): WritableKv {
    return createKvWriter(this.#bindings.CACHE as WritableKv, this.clock)
  }
}
