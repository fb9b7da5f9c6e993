import type { Clock } from "../platform.ts"
import { createAuditStore } from "./audit.ts"
import { createBenchmarkStore } from "./benchmarks.ts"
import { createBillingStore } from "./billing.ts"
import { createBreachStore } from "./breaches.ts"
import { createChargeStore } from "./charges.ts"
import { createCounterStore } from "./counters.ts"
import type { Database } from "./database.ts"
import { createDomainKinds } from "./domain-kinds.ts"
import { createErasureStore } from "./erasure.ts"
import { createFeedbackStore } from "./feedback.ts"
import { createFleetStore } from "./fleet.ts"
import { createFleetRecords } from "./fleet-records.ts"
import { createFormatStore } from "./formats.ts"
import { createHistoryStore } from "./history.ts"
import { createIdempotencyStore } from "./idempotency.ts"
import { createSyncStore } from "./integration-syncs.ts"
import { createIntegrationStore } from "./integrations.ts"
import { createJobChunks } from "./job-chunks.ts"
import { createJobIntake } from "./job-intake.ts"
import { createJobReportStore } from "./job-report.ts"
import { createJobRowStore } from "./job-rows.ts"
import { createJobStore } from "./jobs.ts"
import { createKeyStore } from "./keys.ts"
import { createListOverrideStore } from "./list-overrides.ts"
import { createMetricStore } from "./metrics.ts"
import { createModelStore } from "./models.ts"
import { createNeighbourStore } from "./neighbours.ts"
import { createObservationStore } from "./observations.ts"
import { createOperatorStore } from "./operator.ts"
import { createOutboundEventStore } from "./outbound-events.ts"
import { createPendingStore } from "./pending.ts"
import { createReceiverStore } from "./receivers.ts"
import { createRecheckStore } from "./rechecks.ts"
import { createSessionStore } from "./sessions.ts"
import { createSuppressionStore } from "./suppression.ts"
import { createTrainingRunStore } from "./training-runs.ts"
import { createWebhookDeliveryStore } from "./webhook-deliveries.ts"
import { createWebhookSecretStore } from "./webhook-secrets.ts"
import { createWebhookStatsStore } from "./webhook-stats.ts"

/** The stores by the name under which services ask for them, each made from the database. */
export const STORES = {
  fleetStore: createFleetStore,
  fleetRecords: createFleetRecords,
  formats: createFormatStore,
  domainKinds: createDomainKinds,
  jobs: createJobStore,
  jobIntake: createJobIntake,
  jobChunks: createJobChunks,
  jobReports: createJobReportStore,
  jobRows: createJobRowStore,
  suppressions: createSuppressionStore,
  feedback: createFeedbackStore,
  receivers: createReceiverStore,
  keys: createKeyStore,
  sessions: createSessionStore,
  history: createHistoryStore,
  rechecks: createRecheckStore,
  idempotency: createIdempotencyStore,
  billing: createBillingStore,
  charges: createChargeStore,
  neighbours: createNeighbourStore,
  models: createModelStore,
  trainingRuns: createTrainingRunStore,
  observations: createObservationStore,
  benchmarks: createBenchmarkStore,
  pending: createPendingStore,
  breaches: createBreachStore,
  outboundEvents: createOutboundEventStore,
  webhookDeliveries: createWebhookDeliveryStore,
  webhookSecrets: createWebhookSecretStore,
  webhookStats: createWebhookStatsStore,
  integrations: createIntegrationStore,
  integrationSyncs: createSyncStore,
  audit: createAuditStore,
  /** Numbers about the whole service; `tally` is for what is too frequent to be written down each time. */
  counters: createCounterStore,
  metrics: createMetricStore,
  operator: createOperatorStore,
  erasure: createErasureStore,
  listOverrides: createListOverrideStore,
} satisfies Readonly<Record<string, (database: Database, clock: Clock) => unknown>>

export type Stores = { readonly [K in keyof typeof STORES]: ReturnType<(typeof STORES)[K]> }
