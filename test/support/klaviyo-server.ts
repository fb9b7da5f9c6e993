import { type Asked, type Given, type StandIn, startStandIn } from "./stand-in.ts"

export interface KlaviyoList {
  readonly profiles: readonly { readonly id: string; readonly email: string | null }[]
  readonly faults?: readonly Given[]
}

export interface KlaviyoServer extends StandIn {
  /** Profile id → its properties. */
  readonly properties: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Also at /suppressed, for tests in another process. */
  readonly suppressed: ReadonlySet<string>
}

export const KLAVIYO_KEY = "pk_0123456789"
export const KLAVIYO_LIST = "Xy1234"

/** developers.klaviyo.com, "Rate limits, status codes, and errors". */
const refusal = (status: number, code: string, headers = {}): Given => ({
  status,
  headers,
  json: { errors: [{ id: "1", status, code, title: "No.", detail: "No." }] },
})
export const KLAVIYO_LIMITED = (seconds: string) => refusal(429, "throttled", { "retry-after": seconds })

interface JobBody {
  readonly data: {
    readonly type: string
    readonly attributes: {
      readonly profiles: {
        readonly data: readonly { id?: string; attributes: { email: string; properties?: Record<string, unknown> } }[]
      }
    }
  }
}

/** Klaviyo's lists, profiles and bulk jobs of revision 2026-01-15. */
export async function startKlaviyo({ profiles, faults = [] }: KlaviyoList): Promise<KlaviyoServer> {
  const properties = new Map<string, Record<string, unknown>>()
  const suppressed = new Set<string>()
  let calls = 0
  const server = await startStandIn((asked) => {
    if (asked.path === "/suppressed") return { status: 200, json: [...suppressed] }
    if (asked.headers.revision !== "2026-01-15") return refusal(400, "missing_revision")
    if (asked.headers.authorization !== `Klaviyo-API-Key ${KLAVIYO_KEY}`) return refusal(401, "not_authenticated")
    const fault = faults[calls++]
    if (fault && fault.status !== 200) return fault
    const headers = { "ratelimit-limit": "700, 75;w=1, 700;w=60", "ratelimit-remaining": "74", "ratelimit-reset": "1" }
    return { headers, ...answer(asked, profiles, { properties, suppressed }) }
  })
  return Object.assign(server, { properties, suppressed })
}

function answer(
  { method, path, query, body, headers }: Asked,
  profiles: KlaviyoList["profiles"],
  { properties, suppressed }: { properties: Map<string, object>; suppressed: Set<string> },
): Given {
  const route = `${method} ${path}`
  if (route === "GET /api/accounts") return { status: 200, json: { data: [{ type: "account", id: "AbC123" }] } }
  if (route === `GET /api/lists/${KLAVIYO_LIST}`) return { status: 200, json: { data: { id: KLAVIYO_LIST } } }
  if (route === `GET /api/lists/${KLAVIYO_LIST}/profiles`) return page(profiles, query, headers.host ?? "")
  if (method !== "POST") return refusal(404, "not_found")
  if (headers["content-type"] !== "application/vnd.api+json") return refusal(415, "unsupported_media_type")
  const { type, attributes } = (JSON.parse(body) as JobBody).data
  const given = attributes.profiles.data
  if (path === "/api/profile-bulk-import-jobs" && type === "profile-bulk-import-job") {
    for (const profile of given) properties.set(profile.id ?? "", profile.attributes.properties ?? {})
    return { status: 202, json: { data: { type, id: "job-1" } } }
  }
  if (path === "/api/profile-suppression-bulk-create-jobs" && type === "profile-suppression-bulk-create-job") {
    if (given.length > 100) return refusal(400, "invalid")
    for (const profile of given) suppressed.add(profile.attributes.email)
    return { status: 202, json: { data: { type, id: "job-2" } } }
  }
  return refusal(404, "not_found")
}

function page(profiles: KlaviyoList["profiles"], query: URLSearchParams, host: string): Given {
  const size = Number(query.get("page[size]") ?? 20)
  if (size > 100) return refusal(400, "invalid")
  const start = Number(atob(query.get("page[cursor]") ?? btoa("0")))
  const shown = profiles.slice(start, start + size)
  const end = start + shown.length
  const next = new URL(`http://${host}/api/lists/${KLAVIYO_LIST}/profiles`)
  next.searchParams.set("page[cursor]", btoa(String(end)))
  const data = shown.map(({ id, email }) => ({ type: "profile", id, attributes: { email } }))
  return { status: 200, json: { data, links: { next: end < profiles.length ? next.href : null } } }
}
