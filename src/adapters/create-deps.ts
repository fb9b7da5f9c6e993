import type { Deps } from "../deps.ts"
import type { Bindings, Config } from "../env.ts"
import { createHibp } from "./breach/hibp.ts"
import { createKvReader, type KvReader, type ReadableKv, type WritableKv } from "./cache/kv-reader.ts"
import { createMarkCache } from "./cache/mark-cache.ts"
import { createResultCache } from "./cache/result-cache.ts"
import type { Courier } from "./courier/courier.ts"
import { createCredentialType } from "./credential-type/ask.ts"
import { createDirectories } from "./directory/configured.ts"
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
import { outboundOf, publicOutboundOf } from "./outbound.ts"
import { createPages } from "./pages/company-pages.ts"
import { createPayments } from "./payments/stripe.ts"
import { jsonLog, randomBytes, randomToken, systemClock } from "./platform.ts"
import { createProbes } from "./probes/ask.ts"
import { createFleet } from "./probes/fleet.ts"
import { FleetMemory } from "./probes/fleet-memory.ts"
import { createNodeDoor } from "./probes/node-door.ts"
import { wayToNode } from "./probes/way-to-node.ts"
import { createChunkQueue, type QueueProducer } from "./queue/chunk-queue.ts"
import { createRbl } from "./rbl/ask.ts"
import { createRdap } from "./rdap/rdap.ts"
import { createOperatorStore } from "./store/admin.ts"
import { createAuditStore } from "./store/audit.ts"
import { createBenchmarkStore } from "./store/benchmarks.ts"
import { createBillingStore } from "./store/billing.ts"
import { createBreachStore } from "./store/breaches.ts"
import { createChargeStore } from "./store/charges.ts"
import { countedCache, countedLists, countedResults } from "./store/counted.ts"
import { createCounterStore } from "./store/counters.ts"
import { type Database, openDatabase } from "./store/database.ts"
import { createDomainKinds } from "./store/domain-kinds.ts"
import { createErasureStore } from "./store/erasure.ts"
import { createFeedbackStore } from "./store/feedback.ts"
import { createFleetStore } from "./store/fleet.ts"
import { createFleetRecords } from "./store/fleet-records.ts"
import { createFormatStore } from "./store/formats.ts"
import { createHistoryStore, dayOf } from "./store/history.ts"
import { createIdempotencyStore } from "./store/idempotency.ts"
import { createSyncStore } from "./store/integration-syncs.ts"
import { createIntegrationStore } from "./store/integrations.ts"
import { createJobChunks } from "./store/job-chunks.ts"
import { createJobIntake } from "./store/job-intake.ts"
import { createJobReportStore } from "./store/job-report.ts"
import { createJobRowStore } from "./store/job-rows.ts"
import { createJobStore } from "./store/jobs.ts"
import { createKeyStore } from "./store/keys.ts"
import { createListOverrideStore } from "./store/list-overrides.ts"
import { createMetricStore } from "./store/metrics.ts"
import { createModelStore } from "./store/models.ts"
import { createNeighbourStore } from "./store/neighbours.ts"
import { createObservationStore } from "./store/observations.ts"
import { createOutboundEventStore } from "./store/outbound-events.ts"
import { createPendingStore } from "./store/pending.ts"
import { createReceiverStore } from "./store/receivers.ts"
import { createRecheckStore } from "./store/rechecks.ts"
import { createResultLists } from "./store/result-lists.ts"
import { createResultStore } from "./store/results.ts"
import { createSessionStore } from "./store/sessions.ts"
import { createSuppressionStore } from "./store/suppression.ts"
import { createTrainingRunStore } from "./store/training-runs.ts"
import { createWebhookDeliveryStore } from "./store/webhook-deliveries.ts"
import { createWebhookSecretStore } from "./store/webhook-secrets.ts"
import { createWebhookStatsStore } from "./store/webhook-stats.ts"
import { createTally, newTallyMemory } from "./tally.ts"
import { tracedDns, tracedProbes, tracedRoundTrip } from "./tracing/traced.ts"
import { createTracer } from "./tracing/tracer.ts"
import { createWeb } from "./web/safe-fetch.ts"
import { createWebhookSender } from "./webhooks/sender.ts"

/** Plain values, so that they may outlive a request: what this isolate knows of the fleet. */
const fleetMemory = new FleetMemory(Math.random)
const freeAnswers = newMinuteMemory()
const [serviceTally, requestTally] = [newTallyMemory(), newTallyMemory()]

export interface RequestContext {
  readonly requestId: string
  readonly bindings: Bindings
  readonly presentCached: Deps["presentCached"]
  readonly background: Deps["background"]
}

/** What adapters are made from, for one request. */
class Making {
  readonly config: Config
  readonly bindings: Bindings
  readonly presentCached: Deps["presentCached"]
  readonly base: Pick<Deps, "clock" | "randomToken" | "randomBytes" | "log" | "background">
  /** The others, for adapters that stand on them. */
  readonly deps: Deps
  readonly request: typeof fetch
  /** To hosts that strangers name. */
  readonly requestPublic: typeof fetch
  #database: Database | null = null
  #reader: KvReader | null = null

  constructor(config: Config, { requestId, bindings, presentCached, background }: RequestContext, deps: Deps) {
    this.config = config
    this.bindings = bindings
    this.request = outboundOf(bindings)
    this.requestPublic = publicOutboundOf(bindings)
    this.presentCached = presentCached
    this.base = { clock: systemClock, randomToken, randomBytes, log: jsonLog({ request_id: requestId }), background }
    this.deps = deps
  }

  get userAgent(): string {
    return `Mailverdict (+${this.config.baseUrl})`
  }

  get database(): Database {
    this.#database ??= openDatabase(this.config.libsql, {
      fetch: this.request,
      around: tracedRoundTrip(this.deps.tracer),
    })
    return this.#database
  }

  get reader(): KvReader {
    this.#reader ??= createKvReader(this.bindings.CACHE as ReadableKv)
    return this.#reader
  }
}

/** How each is made. */
const MAKERS: { readonly [K in keyof Deps]: (making: Making) => Deps[K] } = {
  clock: ({ base }) => base.clock,
  randomToken: ({ base }) => base.randomToken,
  randomBytes: ({ base }) => base.randomBytes,
  log: ({ base }) => base.log,
  tracer: ({ config, base, request }) => createTracer(config.traces, { ...base, fetch: request }),
  background: ({ base }) => base.background,
  digests: ({ config }) => config.digests,
  sealer: ({ config }) => config.sealer,
  dns: ({ config, base, request, deps }) =>
    tracedDns(createDns({ urls: config.dohUrls, fetch: request, now: base.clock.now }), deps.tracer),
  nodeDoor: ({ config, base, request, requestPublic }) => {
    const fetch = wayToNode(config, { fetch: request, fetchPublic: requestPublic })
    return createNodeDoor({ config, ...base, fetch })
  },
  fleet: ({ config, base, deps }) =>
    createFleet({ ...base, config, memory: fleetMemory, store: () => deps.fleetStore }),
  actor: () => ({ accountId: null }),
  probes: ({ base, deps }) =>
    tracedProbes(
      createProbes(
        { ...base, fleet: deps.fleet, memory: fleetMemory, door: deps.nodeDoor },
        () => deps.actor.accountId,
      ),
      deps.tracer,
    ),
  rbl: ({ base, deps }) => createRbl({ ...base, fleet: deps.fleet, door: deps.nodeDoor }),
  fleetStore: ({ database }) => createFleetStore(database),
  fleetRecords: ({ database }) => createFleetRecords(database),
  fleetRules: ({ config }) => config.fleetRules,
  edgePublicKey: ({ config }) => config.edgePublicKey,
  canaryEveryMs: ({ config }) => config.canaryEveryMs,
  rdap: ({ config, base, request }) =>
    createRdap({ bootstrapUrl: config.rdapBootstrapUrl, fetch: request, clock: base.clock }),
  web: ({ config, request, requestPublic, userAgent, deps }) =>
    createWeb({
      dns: deps.dns,
      fetch: requestPublic,
      fetchSandbox: request,
      sandbox: config.webSandbox,
      userAgent,
    }),
  gravatar: ({ config, base, request }) => createGravatar(config.gravatarUrl, { fetch: request, clock: base.clock }),
  pages: ({ base, deps }) => createPages({ web: deps.web, clock: base.clock }),
  formats: ({ database }) => createFormatStore(database),
  domainKinds: ({ database }) => createDomainKinds(database),
  credentialType: ({ config, base, request }) => {
    const url = config.msCredentialUrl
    return url === null ? null : createCredentialType(url, { fetch: request, clock: base.clock })
  },
  results: ({ base, database, deps }) => countedResults(createResultStore(database), { tally: deps.tally, ...base }),
  resultLists: ({ base, database, deps }) => countedLists(createResultLists(database), { tally: deps.tally, ...base }),
  jobs: ({ database }) => createJobStore(database),
  jobIntake: ({ database }) => createJobIntake(database),
  jobChunks: ({ database }) => createJobChunks(database),
  jobReports: ({ database }) => createJobReportStore(database),
  jobRows: ({ database }) => createJobRowStore(database),
  chunkQueue: ({ bindings }) => createChunkQueue(bindings.BULK_QUEUE as QueueProducer),
  bulk: ({ config }) => config.bulk,
  cache: ({ base, bindings, reader, deps }) =>
    countedCache(createResultCache(bindings.CACHE as WritableKv, reader, base.clock.now), deps.tally),
  marks: ({ base, bindings, reader }) => createMarkCache(bindings.CACHE as WritableKv, reader, base.clock.now),
  suppressions: ({ database }) => createSuppressionStore(database),
  feedback: ({ database }) => createFeedbackStore(database),
  receivers: ({ database }) => createReceiverStore(database),
  inbound: ({ request }) => createInboundReaders(request),
  presentCached: ({ presentCached }) => presentCached,
  keys: ({ database }) => createKeyStore(database),
  sessions: ({ base, database }) => createSessionStore(database, base.clock),
  history: ({ database }) => createHistoryStore(database),
  freeAnswers: ({ base }) => createMinuteBook(freeAnswers, base.clock),
  mailer: ({ config, request, userAgent }) => createMailer(config, { fetch: request, userAgent }),
  google: ({ config }) => createGoogleIdentity(config),
  recheckDelaysMs: ({ config }) => config.recheckDelaysMs,
  rechecks: ({ database }) => createRecheckStore(database),
  idempotency: ({ database }) => createIdempotencyStore(database),
  billing: ({ database }) => createBillingStore(database),
  payments: ({ config }) => createPayments(config),
  charges: ({ database }) => createChargeStore(database),
  flights: ({ bindings }) => createFlights(bindings.FLIGHT as FlightNamespace),
  gates: ({ bindings }) => createGates(bindings.KEY_GATE as GateNamespace),
  meter: ({ deps }) => createMeter(deps),
  limits: ({ config }) => config.limits,
  adminSecret: ({ config }) => config.adminSecret,
  clientIpHeader: ({ config }) => config.clientIpHeader,
  logLevel: ({ config }) => config.logLevel,
  baseUrl: ({ config }) => config.baseUrl,
  neighbours: ({ database }) => createNeighbourStore(database),
  models: ({ base, database }) => createModelStore(database, base.clock),
  trainingRuns: ({ database }) => createTrainingRunStore(database),
  observations: ({ database }) => createObservationStore(database),
  trustedAccounts: ({ config }) => config.trustedAccounts,
  benchmarks: ({ database }) => createBenchmarkStore(database),
  pending: ({ database }) => createPendingStore(database),
  breaches: ({ database }) => createBreachStore(database),
  breachService: ({ config, base, request, userAgent }) =>
    config.hibp && createHibp({ ...config.hibp, userAgent }, { fetch: request, clock: base.clock, log: base.log }),
  directories: ({ config, base, request }) => createDirectories(config.directories, { fetch: request, ...base }),
  outboundEvents: ({ database }) => createOutboundEventStore(database),
  webhookRules: ({ config }) => config.webhookRules,
  webhookDeliveries: ({ database }) => createWebhookDeliveryStore(database),
  webhookSecrets: ({ database }) => createWebhookSecretStore(database),
  webhookStats: ({ database }) => createWebhookStatsStore(database),
  webhookSender: ({ config, base, request, requestPublic, userAgent, deps }) => {
    const { webhookRules: rules } = config
    const ways = { fetch: requestPublic, fetchExempt: request }
    return createWebhookSender({ dns: deps.dns, ...ways, ...base, rules, userAgent })
  },
  courier: ({ bindings }) => (bindings.COURIER as Courier | undefined) ?? null,
  integrations: ({ database }) => createIntegrationStore(database),
  integrationSyncs: ({ database }) => createSyncStore(database),
  providerPlaces: ({ config }) => config.providerPlaces,
  connectors: ({ config, base, request, userAgent }) =>
    createConnectors(config.providerPlaces, { fetch: request, clock: base.clock, userAgent }),
  audit: ({ base, database }) => createAuditStore(database, base.clock),
  counters: ({ database }) => createCounterStore(database),
  tally: ({ base, deps }) =>
    createTally(
      {
        memory: serviceTally,
        pauseMs: 4_000,
        write: (counts) => {
          const day = dayOf(base.clock.now())
          return deps.counters.add([...counts].map(([name, count]) => ({ day, name, count })))
        },
      },
      base,
    ),
  requestTally: ({ base, deps }) =>
    createTally({ memory: requestTally, pauseMs: 10_000, write: (counts) => deps.metrics.add(counts) }, base),
  metrics: ({ database }) => createMetricStore(database),
  operator: ({ database }) => createOperatorStore(database),
  erasure: ({ database }) => createErasureStore(database),
  listOverrides: ({ database }) => createListOverrideStore(database),
  listSources: ({ config, request }) => createListSources(config.listSources, { fetch: request }),
  currentLists: ({ base, deps }) => createCurrentLists(() => deps.listOverrides, base),
}

/** Adapters by name, each made when it is first touched: most requests need a few, and all cost more than a cached answer. */
class LazyDeps {
  readonly made: { -readonly [K in keyof Deps]?: Deps[K] } = {}
  readonly making: Making

  constructor(config: Config, context: RequestContext) {
    this.making = new Making(config, context, this as unknown as Deps) // the getters below make it so
  }
}
for (const [name, make] of Object.entries(MAKERS))
  Object.defineProperty(LazyDeps.prototype, name, {
    get(this: LazyDeps) {
      const made = this.made as Record<string, unknown>
      if (made[name] === undefined) made[name] = make(this.making)
      return made[name]
    },
  })

/** The adapters of one request. Nothing that does I/O outlives it: Workers forbid sharing I/O between requests. */
export function createDeps(config: Config, context: RequestContext): Deps {
  return new LazyDeps(config, context) as unknown as Deps
}
