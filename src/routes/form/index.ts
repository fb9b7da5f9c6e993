import type { Endpoint } from "../../http/endpoint.ts"
import { verifyFormEndpoints } from "./verify.ts"

export const FORM_ENDPOINTS: readonly Endpoint[] = [...verifyFormEndpoints]
