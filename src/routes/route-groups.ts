import type { AnswerInside, Endpoint } from "../http/endpoint.ts"
import { BULK_ENDPOINTS } from "./lists/bulk.ts"
import { VERIFICATION_ENDPOINTS } from "./verification/validate.ts"

/** Endpoints that are loaded together, at the first request to one of them. */
export interface RouteGroup {
  /** The first segments of their paths. No other group has them. */
  readonly segments: readonly string[]
  load(answerInside: AnswerInside): Promise<readonly Endpoint[]>
}

/** Verification and lists are most of the traffic. They are ready when an isolate starts. */
export const READY_ENDPOINTS: readonly Endpoint[] = [...VERIFICATION_ENDPOINTS, ...BULK_ENDPOINTS]

export const ROUTE_GROUPS: readonly RouteGroup[] = [
  {
    segments: ["auth", "billing", "keys", "me", "plans", "usage"],
    load: async () => (await import("./accounts/index.ts")).ACCOUNTS_ENDPOINTS,
  },
  { segments: ["suppression"], load: async () => (await import("./suppression/list.ts")).SUPPRESSION_ENDPOINTS },
  {
    segments: ["bounce", "delivered", "feedback", "received", "webhooks"],
    async load() {
      const [{ FEEDBACK_ENDPOINTS }, { WEBHOOKS_ENDPOINTS }] = await Promise.all([
        import("./suppression/reports.ts"),
        import("./webhooks/webhooks.ts"),
      ])
      return [...FEEDBACK_ENDPOINTS, ...WEBHOOKS_ENDPOINTS]
    },
  },
  {
    segments: ["domain-formats", "find-email"],
    load: async () => (await import("./finder/find-email.ts")).FINDER_ENDPOINTS,
  },
  {
    segments: ["activity", "check", "cohort", "deliverability", "domain-intel", "score"],
    load: async () => (await import("./signals/index.ts")).SIGNALS_ENDPOINTS,
  },
  {
    segments: ["benchmark", "catchall-classifier", "ml"],
    load: async () => (await import("./learning/ml.ts")).LEARNING_ENDPOINTS,
  },
  {
    segments: ["admin", "cache", "db", "stats"],
    load: async () => (await import("./admin/index.ts")).ADMIN_ENDPOINTS,
  },
  {
    segments: ["compliance", "gdpr"],
    load: async () => (await import("./compliance/compliance.ts")).COMPLIANCE_ENDPOINTS,
  },
  {
    segments: ["fleet", "greylist", "health", "infra", "ip-pool", "ips", "regions", "sender-domains", "senders"],
    load: async () => (await import("./fleet/index.ts")).FLEET_ENDPOINTS,
  },
  { segments: ["form"], load: async () => (await import("./form/verify.ts")).FORM_ENDPOINTS },
  {
    segments: ["integrations"],
    load: async () => (await import("./integrations/integrations.ts")).INTEGRATIONS_ENDPOINTS,
  },
  {
    segments: [".well-known", "oauth"],
    async load() {
      const [{ OAUTH_METADATA }, { OAUTH_PROTOCOL }, { OAUTH_CONSENT_ENDPOINTS }] = await Promise.all([
        import("./oauth/metadata.ts"),
        import("./oauth/protocol.ts"),
        import("./oauth/consent.ts"),
      ])
      return [...OAUTH_METADATA, ...OAUTH_PROTOCOL, ...OAUTH_CONSENT_ENDPOINTS]
    },
  },
  { segments: ["mcp"], load: async (answerInside) => [(await import("./mcp/mcp.ts")).mcpEndpoint(answerInside)] },
]

const GROUP_OF = new Map(ROUTE_GROUPS.flatMap((group) => group.segments.map((segment) => [segment, group])))

/** The group of the endpoints at a URL. Null where `READY_ENDPOINTS`, pages and unknown paths are. */
export function routeGroupAt(url: string): RouteGroup | null {
  return GROUP_OF.get(firstSegmentOf(url)) ?? null
}

/** The first segment of an absolute URL's path, decoded like the router does. */
function firstSegmentOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2) + 1
  if (start === 0) return ""
  let end = start
  while (end < url.length && !"/?#".includes(url[end]!)) end++
  const segment = url.slice(start, end)
  return segment.includes("%") ? decoded(segment) : segment
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
