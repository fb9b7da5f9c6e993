import type { Endpoint } from "../../http/endpoint.ts"
import { authEndpoints } from "./auth.ts"
import { billingEndpoints } from "./billing.ts"
import { keyEndpoints } from "./keys.ts"
import { meEndpoints } from "./me.ts"
import { myAccountEndpoints } from "./my-account.ts"
import { unconfirmedKeyEndpoints } from "./unconfirmed-keys.ts"

export const ACCOUNTS_ENDPOINTS: readonly Endpoint[] = [
  ...billingEndpoints,
  ...keyEndpoints,
  ...authEndpoints,
  ...meEndpoints,
  ...myAccountEndpoints,
  ...unconfirmedKeyEndpoints,
]
