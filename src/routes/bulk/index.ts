import type { Endpoint } from "../../http/endpoint.ts"
import { bulkEndpoints } from "./bulk.ts"
import { compareEndpoints } from "./compare.ts"
import { dedupEndpoints } from "./dedup.ts"
import { jobEndpoints } from "./jobs.ts"
import { resultEndpoints } from "./results.ts"
import { uploadEndpoints } from "./upload.ts"

export const BULK_ENDPOINTS: readonly Endpoint[] = [
  ...bulkEndpoints,
  ...jobEndpoints,
  ...uploadEndpoints,
  ...resultEndpoints,
  ...compareEndpoints,
  ...dedupEndpoints,
]
