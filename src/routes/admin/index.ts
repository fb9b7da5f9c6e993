import type { Endpoint } from "../../http/endpoint.ts"
import { offeredPaymentEndpoints } from "../accounts/payment-offers.ts"
import { listEndpoints } from "../reference/domain-lists.ts"
import { databaseEndpoints } from "./database.ts"
import { operatorJobEndpoints } from "./jobs.ts"
import { metricsEndpoints, operationEndpoints, settingsEndpoints } from "./operations.ts"
import { statisticsEndpoints } from "./statistics.ts"
import { userAccessEndpoints } from "./user-access.ts"
import { userEndpoints } from "./users.ts"

export const ADMIN_ENDPOINTS: readonly Endpoint[] = [
  ...operationEndpoints,
  ...metricsEndpoints,
  ...userEndpoints,
  ...userAccessEndpoints,
  ...offeredPaymentEndpoints,
  ...operatorJobEndpoints,
  ...settingsEndpoints,
  ...listEndpoints,
  ...databaseEndpoints,
  ...statisticsEndpoints,
]
