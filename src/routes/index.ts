import type { Endpoint } from "../http/endpoint.ts"
import { authEndpoints } from "./accounts/auth.ts"
import { keyEndpoints } from "./accounts/keys.ts"
import { meEndpoints } from "./accounts/me.ts"
import { bulkEndpoints } from "./bulk/bulk.ts"
import { healthEndpoints } from "./fleet/health.ts"
import { fastEndpoints } from "./verification/fast.ts"
import { validateEndpoints } from "./verification/validate.ts"

/** The table of contents: every endpoint of the service. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...validateEndpoints,
  ...fastEndpoints,
  ...keyEndpoints,
  ...authEndpoints,
  ...meEndpoints,
  ...bulkEndpoints,
  ...healthEndpoints,
]
