import type { Endpoint } from "../../http/endpoint.ts"
import { benchmarkEndpoints } from "./benchmark.ts"
import { catchAllClassifierEndpoints, mlEndpoints } from "./ml.ts"

export const LEARNING_ENDPOINTS: readonly Endpoint[] = [
  ...mlEndpoints,
  ...catchAllClassifierEndpoints,
  ...benchmarkEndpoints,
]
