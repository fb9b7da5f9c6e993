import type { Endpoint } from "../../http/endpoint.ts"
import { integrationEndpoints } from "./integrations.ts"
import { integrationActionEndpoints } from "./sync.ts"

export const INTEGRATIONS_ENDPOINTS: readonly Endpoint[] = [...integrationEndpoints, ...integrationActionEndpoints]
