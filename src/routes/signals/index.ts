import type { Endpoint } from "../../http/endpoint.ts"
import { checkAddressEndpoints } from "./check-address.ts"
import { checkDomainEndpoints, mxIntelEndpoints } from "./check-domain.ts"
import { checkNameEndpoints } from "./check-name.ts"
import { checkPagesEndpoints } from "./check-pages.ts"
import { intelligenceEndpoints } from "./intelligence.ts"
import { scoreEndpoints } from "./score.ts"

export const SIGNALS_ENDPOINTS: readonly Endpoint[] = [
  ...checkAddressEndpoints,
  ...checkDomainEndpoints,
  ...checkNameEndpoints,
  ...checkPagesEndpoints,
  ...intelligenceEndpoints,
  ...mxIntelEndpoints,
  ...scoreEndpoints,
]
