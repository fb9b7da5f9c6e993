import type { Endpoint } from "../http/endpoint.ts"
import { ACCOUNTS_ENDPOINTS } from "./accounts/index.ts"
import { ADMIN_ENDPOINTS } from "./admin/index.ts"
import { COMPLIANCE_ENDPOINTS } from "./compliance/compliance.ts"
import { FINDER_ENDPOINTS } from "./finder/find-email.ts"
import { FLEET_ENDPOINTS } from "./fleet/index.ts"
import { FORM_ENDPOINTS } from "./form/verify.ts"
import { INTEGRATIONS_ENDPOINTS } from "./integrations/integrations.ts"
import { LEARNING_ENDPOINTS } from "./learning/ml.ts"
import { BULK_ENDPOINTS } from "./lists/bulk.ts"
import { OAUTH_CONSENT_ENDPOINTS } from "./oauth/consent.ts"
import { SIGNALS_ENDPOINTS } from "./signals/index.ts"
import { SUPPRESSION_ENDPOINTS } from "./suppression/list.ts"
import { FEEDBACK_ENDPOINTS } from "./suppression/reports.ts"
import { VERIFICATION_ENDPOINTS } from "./verification/validate.ts"
import { WEBHOOKS_ENDPOINTS } from "./webhooks/webhooks.ts"

/** Every endpoint of the service. The Worker loads most of them when they are used: see `route-groups.ts`. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...VERIFICATION_ENDPOINTS,
  ...ACCOUNTS_ENDPOINTS,
  ...OAUTH_CONSENT_ENDPOINTS,
  ...BULK_ENDPOINTS,
  ...SUPPRESSION_ENDPOINTS,
  ...FEEDBACK_ENDPOINTS,
  ...FINDER_ENDPOINTS,
  ...SIGNALS_ENDPOINTS,
  ...LEARNING_ENDPOINTS,
  ...ADMIN_ENDPOINTS,
  ...COMPLIANCE_ENDPOINTS,
  ...FLEET_ENDPOINTS,
  ...FORM_ENDPOINTS,
  ...WEBHOOKS_ENDPOINTS,
  ...INTEGRATIONS_ENDPOINTS,
]
