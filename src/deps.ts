import type { BreachSource } from "./adapters/breach/breach-source.ts"
import type { MarkCache } from "./adapters/cache/mark-cache.ts"
import type { PresentedResult, ResultCache } from "./adapters/cache/result-cache.ts"
import type { Courier } from "./adapters/courier/courier.ts"
import type { CredentialType } from "./adapters/credential-type/ask.ts"
import type { Directories } from "./adapters/directory/configured.ts"
import type { Dns } from "./adapters/dns/resolver.ts"
import type { Flights } from "./adapters/flights/flights.ts"
import type { Gravatar } from "./adapters/gravatar/gravatar.ts"
import type { GoogleIdentity } from "./adapters/identity/google.ts"
import type { InboundReaders } from "./adapters/inbound/readers.ts"
import type { Connectors } from "./adapters/integrations/connect.ts"
import type { Gates } from "./adapters/keygate/gates.ts"
import type { Meter } from "./adapters/keygate/meter.ts"
import type { CurrentLists } from "./adapters/lists/current-lists.ts"
import type { ListSources } from "./adapters/lists/list-sources.ts"
import type { Mailer } from "./adapters/mailer/mailer.ts"
import type { MinuteBook } from "./adapters/minute-book.ts"
import type { Pages } from "./adapters/pages/company-pages.ts"
import type { Payments } from "./adapters/payments/stripe.ts"
import type { Clock, Log } from "./adapters/platform.ts"
import type { Probes } from "./adapters/probes/ask.ts"
import type { Fleet } from "./adapters/probes/fleet.ts"
import type { NodeDoor } from "./adapters/probes/node-door.ts"
import type { ChunkQueue } from "./adapters/queue/chunk-queue.ts"
import type { Rbl } from "./adapters/rbl/ask.ts"
import type { Rdap } from "./adapters/rdap/rdap.ts"
import type { OperatorStore } from "./adapters/store/admin.ts"
import type { AuditStore } from "./adapters/store/audit.ts"
import type { BenchmarkStore } from "./adapters/store/benchmarks.ts"
import type { BillingStore } from "./adapters/store/billing.ts"
import type { BreachStore } from "./adapters/store/breaches.ts"
import type { ChargeStore } from "./adapters/store/charges.ts"
import type { CounterStore } from "./adapters/store/counters.ts"
import type { DomainKinds } from "./adapters/store/domain-kinds.ts"
import type { ErasureStore } from "./adapters/store/erasure.ts"
import type { FeedbackStore } from "./adapters/store/feedback.ts"
import type { FleetStore } from "./adapters/store/fleet.ts"
import type { FleetRecords } from "./adapters/store/fleet-records.ts"
import type { FormatStore } from "./adapters/store/formats.ts"
import type { HistoryStore } from "./adapters/store/history.ts"
import type { IdempotencyStore } from "./adapters/store/idempotency.ts"
import type { SyncStore } from "./adapters/store/integration-syncs.ts"
import type { IntegrationStore } from "./adapters/store/integrations.ts"
import type { JobChunks } from "./adapters/store/job-chunks.ts"
import type { JobIntake } from "./adapters/store/job-intake.ts"
import type { JobReportStore } from "./adapters/store/job-report.ts"
import type { JobRowStore } from "./adapters/store/job-rows.ts"
import type { JobStore } from "./adapters/store/jobs.ts"
import type { KeyStore } from "./adapters/store/keys.ts"
import type { ListOverrideStore } from "./adapters/store/list-overrides.ts"
import type { MetricStore } from "./adapters/store/metrics.ts"
import type { ModelStore } from "./adapters/store/models.ts"
import type { NeighbourStore } from "./adapters/store/neighbours.ts"
import type { ObservationStore } from "./adapters/store/observations.ts"
import type { OutboundEventStore } from "./adapters/store/outbound-events.ts"
import type { PendingStore } from "./adapters/store/pending.ts"
import type { ReceiverStore } from "./adapters/store/receivers.ts"
import type { RecheckStore } from "./adapters/store/rechecks.ts"
import type { ResultLists } from "./adapters/store/result-lists.ts"
import type { ResultStore } from "./adapters/store/results.ts"
import type { SessionStore } from "./adapters/store/sessions.ts"
import type { SuppressionStore } from "./adapters/store/suppression.ts"
import type { TrainingRunStore } from "./adapters/store/training-runs.ts"
import type { WebhookDeliveryStore } from "./adapters/store/webhook-deliveries.ts"
import type { WebhookSecretStore } from "./adapters/store/webhook-secrets.ts"
import type { WebhookStatsStore } from "./adapters/store/webhook-stats.ts"
import type { Tally } from "./adapters/tally.ts"
import type { Tracer } from "./adapters/tracing/tracer.ts"
import type { Web } from "./adapters/web/safe-fetch.ts"
import type { WebhookSender } from "./adapters/webhooks/sender.ts"
import type { Digests } from "./domain/keys/digest.ts"
import type { Sealer } from "./domain/keys/seal.ts"
import type { Verification } from "./domain/verdict/verification.ts"
import type { Config } from "./env.ts"

/** Everything outside the service, one field each. Services name what they touch with `Pick<Deps, ...>`. */
export interface Deps {
  readonly clock: Clock
  readonly randomToken: () => string
  readonly randomBytes: (n: number) => Uint8Array
  readonly log: Log
  readonly tracer: Tracer
  readonly digests: Digests
  readonly sealer: Sealer
  readonly dns: Dns
  readonly probes: Probes
  /** For whom the request acts; null until the guard has found out, and for the operator. */
  readonly actor: { accountId: string | null }
  readonly fleet: Fleet
  readonly nodeDoor: NodeDoor
  readonly fleetStore: FleetStore
  readonly fleetRecords: FleetRecords
  /** What the URL of a node may be. */
  readonly fleetRules: Config["fleetRules"]
  readonly edgePublicKey: string
  readonly canaryEveryMs: number
  readonly rbl: Rbl
  readonly rdap: Rdap
  readonly web: Web
  readonly gravatar: Gravatar
  readonly pages: Pages
  readonly formats: FormatStore
  readonly domainKinds: DomainKinds
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
  /** Answers that cost nothing, by account. */
  readonly freeAnswers: MinuteBook
  readonly mailer: Mailer
  /** Null when sign-in by Google is not configured. */
  readonly google: GoogleIdentity | null
  readonly charges: ChargeStore
  readonly billing: BillingStore
  /** Null when payments are not configured. */
  readonly payments: Payments | null
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
  readonly models: ModelStore
  readonly trainingRuns: TrainingRunStore
  readonly observations: ObservationStore
  /** Accounts whose feedback is not capped; "*" for all. */
  readonly trustedAccounts: Config["trustedAccounts"]
  readonly benchmarks: BenchmarkStore
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
  readonly courier: Courier | null
  readonly integrations: IntegrationStore
  readonly integrationSyncs: SyncStore
  readonly connectors: Connectors
  readonly providerPlaces: Config["providerPlaces"]
  readonly audit: AuditStore
  /** Numbers about the whole service; `tally` is for what is too frequent to be written down each time. */
  readonly counters: CounterStore
  readonly tally: Tally
  /** Requests by route and status, for monitoring. */
  readonly requestTally: Tally
  readonly metrics: MetricStore
  readonly operator: OperatorStore
  readonly erasure: ErasureStore
  readonly listOverrides: ListOverrideStore
  readonly listSources: ListSources
  readonly currentLists: CurrentLists
}

/** The same needs but for some. The others stay as they are: what is made when it is first touched is not touched. */
export function replacing<Needs extends object, Changes extends object>(
  needs: Needs,
  changes: Changes,
): Needs & Changes {
  return Object.create(needs, Object.getOwnPropertyDescriptors(changes))
}
