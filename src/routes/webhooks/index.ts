import type { Endpoint } from "../../http/endpoint.ts"
import { accountEndpointEndpoints } from "./endpoints.ts"
import { webhookEndpoints } from "./webhooks.ts"

export const WEBHOOKS_ENDPOINTS: readonly Endpoint[] = [...webhookEndpoints, ...accountEndpointEndpoints]
