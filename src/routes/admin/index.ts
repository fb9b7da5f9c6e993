import type { Endpoint } from "../../http/endpoint.ts"
import { databaseEndpoints } from "./database.ts"
import { operatorJobEndpoints } from "./jobs.ts"
import { listEndpoints } from "./lists.ts"
import { metricsEndpoints } from "./metrics.ts"
import { operationEndpoints } from "./operations.ts"
import { offeredPaymentEndpoints } from "./payment-offers.ts"
import { settingsEndpoints } from "./settings.ts"
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
