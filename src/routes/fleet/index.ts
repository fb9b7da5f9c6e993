import type { Endpoint } from "../../http/endpoint.ts"
import { canaryEndpoints } from "./canaries.ts"
import { healthEndpoints } from "./health.ts"
import { ipEndpoints } from "./ips.ts"
import { nodeEndpoints } from "./nodes.ts"
import { regionEndpoints } from "./regions.ts"
import { answerEndpoints, senderEndpoints } from "./senders.ts"

export const FLEET_ENDPOINTS: readonly Endpoint[] = [
  ...healthEndpoints,
  ...regionEndpoints,
  ...ipEndpoints,
  ...senderEndpoints,
  ...answerEndpoints,
  ...canaryEndpoints,
  ...nodeEndpoints,
]
