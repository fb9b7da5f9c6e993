import { type Given, type StubRequest, type StubServer, startStub } from "./stub-server.ts"

export interface KlaviyoList {
  readonly profiles: readonly { readonly id: string; readonly email: string | null }[]
  readonly faults?: readonly Given[]
  /** Addresses that an import job rejects. */
  readonly refused?: readonly string[]
  /** Number of polls until a job is done; "never" for a job that takes too long. */
  readonly polls?: number | "never"
}

export interface KlaviyoServer extends StubServer {
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
export async function startKlaviyo({
  profiles,
  faults = [],
  refused = [],
  polls = 0,
}: KlaviyoList): Promise<KlaviyoServer> {
  const properties = new Map<string, Record<string, unknown>>()
  const suppressed = new Set<string>()
  const jobs: ImportJob[] = []
  let calls = 0
  const server = await startStub((asked) => {
    if (asked.path === "/suppressed") return { status: 200, json: [...suppressed] }
    if (asked.headers.revision !== "2026-01-15") return refusal(400, "missing_revision")
    if (asked.headers.authorization !== `Klaviyo-API-Key ${KLAVIYO_KEY}`) return refusal(401, "not_authenticated")
    const fault = faults[calls++]
    if (fault && fault.status !== 200) return fault
    const headers = { "ratelimit-limit": "700, 75;w=1, 700;w=60", "ratelimit-remaining": "74", "ratelimit-reset": "1" }
    return { headers, ...answer(asked, profiles, { properties, suppressed, jobs, refused, polls }) }
  })
  return Object.assign(server, { properties, suppressed })
}

interface ImportJob {
  readonly total: number
  readonly failed: number
  polls: number
}

interface State extends Required<Pick<KlaviyoList, "refused" | "polls">> {
  readonly properties: Map<string, object>
  readonly suppressed: Set<string>
  readonly jobs: ImportJob[]
}

function answer(
  { method, path, query, body, headers }: StubRequest,
  profiles: KlaviyoList["profiles"],
  state: State,
): Given {
  const route = `${method} ${path}`
  if (route === "GET /api/accounts") return { status: 200, json: { data: [{ type: "account", id: "AbC123" }] } }
  if (route === `GET /api/lists/${KLAVIYO_LIST}`) return { status: 200, json: { data: { id: KLAVIYO_LIST } } }
  if (route === `GET /api/lists/${KLAVIYO_LIST}/profiles`) return page(profiles, query, headers.host ?? "")
  const [, number, errors] = /^GET \/api\/profile-bulk-import-jobs\/job-(\d+)(\/import-errors)?$/.exec(route) ?? []
  const job = state.jobs[Number(number)]
  if (job) return errors ? importErrors(job) : progress(job, state.polls)
  if (method !== "POST") return refusal(404, "not_found")
  if (headers["content-type"] !== "application/vnd.api+json") return refusal(415, "unsupported_media_type")
  return bulkJob(path, JSON.parse(body) as JobBody, state)
}

function bulkJob(path: string, { data }: JobBody, { properties, suppressed, jobs, refused }: State): Given {
  const { type, attributes } = data
  const given = attributes.profiles.data
  if (path === "/api/profile-bulk-import-jobs" && type === "profile-bulk-import-job") {
    const taken = given.filter((profile) => !refused.includes(profile.attributes.email))
    for (const profile of taken) properties.set(profile.id ?? "", profile.attributes.properties ?? {})
    jobs.push({ total: given.length, failed: given.length - taken.length, polls: 0 })
    const counts = { status: "queued", total_count: given.length, completed_count: 0, failed_count: 0 }
    return { status: 202, json: { data: { type, id: `job-${jobs.length - 1}`, attributes: counts } } }
  }
  if (path === "/api/profile-suppression-bulk-create-jobs" && type === "profile-suppression-bulk-create-job") {
    if (given.length > 100) return refusal(400, "invalid")
    for (const profile of given) suppressed.add(profile.attributes.email)
    return { status: 202, json: { data: { type, id: "suppression-1" } } }
  }
  return refusal(404, "not_found")
}

/** "Get Bulk Import Profiles Job": queued, processing, complete or cancelled. */
function progress(job: ImportJob, polls: State["polls"]): Given {
  const isDone = polls !== "never" && job.polls++ >= polls
  const attributes = isDone
    ? { status: "complete", total_count: job.total, completed_count: job.total, failed_count: job.failed }
    : { status: "processing", total_count: job.total, completed_count: 0, failed_count: 0 }
  return { status: 200, json: { data: { type: "profile-bulk-import-job", attributes } } }
}

/** "Get Errors for Bulk Import Profiles Job". */
function importErrors(job: ImportJob): Given {
  const data = Array.from({ length: job.failed }, (_, n) => ({
    type: "import-error",
    id: `error-${n}`,
    attributes: {
      code: "invalid",
      title: "Invalid input.",
      detail: "somebody@example.com is not a valid email.",
      source: { pointer: `/data/attributes/profiles/data/${n}/attributes/email` },
      original_payload: { email: "somebody@example.com" },
    },
  }))
  return { status: 200, json: { data, links: { next: null } } }
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
