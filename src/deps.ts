import type { BreachSource } from "./adapters/breach/breach-source.ts"
import { createHibp } from "./adapters/breach/hibp.ts"
import { type BulkKvNamespace, createMarkCache, type MarkCache } from "./adapters/cache/mark-cache.ts"
import {
  createResultCache,
  type KvNamespace,
  type PresentedResult,
  type ResultCache,
} from "./adapters/cache/result-cache.ts"
import { type CredentialType, createCredentialType } from "./adapters/credential-type/ask.ts"
import { createDirectories, type Directories } from "./adapters/directory/configured.ts"
import { createDns, type Dns } from "./adapters/dns/resolver.ts"
import { createFlights, type FlightNamespace, type Flights } from "./adapters/flights/flights.ts"
import { createGravatar, type Gravatar } from "./adapters/gravatar/gravatar.ts"
import { createGoogleIdentity, type GoogleIdentity } from "./adapters/identity/google.ts"
import { createInboundReaders, type InboundReaders } from "./adapters/inbound/readers.ts"
import { createGates, type GateNamespace, type Gates } from "./adapters/keygate/gates.ts"
import { createMeter, type Meter } from "./adapters/keygate/meter.ts"
import { createMailer, type Mailer } from "./adapters/mailer/mailer.ts"
import { createPages, type Pages } from "./adapters/pages/company-pages.ts"
import { type Clock, jsonLog, type Log, randomBytes, randomToken, systemClock } from "./adapters/platform.ts"
import { createProbes, type Probes } from "./adapters/probes/ask.ts"
import { type ChunkQueue, createChunkQueue, type QueueProducer } from "./adapters/queue/chunk-queue.ts"
import { createRbl, type Rbl } from "./adapters/rbl/ask.ts"
import { createRdap, type Rdap } from "./adapters/rdap/rdap.ts"
import { type BreachStore, createBreachStore } from "./adapters/store/breaches.ts"
import { type ChargeStore, createChargeStore } from "./adapters/store/charges.ts"
import { type Database, openDatabase } from "./adapters/store/database.ts"
import { createFeedbackStore, type FeedbackStore } from "./adapters/store/feedback.ts"
import { createFormatStore, type FormatStore } from "./adapters/store/formats.ts"
import { createHistoryStore, type HistoryStore } from "./adapters/store/history.ts"
import { createIdempotencyStore, type IdempotencyStore } from "./adapters/store/idempotency.ts"
import { createJobChunks, type JobChunks } from "./adapters/store/job-chunks.ts"
import { createJobIntake, type JobIntake } from "./adapters/store/job-intake.ts"
import { createJobReportStore, type JobReportStore } from "./adapters/store/job-report.ts"
import { createJobRowStore, type JobRowStore } from "./adapters/store/job-rows.ts"
import { createJobStore, type JobStore } from "./adapters/store/jobs.ts"
import { createKeyStore, type KeyStore } from "./adapters/store/keys.ts"
import { createNeighbourStore, type NeighbourStore } from "./adapters/store/neighbours.ts"
import { createOutboundEventStore, type OutboundEventStore } from "./adapters/store/outbound-events.ts"
import { createPendingStore, type PendingStore } from "./adapters/store/pending.ts"
import { createReceiverStore, type ReceiverStore } from "./adapters/store/receivers.ts"
import { createRecheckStore, type RecheckStore } from "./adapters/store/rechecks.ts"
import { createResultLists, type ResultLists } from "./adapters/store/result-lists.ts"
import { createResultStore, type ResultStore } from "./adapters/store/results.ts"
import { createSessionStore, type SessionStore } from "./adapters/store/sessions.ts"
import { createSuppressionStore, type SuppressionStore } from "./adapters/store/suppression.ts"
import { createWebhookDeliveryStore, type WebhookDeliveryStore } from "./adapters/store/webhook-deliveries.ts"
import { createWebhookSecretStore, type WebhookSecretStore } from "./adapters/store/webhook-secrets.ts"
import { createWebhookStatsStore, type WebhookStatsStore } from "./adapters/store/webhook-stats.ts"
import { createWeb, type Web } from "./adapters/web/safe-fetch.ts"
import { createWebhookSender, type WebhookSender } from "./adapters/webhooks/sender.ts"
import type { Digests } from "./domain/keys/digest.ts"
import type { Sealer } from "./domain/keys/seal.ts"
import type { Verification } from "./domain/verdict/verification.ts"
import type { Bindings, Config } from "./env.ts"

/** Everything outside the service, one field each. Services name what they touch with `Pick<Deps, ...>`. */
export interface Deps {
  readonly clock: Clock
  readonly randomToken: () => string
  readonly randomBytes: (n: number) => Uint8Array
  readonly log: Log
  readonly digests: Digests
  readonly sealer: Sealer
  readonly dns: Dns
  readonly probes: Probes
  readonly rbl: Rbl
  readonly rdap: Rdap
  readonly web: Web
  readonly gravatar: Gravatar
  readonly pages: Pages
  readonly formats: FormatStore
  /** Null when it is not switched on. */
  readonly credentialType: CredentialType | null
  readonly results: ResultStore
  readonly resultLists: ResultLists
  readonly jobs: JobStore
  readonly jobIntake: JobIntake
  readonly jobChunks: JobChunks
  readonly jobRows: JobRowStore
  readonly jobReports: JobReportStore
  readonly chunkQueue: ChunkQueue
  readonly bulk: Config["bulk"]
  readonly cache: ResultCache
  /** What accounts and the operator know about addresses, as the edge reads it. */
  readonly marks: MarkCache
  readonly suppressions: SuppressionStore
  readonly feedback: FeedbackStore
  readonly receivers: ReceiverStore
  readonly inbound: InboundReaders
  /** A result as the cache keeps it; presenting is the business of a floor above. */
  readonly presentCached: (verification: Verification) => PresentedResult
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly history: HistoryStore
  readonly mailer: Mailer
  /** Null when sign-in by Google is not configured. */
  readonly google: GoogleIdentity | null
  readonly charges: ChargeStore
  readonly idempotency: IdempotencyStore
  readonly rechecks: RecheckStore
  readonly recheckDelaysMs: Config["recheckDelaysMs"]
  readonly gates: Gates
  readonly flights: Flights
  /** Counts the caller's work; before the guard has run, and in background work, nothing is counted. */
  readonly meter: Meter
  readonly limits: Config["limits"]
  readonly adminSecret: string | null
  readonly clientIpHeader: string
  /** "warn": only what went wrong is logged. */
  readonly logLevel: Config["logLevel"]
  readonly baseUrl: string
  /** Keeps work running after the answer has been sent. */
  readonly background: (work: Promise<unknown>) => void
  readonly pending: PendingStore
  readonly neighbours: NeighbourStore
  readonly breaches: BreachStore
  /** Null when none is configured. */
  readonly breachService: BreachSource | null
  readonly directories: Directories
  readonly outboundEvents: OutboundEventStore
  readonly webhookRules: Config["webhookRules"]
  readonly webhookDeliveries: WebhookDeliveryStore
  readonly webhookSecrets: WebhookSecretStore
  readonly webhookStats: WebhookStatsStore
  readonly webhookSender: WebhookSender
}

export interface RequestContext {
  readonly requestId: string
  readonly bindings: Bindings
  readonly presentCached: Deps["presentCached"]
  readonly background: Deps["background"]
}

/**
 * The adapters of one request. Nothing that does I/O outlives it: Workers forbid sharing I/O between requests. Each is made
 * when it is first touched: most requests need a few, and making all would cost more than a cached answer.
 */
export function createDeps(config: Config, { requestId, bindings, presentCached, background }: RequestContext): Deps {
  const log = jsonLog({ request_id: requestId })
  const base = { clock: systemClock, randomToken, randomBytes, log, background }
  const request = (input: string, init: RequestInit) => fetch(input, init)
  const userAgent = `Mailverdict (+${config.baseUrl})`
  let opened: Database | null = null
  const database = () => (opened ??= openDatabase(config.libsql))
  const made: { -readonly [K in keyof Deps]?: Deps[K] } = {}
  return {
    ...base,
    digests: config.digests,
    sealer: config.sealer,
    get dns() {
      return (made.dns ??= createDns({ urls: config.dohUrls, fetch: request, now: base.clock.now }))
    },
    get probes() {
      return (made.probes ??= createProbes({ config, ...base }))
    },
    get rbl() {
      return (made.rbl ??= createRbl({ config, ...base }))
    },
    get rdap() {
      return (made.rdap ??= createRdap({ bootstrapUrl: config.rdapBootstrapUrl, fetch: request, clock: base.clock }))
    },
    get web() {
      return (made.web ??= createWeb({ dns: this.dns, fetch: request, sandbox: config.webSandbox, userAgent }))
    },
    get gravatar() {
      return (made.gravatar ??= createGravatar(config.gravatarUrl, { fetch: request, clock: base.clock }))
    },
    get pages() {
      return (made.pages ??= createPages({ web: this.web, clock: base.clock }))
    },
    get formats() {
      return (made.formats ??= createFormatStore(database()))
    },
    get credentialType() {
      const url = config.msCredentialUrl
      return url === null
        ? null
        : (made.credentialType ??= createCredentialType(url, { fetch: request, clock: base.clock }))
    },
    get results() {
      return (made.results ??= createResultStore(database()))
    },
    get resultLists() {
      return (made.resultLists ??= createResultLists(database()))
    },
    get jobs() {
      return (made.jobs ??= createJobStore(database()))
    },
    get jobIntake() {
      return (made.jobIntake ??= createJobIntake(database()))
    },
    get jobChunks() {
      return (made.jobChunks ??= createJobChunks(database()))
    },
    get jobReports() {
      return (made.jobReports ??= createJobReportStore(database()))
    },
    get jobRows() {
      return (made.jobRows ??= createJobRowStore(database()))
    },
    get chunkQueue() {
      return (made.chunkQueue ??= createChunkQueue(bindings.BULK_QUEUE as QueueProducer))
    },
    bulk: config.bulk,
    get cache() {
      return (made.cache ??= createResultCache(bindings.CACHE as KvNamespace, base.clock.now))
    },
    get marks() {
      return (made.marks ??= createMarkCache(bindings.CACHE as BulkKvNamespace, base.clock.now))
    },
    get suppressions() {
      return (made.suppressions ??= createSuppressionStore(database()))
    },
    get feedback() {
      return (made.feedback ??= createFeedbackStore(database()))
    },
    get receivers() {
      return (made.receivers ??= createReceiverStore(database()))
    },
    get inbound() {
      return (made.inbound ??= createInboundReaders(request))
    },
    presentCached,
    get keys() {
      return (made.keys ??= createKeyStore(database()))
    },
    get sessions() {
      return (made.sessions ??= createSessionStore(database(), base.clock))
    },
    get history() {
      return (made.history ??= createHistoryStore(database()))
    },
    get mailer() {
      return (made.mailer ??= createMailer(config))
    },
    get google() {
      return (made.google ??= createGoogleIdentity(config))
    },
    recheckDelaysMs: config.recheckDelaysMs,
    get rechecks() {
      return (made.rechecks ??= createRecheckStore(database()))
    },
    get idempotency() {
      return (made.idempotency ??= createIdempotencyStore(database()))
    },
    get charges() {
      return (made.charges ??= createChargeStore(database()))
    },
    get flights() {
      return (made.flights ??= createFlights(bindings.FLIGHT as FlightNamespace))
    },
    get gates() {
      return (made.gates ??= createGates(bindings.KEY_GATE as GateNamespace))
    },
    get meter() {
      return (made.meter ??= createMeter({ ...base, charges: this.charges }))
    },
    limits: config.limits,
    adminSecret: config.adminSecret,
    clientIpHeader: config.clientIpHeader,
    logLevel: config.logLevel,
    baseUrl: config.baseUrl,
    get neighbours() {
      return (made.neighbours ??= createNeighbourStore(database()))
    },
    get pending() {
      return (made.pending ??= createPendingStore(database()))
    },
    get breaches() {
      return (made.breaches ??= createBreachStore(database()))
    },
    get breachService() {
      return (made.breachService ??=
        config.hibp && createHibp({ ...config.hibp, userAgent }, { fetch: request, clock: base.clock }))
    },
    get directories() {
      return (made.directories ??= createDirectories(config.directories, { fetch: request, ...base }))
    },
    get outboundEvents() {
      return (made.outboundEvents ??= createOutboundEventStore(database()))
    },
    webhookRules: config.webhookRules,
    get webhookDeliveries() {
      return (made.webhookDeliveries ??= createWebhookDeliveryStore(database()))
    },
    get webhookSecrets() {
      return (made.webhookSecrets ??= createWebhookSecretStore(database()))
    },
    get webhookStats() {
      return (made.webhookStats ??= createWebhookStatsStore(database()))
    },
    get webhookSender() {
      const { webhookRules: rules } = config
      return (made.webhookSender ??= createWebhookSender({ dns: this.dns, fetch: request, ...base, rules, userAgent }))
    },
  }
}
