import type { Endpoint } from "../../http/endpoint.ts"
import { complianceEndpoints } from "./compliance.ts"
import { gdprEndpoints } from "./gdpr.ts"

export const COMPLIANCE_ENDPOINTS: readonly Endpoint[] = [...complianceEndpoints, ...gdprEndpoints]
