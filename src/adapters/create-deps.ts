import type { Deps } from "../deps.ts"
import type { Bindings, Config } from "../env.ts"
import { createHibp } from "./breach/hibp.ts"
import { createKvReader, type ReadableKv } from "./cache/kv-reader.ts"
import { createMarkCache, type MarkKv } from "./cache/mark-cache.ts"
import { createResultCache, type WritableKv } from "./cache/result-cache.ts"
import { createCredentialType } from "./credential-type/ask.ts"
import { createDirectories } from "./directory/configured.ts"
import { createDns } from "./dns/resolver.ts"
import { createFlights, type FlightNamespace } from "./flights/flights.ts"
import { createGravatar } from "./gravatar/gravatar.ts"
import { createGoogleIdentity } from "./identity/google.ts"
import { createInboundReaders } from "./inbound/readers.ts"
import { createGates, type GateNamespace } from "./keygate/gates.ts"
import { createMeter } from "./keygate/meter.ts"
import { createMailer } from "./mailer/mailer.ts"
import { createPages } from "./pages/company-pages.ts"
import { jsonLog, randomBytes, randomToken, systemClock } from "./platform.ts"
import { createProbes } from "./probes/ask.ts"
import { createChunkQueue, type QueueProducer } from "./queue/chunk-queue.ts"
import { createRbl } from "./rbl/ask.ts"
import { createRdap } from "./rdap/rdap.ts"
import { createAuditStore } from "./store/audit.ts"
import { createBreachStore } from "./store/breaches.ts"
import { createChargeStore } from "./store/charges.ts"
import { type Database, openDatabase } from "./store/database.ts"
import { createFeedbackStore } from "./store/feedback.ts"
import { createDomainKinds } from "./store/domain-kinds.ts"
import { createFormatStore } from "./store/formats.ts"
import { createHistoryStore } from "./store/history.ts"
import { createIdempotencyStore } from "./store/idempotency.ts"
import { createJobChunks } from "./store/job-chunks.ts"
import { createJobIntake } from "./store/job-intake.ts"
import { createJobReportStore } from "./store/job-report.ts"
import { createJobRowStore } from "./store/job-rows.ts"
import { createJobStore } from "./store/jobs.ts"
import { createKeyStore } from "./store/keys.ts"
import { createNeighbourStore } from "./store/neighbours.ts"
import { createOutboundEventStore } from "./store/outbound-events.ts"
import { createPendingStore } from "./store/pending.ts"
import { createReceiverStore } from "./store/receivers.ts"
import { createRecheckStore } from "./store/rechecks.ts"
import { createResultLists } from "./store/result-lists.ts"
import { createResultStore } from "./store/results.ts"
import { createSessionStore } from "./store/sessions.ts"
import { createSuppressionStore } from "./store/suppression.ts"
import { createWebhookDeliveryStore } from "./store/webhook-deliveries.ts"
import { createWebhookSecretStore } from "./store/webhook-secrets.ts"
import { createWebhookStatsStore } from "./store/webhook-stats.ts"
import { createWeb } from "./web/safe-fetch.ts"
import { createWebhookSender } from "./webhooks/sender.ts"

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
  const reader = createKvReader(bindings.CACHE as ReadableKv)
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
    get domainKinds() {
      return (made.domainKinds ??= createDomainKinds(database()))
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
      return (made.cache ??= createResultCache(bindings.CACHE as WritableKv, reader, base.clock.now))
    },
    get marks() {
      return (made.marks ??= createMarkCache(bindings.CACHE as MarkKv, reader, base.clock.now))
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
    get audit() {
      return (made.audit ??= createAuditStore(database(), base.clock))
    },
  }
}
