import type { Endpoint } from "../../http/endpoint.ts"
import { breachEndpoints } from "./breach-intel.ts"
import { catchAllEndpoints } from "./catchall.ts"
import { directoryEndpoints } from "./directory.ts"
import { fastEndpoints } from "./fast.ts"
import { quickEndpoints } from "./quick.ts"
import { typoEndpoints } from "./typo.ts"
import { validateEndpoints } from "./validate.ts"

export const VERIFICATION_ENDPOINTS: readonly Endpoint[] = [
  ...validateEndpoints,
  ...fastEndpoints,
  ...quickEndpoints,
  ...typoEndpoints,
  ...breachEndpoints,
  ...catchAllEndpoints,
  ...directoryEndpoints,
]
