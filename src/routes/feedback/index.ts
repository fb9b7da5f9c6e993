import type { Endpoint } from "../../http/endpoint.ts"
import { bounceEndpoints } from "./bounce.ts"
import { engagementEndpoints } from "./engagement.ts"
import { inboundEndpoints } from "./inbound.ts"
import { receivedEndpoints } from "./received.ts"
import { receiverEndpoints } from "./receivers.ts"

export const FEEDBACK_ENDPOINTS: readonly Endpoint[] = [
  ...bounceEndpoints,
  ...receivedEndpoints,
  ...engagementEndpoints,
  ...receiverEndpoints,
  ...inboundEndpoints,
]
