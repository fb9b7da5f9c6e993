import type { BufferedCounters } from "../buffered-counters.ts"
import type { Clock } from "../platform.ts"
import { type AccountErasureStore, createAccountErasureStore } from "./accounts/account-erasures.ts"
import { type BillingStore, createBillingStore } from "./accounts/billing.ts"
import { type ChargeStore, createChargeStore } from "./accounts/charges.ts"
import { createHistoryStore, type HistoryStore } from "./accounts/history.ts"
import { createIdempotencyStore, type IdempotencyStore } from "./accounts/idempotency.ts"
import { createKeyStore, type KeyStore } from "./accounts/keys.ts"
import { createLeaseStore, type LeaseStore } from "./accounts/leases.ts"
import { createOperatorStore, type OperatorStore } from "./accounts/operator.ts"
import { createPaymentOfferStore, type PaymentOfferStore } from "./accounts/payment-offers.ts"
import { createSessionStore, type SessionStore } from "./accounts/sessions.ts"
import { createUnconfirmedKeyStore, type UnconfirmedKeyStore } from "./accounts/unconfirmed-keys.ts"
import { createUsageAlertStore, type UsageAlertStore } from "./accounts/usage-alerts.ts"
import { createUserStore, type UserStore } from "./accounts/users.ts"
import { type AuditStore, createAuditStore } from "./compliance/audit.ts"
import { createErasureStore, type ErasureStore } from "./compliance/erasure.ts"
import { type CounterStore, createCounterStore } from "./counters.ts"
import type { Database } from "./database.ts"
import { createFeedbackStore, type FeedbackStore } from "./feedback/feedback.ts"
import { createReceiverStore, type ReceiverStore } from "./feedback/receivers.ts"
import { createSuppressionStore, type SuppressionStore } from "./feedback/suppression.ts"
import { createFleetStore, type FleetStore } from "./fleet/fleet.ts"
import { createFleetRecords, type FleetRecords } from "./fleet/fleet-records.ts"
import { createInstallationStore, type InstallationStore } from "./installation.ts"
import { createSyncStore, type SyncStore } from "./integrations/integration-syncs.ts"
import { createIntegrationStore, type IntegrationStore } from "./integrations/integrations.ts"
import { createJobChunks, type JobChunks } from "./jobs/job-chunks.ts"
import { createJobIntake, type JobIntake } from "./jobs/job-intake.ts"
import { createJobLimits, type JobLimits } from "./jobs/job-limits.ts"
import { createJobReportStore, type JobReportStore } from "./jobs/job-report.ts"
import { createJobRowStore, type JobRowStore } from "./jobs/job-rows.ts"
import { createJobStore, type JobStore } from "./jobs/jobs.ts"
import { type BenchmarkStore, createBenchmarkStore } from "./learning/benchmarks.ts"
import { createModelStore, type ModelStore } from "./learning/models.ts"
import { createTrainingRunStore, type TrainingRunStore } from "./learning/training-runs.ts"
import { createListOverrideStore, type ListOverrideStore } from "./list-overrides.ts"
import { createMetricStore, type MetricStore } from "./metrics.ts"
import { type AnswerWriteStore, createAnswerWriteStore } from "./results/answer-writes.ts"
import { type BreachStore, createBreachStore } from "./results/breaches.ts"
import { countedLists, countedResults } from "./results/counted.ts"
import { createDomainKinds, type DomainKinds } from "./results/domain-kinds.ts"
import { createFormatStore, type FormatStore } from "./results/formats.ts"
import { createNeighborStore, type NeighborStore } from "./results/neighbors.ts"
import { createObservationStore, type ObservationStore } from "./results/observations.ts"
import { createPendingStore, type PendingStore } from "./results/pending.ts"
import { createRecheckStore, type RecheckStore } from "./results/rechecks.ts"
import { createResultLists, type ResultLists } from "./results/result-lists.ts"
import { createResultStore, type ResultStore } from "./results/results.ts"
import { createOutboundEventStore, type OutboundEventStore } from "./webhooks/outbound-events.ts"
import { createWebhookDeliveryStore, type WebhookDeliveryStore } from "./webhooks/webhook-deliveries.ts"
import { createWebhookSecretStore, type WebhookSecretStore } from "./webhooks/webhook-secrets.ts"
import { createWebhookStatsStore, type WebhookStatsStore } from "./webhooks/webhook-stats.ts"
import { createWebhookSubscriptionStore, type WebhookSubscriptionStore } from "./webhooks/webhook-subscriptions.ts"

interface StoreDeps {
  readonly database: Database
  readonly clock: Clock
  readonly counters: BufferedCounters
}

/** The stores of one request. A store has no state, so each access creates a new one. */
export class RequestStores {
  readonly #deps: StoreDeps

  constructor(deps: StoreDeps) {
    this.#deps = deps
  }

  get fleetStore(): FleetStore {
    return createFleetStore(this.#deps.database)
  }
  get fleetRecords(): FleetRecords {
    return createFleetRecords(this.#deps.database)
  }
  get usageAlerts(): UsageAlertStore {
    return createUsageAlertStore(this.#deps.database)
  }
  get formats(): FormatStore {
    return createFormatStore(this.#deps.database)
  }
  get domainKinds(): DomainKinds {
    return createDomainKinds(this.#deps.database)
  }
  get jobs(): JobStore {
    return createJobStore(this.#deps.database)
  }
  get jobIntake(): JobIntake {
    return createJobIntake(this.#deps.database)
  }
  get jobChunks(): JobChunks {
    return createJobChunks(this.#deps.database)
  }
  get jobLimits(): JobLimits {
    return createJobLimits(this.#deps.database)
  }
  get jobReports(): JobReportStore {
    return createJobReportStore(this.#deps.database)
  }
  get jobRows(): JobRowStore {
    return createJobRowStore(this.#deps.database)
  }
  get suppressions(): SuppressionStore {
    return createSuppressionStore(this.#deps.database)
  }
  get feedback(): FeedbackStore {
    return createFeedbackStore(this.#deps.database)
  }
  get receivers(): ReceiverStore {
    return createReceiverStore(this.#deps.database)
  }
  get keys(): KeyStore {
    return createKeyStore(this.#deps.database)
  }
  get unconfirmedKeys(): UnconfirmedKeyStore {
    return createUnconfirmedKeyStore(this.#deps.database)
  }
  get paymentOffers(): PaymentOfferStore {
    return createPaymentOfferStore(this.#deps.database)
  }
  get sessions(): SessionStore {
    return createSessionStore(this.#deps.database, this.#deps.clock)
  }
  get history(): HistoryStore {
    return createHistoryStore(this.#deps.database)
  }
  get rechecks(): RecheckStore {
    return createRecheckStore(this.#deps.database)
  }
  get idempotency(): IdempotencyStore {
    return createIdempotencyStore(this.#deps.database)
  }
  get billing(): BillingStore {
    return createBillingStore(this.#deps.database)
  }
  get charges(): ChargeStore {
    return createChargeStore(this.#deps.database)
  }
  get leases(): LeaseStore {
    return createLeaseStore(this.#deps.database)
  }
  get neighbors(): NeighborStore {
    return createNeighborStore(this.#deps.database)
  }
  get models(): ModelStore {
    return createModelStore(this.#deps.database, this.#deps.clock)
  }
  get trainingRuns(): TrainingRunStore {
    return createTrainingRunStore(this.#deps.database)
  }
  get observations(): ObservationStore {
    return createObservationStore(this.#deps.database)
  }
  get benchmarks(): BenchmarkStore {
    return createBenchmarkStore(this.#deps.database)
  }
  get pending(): PendingStore {
    return createPendingStore(this.#deps.database)
  }
  get breaches(): BreachStore {
    return createBreachStore(this.#deps.database)
  }
  get outboundEvents(): OutboundEventStore {
    return createOutboundEventStore(this.#deps.database)
  }
  get webhookDeliveries(): WebhookDeliveryStore {
    return createWebhookDeliveryStore(this.#deps.database)
  }
  get webhookSecrets(): WebhookSecretStore {
    return createWebhookSecretStore(this.#deps.database)
  }
  get webhookSubscriptions(): WebhookSubscriptionStore {
    return createWebhookSubscriptionStore(this.#deps.database)
  }
  get webhookStats(): WebhookStatsStore {
    return createWebhookStatsStore(this.#deps.database)
  }
  get integrations(): IntegrationStore {
    return createIntegrationStore(this.#deps.database)
  }
  get integrationSyncs(): SyncStore {
    return createSyncStore(this.#deps.database)
  }
  get audit(): AuditStore {
    return createAuditStore(this.#deps.database, this.#deps.clock)
  }
  get counters(): CounterStore {
    return createCounterStore(this.#deps.database)
  }
  get metrics(): MetricStore {
    return createMetricStore(this.#deps.database)
  }
  get installation(): InstallationStore {
    return createInstallationStore(this.#deps.database)
  }
  get operator(): OperatorStore {
    return createOperatorStore(this.#deps.database)
  }
  get users(): UserStore {
    return createUserStore(this.#deps.database)
  }
  get erasure(): ErasureStore {
    return createErasureStore(this.#deps.database)
  }
  get accountErasures(): AccountErasureStore {
    return createAccountErasureStore(this.#deps.database)
  }
  get listOverrides(): ListOverrideStore {
    return createListOverrideStore(this.#deps.database)
  }
  get results(): ResultStore {
    return countedResults(createResultStore(this.#deps.database), this.#deps)
  }
  get answerWrites(): AnswerWriteStore {
    return createAnswerWriteStore(this.#deps.database)
  }
  get resultLists(): ResultLists {
    return countedLists(createResultLists(this.#deps.database), this.#deps)
  }
}

/** The public part of the class, so that tests can replace single stores. */
export type Stores = { readonly [Name in keyof RequestStores]: RequestStores[Name] }
