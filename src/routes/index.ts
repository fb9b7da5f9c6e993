import type { Endpoint } from "../http/endpoint.ts"
import { keyEndpoints } from "./accounts/keys.ts"
import { healthEndpoints } from "./fleet/health.ts"
import { fastEndpoints } from "./verification/fast.ts"
import { validateEndpoints } from "./verification/validate.ts"

/** The table of contents: every endpoint of the service. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...validateEndpoints,
  ...fastEndpoints,
  ...keyEndpoints,
  ...healthEndpoints,
]
