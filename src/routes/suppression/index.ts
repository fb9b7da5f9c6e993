import type { Endpoint } from "../../http/endpoint.ts"
import { suppressionListEndpoints } from "./list.ts"
import { suppressionEndpoints } from "./suppression.ts"
import { suppressionTransferEndpoints } from "./transfer.ts"

export const SUPPRESSION_ENDPOINTS: readonly Endpoint[] = [
  ...suppressionListEndpoints,
  ...suppressionEndpoints,
  ...suppressionTransferEndpoints,
]
