import type { Endpoint } from "../../http/endpoint.ts"
import { domainFormatEndpoints } from "./domain-formats.ts"
import { findEmailEndpoints } from "./find-email.ts"

export const FINDER_ENDPOINTS: readonly Endpoint[] = [...findEmailEndpoints, ...domainFormatEndpoints]
