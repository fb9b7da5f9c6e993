import type { Endpoint } from "../http/endpoint.ts"
import { authEndpoints } from "./accounts/auth.ts"
import { billingEndpoints } from "./accounts/billing.ts"
import { keyEndpoints } from "./accounts/keys.ts"
import { meEndpoints } from "./accounts/me.ts"
import { databaseEndpoints } from "./admin/database.ts"
import { listEndpoints } from "./admin/lists.ts"
import { metricsEndpoints } from "./admin/metrics.ts"
import { operationEndpoints } from "./admin/operations.ts"
import { statisticsEndpoints } from "./admin/statistics.ts"
import { userEndpoints } from "./admin/users.ts"
import { bulkEndpoints } from "./bulk/bulk.ts"
import { dedupEndpoints } from "./bulk/dedup.ts"
import { jobEndpoints } from "./bulk/jobs.ts"
import { resultEndpoints } from "./bulk/results.ts"
import { uploadEndpoints } from "./bulk/upload.ts"
import { complianceEndpoints } from "./compliance/compliance.ts"
import { gdprEndpoints } from "./compliance/gdpr.ts"
import { bounceEndpoints } from "./feedback/bounce.ts"
import { engagementEndpoints } from "./feedback/engagement.ts"
import { inboundEndpoints } from "./feedback/inbound.ts"
import { receivedEndpoints } from "./feedback/received.ts"
import { receiverEndpoints } from "./feedback/receivers.ts"
import { domainFormatEndpoints } from "./finder/domain-formats.ts"
import { findEmailEndpoints } from "./finder/find-email.ts"
import { healthEndpoints } from "./fleet/health.ts"
import { ipEndpoints } from "./fleet/ips.ts"
import { nodeEndpoints } from "./fleet/nodes.ts"
import { regionEndpoints } from "./fleet/regions.ts"
import { senderEndpoints } from "./fleet/senders.ts"
import { integrationEndpoints } from "./integrations/integrations.ts"
import { integrationActionEndpoints } from "./integrations/sync.ts"
import { benchmarkEndpoints } from "./learning/benchmark.ts"
import { catchAllClassifierEndpoints, mlEndpoints } from "./learning/ml.ts"
import { checkAddressEndpoints } from "./signals/check-address.ts"
import { checkDomainEndpoints } from "./signals/check-domain.ts"
import { checkNameEndpoints } from "./signals/check-name.ts"
import { checkPagesEndpoints } from "./signals/check-pages.ts"
import { intelligenceEndpoints } from "./signals/intelligence.ts"
import { mxIntelEndpoints } from "./signals/mx-intel.ts"
import { scoreEndpoints } from "./signals/score.ts"
import { suppressionEndpoints } from "./suppression/suppression.ts"
import { suppressionTransferEndpoints } from "./suppression/transfer.ts"
import { breachEndpoints } from "./verification/breach-intel.ts"
import { catchAllEndpoints } from "./verification/catchall.ts"
import { directoryEndpoints } from "./verification/directory.ts"
import { fastEndpoints } from "./verification/fast.ts"
import { quickEndpoints } from "./verification/quick.ts"
import { typoEndpoints } from "./verification/typo.ts"
import { validateEndpoints } from "./verification/validate.ts"
import { webhookEndpoints } from "./webhooks/webhooks.ts"

/** Every endpoint of the service. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...validateEndpoints,
  ...fastEndpoints,
  ...quickEndpoints,
  ...typoEndpoints,
  ...breachEndpoints,
  ...catchAllEndpoints,
  ...directoryEndpoints,
  ...billingEndpoints,
  ...keyEndpoints,
  ...authEndpoints,
  ...meEndpoints,
  ...bulkEndpoints,
  ...jobEndpoints,
  ...uploadEndpoints,
  ...resultEndpoints,
  ...dedupEndpoints,
  ...suppressionEndpoints,
  ...suppressionTransferEndpoints,
  ...bounceEndpoints,
  ...receivedEndpoints,
  ...engagementEndpoints,
  ...receiverEndpoints,
  ...inboundEndpoints,
  ...findEmailEndpoints,
  ...domainFormatEndpoints,
  ...checkAddressEndpoints,
  ...checkDomainEndpoints,
  ...checkNameEndpoints,
  ...checkPagesEndpoints,
  ...intelligenceEndpoints,
  ...mxIntelEndpoints,
  ...scoreEndpoints,
  ...mlEndpoints,
  ...catchAllClassifierEndpoints,
  ...benchmarkEndpoints,
  ...operationEndpoints,
  ...metricsEndpoints,
  ...userEndpoints,
  ...listEndpoints,
  ...databaseEndpoints,
  ...statisticsEndpoints,
  ...complianceEndpoints,
  ...gdprEndpoints,
  ...healthEndpoints,
  ...regionEndpoints,
  ...ipEndpoints,
  ...senderEndpoints,
  ...nodeEndpoints,
  ...webhookEndpoints,
  ...integrationEndpoints,
  ...integrationActionEndpoints,
]
