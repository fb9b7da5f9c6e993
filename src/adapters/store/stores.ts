import { type BufferedCounters, countedLists, countedResults } from "../admin/counter-buffer.ts"
import type { Clock } from "../platform.ts"
import {
  type BillingStore,
  createBillingStore,
  createPaymentOfferStore,
  type PaymentOfferStore,
} from "./accounts/billing.ts"
import { type ChargeStore, createChargeStore, createLeaseStore, type LeaseStore } from "./accounts/charges.ts"
import { createHistoryStore, type HistoryStore } from "./accounts/history.ts"
import { createIdempotencyStore, type IdempotencyStore } from "./accounts/idempotency.ts"
import { createKeyStore, type KeyStore } from "./accounts/keys.ts"
import { createSessionStore, type SessionStore } from "./accounts/sessions.ts"
import { createUnconfirmedKeyStore, type UnconfirmedKeyStore } from "./accounts/unclaimed-accounts.ts"
import { createUsageAlertStore, type UsageAlertStore } from "./accounts/usage-alerts.ts"
import { type CounterStore, createCounterStore, createMetricStore, type MetricStore } from "./admin/counters.ts"
import { createInstallationStore, type InstallationStore } from "./admin/installation.ts"
import { createOperatorStore, type OperatorStore } from "./admin/operator.ts"
import { createUserStore, type UserStore } from "./admin/users.ts"
import { type AuditStore, createAuditStore } from "./compliance/audit.ts"
import {
  type AccountErasureStore,
  createAccountErasureStore,
  createErasureStore,
  type ErasureStore,
} from "./compliance/erasure.ts"
import type { Database } from "./database.ts"
import { createFormatStore, type FormatStore } from "./finder/formats.ts"
import { createFleetStore, type FleetStore } from "./fleet/fleet.ts"
import { createFleetRecords, type FleetRecords } from "./fleet/fleet-records.ts"
import { createSyncStore, type SyncStore } from "./integrations/integration-syncs.ts"
import { createIntegrationStore, type IntegrationStore } from "./integrations/integrations.ts"
import { type BenchmarkStore, createBenchmarkStore } from "./learning/benchmarks.ts"
import { createModelStore, createTrainingRunStore, type ModelStore, type TrainingRunStore } from "./learning/models.ts"
import { createObservationStore, type ObservationStore } from "./learning/observations.ts"
import { createJobChunks, type JobChunks } from "./lists/job-chunks.ts"
import { createJobIntake, type JobIntake } from "./lists/job-intake.ts"
import { createJobLimits, type JobLimits } from "./lists/job-limits.ts"
import { createJobReportStore, createJobRowStore, type JobReportStore, type JobRowStore } from "./lists/job-results.ts"
import { createJobStore, type JobStore } from "./lists/jobs.ts"
import { createListOverrideStore, type ListOverrideStore } from "./reference/list-overrides.ts"
import { type BreachStore, createBreachStore } from "./signals/breaches.ts"
import { createFeedbackStore, type FeedbackStore } from "./suppression/feedback.ts"
import { createReceiverStore, type ReceiverStore } from "./suppression/receivers.ts"
import { createSuppressionStore, type SuppressionStore } from "./suppression/suppression.ts"
import { type AnswerWriteStore, createAnswerWriteStore } from "./verification/answer-writes.ts"
import {
  createDomainKinds,
  createNeighborStore,
  type DomainKinds,
  type NeighborStore,
} from "./verification/domain-results.ts"
import { createPendingStore, createRecheckStore, type PendingStore, type RecheckStore } from "./verification/pending.ts"
import { createResultLists, createResultStore, type ResultLists, type ResultStore } from "./verification/results.ts"
import {
  createOutboundEventStore,
  createWebhookDeliveryStore,
  type OutboundEventStore,
  type WebhookDeliveryStore,
} from "./webhooks/webhook-deliveries.ts"
import {
  createWebhookSecretStore,
  createWebhookStatsStore,
  createWebhookSubscriptionStore,
  type WebhookSecretStore,
  type WebhookStatsStore,
  type WebhookSubscriptionStore,
} from "./webhooks/webhook-endpoints.ts"

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
