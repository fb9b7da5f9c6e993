import type { Endpoint } from "../../http/endpoint.ts"
import { suppressionEndpoints } from "./suppression.ts"
import { suppressionTransferEndpoints } from "./transfer.ts"

export const SUPPRESSION_ENDPOINTS: readonly Endpoint[] = [...suppressionEndpoints, ...suppressionTransferEndpoints]
