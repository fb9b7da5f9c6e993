import { type BufferedCounters, countedLists, countedResults } from "../admin/counter-buffer.ts"
import type { Clock } from "../platform.ts"
import { createBillingStore, createPaymentOfferStore } from "./accounts/billing.ts"
import { createChargeStore, createLeaseStore } from "./accounts/charges.ts"
import { createHistoryStore } from "./accounts/history.ts"
import { createIdempotencyStore } from "./accounts/idempotency.ts"
import { createKeyStore } from "./accounts/keys.ts"
import { createOAuthGrantStore } from "./accounts/oauth-grants.ts"
import { createSessionStore } from "./accounts/sessions.ts"
import { createUnconfirmedKeyStore } from "./accounts/unclaimed-accounts.ts"
import { createUsageAlertStore } from "./accounts/usage-alerts.ts"
import { createCounterStore, createMetricStore } from "./admin/counters.ts"
import { createInstallationStore } from "./admin/installation.ts"
import { createOperatorStore } from "./admin/operator.ts"
import { createUserStore } from "./admin/users.ts"
import { createAuditStore } from "./compliance/audit.ts"
import { createAccountErasureStore, createErasureStore } from "./compliance/erasure.ts"
import type { Database } from "./database.ts"
import { createFormatStore } from "./finder/formats.ts"
import { createFleetStore } from "./fleet/fleet.ts"
import { createFleetRecords } from "./fleet/fleet-records.ts"
import { createSyncStore } from "./integrations/integration-syncs.ts"
import { createIntegrationStore } from "./integrations/integrations.ts"
import { createBenchmarkStore } from "./learning/benchmarks.ts"
import { createModelStore, createTrainingRunStore } from "./learning/models.ts"
import { createObservationStore } from "./learning/observations.ts"
import { createJobChunks } from "./lists/job-chunks.ts"
import { createJobIntake } from "./lists/job-intake.ts"
import { createJobLimits } from "./lists/job-limits.ts"
import { createJobReportStore, createJobRowStore } from "./lists/job-results.ts"
import { createJobStore } from "./lists/jobs.ts"
import { createListOverrideStore } from "./reference/list-overrides.ts"
import { createBreachStore } from "./signals/breaches.ts"
import { createFeedbackStore } from "./suppression/feedback.ts"
import { createReceiverStore } from "./suppression/receivers.ts"
import { createSuppressionStore } from "./suppression/suppression.ts"
import { createAnswerWriteStore } from "./verification/answer-writes.ts"
import { createDomainKinds, createNeighborStore } from "./verification/domain-results.ts"
import { createPendingStore, createRecheckStore } from "./verification/pending.ts"
import { createResultLists, createResultStore } from "./verification/results.ts"
import { createOutboundEventStore, createWebhookDeliveryStore } from "./webhooks/webhook-deliveries.ts"
import {
  createWebhookSecretStore,
  createWebhookStatsStore,
  createWebhookSubscriptionStore,
} from "./webhooks/webhook-endpoints.ts"

interface StoreDeps {
  readonly database: Database
  readonly clock: Clock
  readonly counters: BufferedCounters
}

const STORES = {
  fleetStore: createFleetStore,
  fleetRecords: createFleetRecords,
  usageAlerts: createUsageAlertStore,
  formats: createFormatStore,
  domainKinds: createDomainKinds,
  jobs: createJobStore,
  jobIntake: createJobIntake,
  jobChunks: createJobChunks,
  jobLimits: createJobLimits,
  jobReports: createJobReportStore,
  jobRows: createJobRowStore,
  suppressions: createSuppressionStore,
  feedback: createFeedbackStore,
  receivers: createReceiverStore,
  keys: createKeyStore,
  unconfirmedKeys: createUnconfirmedKeyStore,
  paymentOffers: createPaymentOfferStore,
  sessions: createSessionStore,
  oauthGrants: createOAuthGrantStore,
  history: createHistoryStore,
  rechecks: createRecheckStore,
  idempotency: createIdempotencyStore,
  billing: createBillingStore,
  charges: createChargeStore,
  leases: createLeaseStore,
  neighbors: createNeighborStore,
  models: createModelStore,
  trainingRuns: createTrainingRunStore,
  observations: createObservationStore,
  benchmarks: createBenchmarkStore,
  pending: createPendingStore,
  breaches: createBreachStore,
  outboundEvents: createOutboundEventStore,
  webhookDeliveries: createWebhookDeliveryStore,
  webhookSecrets: createWebhookSecretStore,
  webhookSubscriptions: createWebhookSubscriptionStore,
  webhookStats: createWebhookStatsStore,
  integrations: createIntegrationStore,
  integrationSyncs: createSyncStore,
  audit: (database: Database, clock: Clock) => createAuditStore(database, clock),
  counters: createCounterStore,
  metrics: createMetricStore,
  installation: createInstallationStore,
  operator: createOperatorStore,
  users: createUserStore,
  erasure: createErasureStore,
  accountErasures: createAccountErasureStore,
  listOverrides: createListOverrideStore,
  results: (database: Database, _: Clock, deps: StoreDeps) => countedResults(createResultStore(database), deps),
  answerWrites: createAnswerWriteStore,
  resultLists: (database: Database, _: Clock, deps: StoreDeps) => countedLists(createResultLists(database), deps),
}

export type Stores = { readonly [Name in keyof typeof STORES]: ReturnType<(typeof STORES)[Name]> }

/** The stores of one request. A store has no state, so each access creates a new one. */
class RequestStores {
  readonly deps: StoreDeps

  constructor(deps: StoreDeps) {
    this.deps = deps
  }
}

for (const [name, create] of Object.entries(STORES))
  Object.defineProperty(RequestStores.prototype, name, {
    get(this: RequestStores) {
      return create(this.deps.database, this.deps.clock, this.deps)
    },
  })

export function createStores(deps: StoreDeps): Stores {
  return new RequestStores(deps) as unknown as Stores
}
