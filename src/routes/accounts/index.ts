import type { Endpoint } from "../../http/endpoint.ts"
import { authEndpoints } from "./auth.ts"
import { billingEndpoints } from "./billing.ts"
import { keyEndpoints } from "./keys.ts"
import { meEndpoints } from "./me.ts"
import { alertEndpoints, auditTrailEndpoints, myAccountEndpoints } from "./my-account.ts"
import { paymentOfferEndpoints } from "./payment-offers.ts"
import { planEndpoints } from "./plans.ts"
import { unconfirmedKeyEndpoints } from "./unconfirmed-keys.ts"

export const ACCOUNTS_ENDPOINTS: readonly Endpoint[] = [
  ...planEndpoints,
  ...alertEndpoints,
  ...billingEndpoints,
  ...paymentOfferEndpoints,
  ...keyEndpoints,
  ...authEndpoints,
  ...meEndpoints,
  ...myAccountEndpoints,
  ...auditTrailEndpoints,
  ...unconfirmedKeyEndpoints,
]
