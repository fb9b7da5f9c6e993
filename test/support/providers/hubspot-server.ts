import { type Given, type StubRequest, type StubServer, startStub } from "./stub-server.ts"

/** The portal of a private app's token, and its behavior. */
export interface Portal {
  readonly contacts: readonly { readonly id: string; readonly email: string | null }[]
  /** Properties that exist from the start. */
  readonly properties?: readonly string[]
  /** Answers of the first calls; a 200 without a text is the usual answer. Later calls succeed. */
  readonly faults?: readonly Given[]
  /** Contacts that cannot be updated. */
  readonly locked?: readonly string[]
  /** Contacts without a required property: since 2026-09 HubSpot rejects a write that contains one. */
  readonly incomplete?: readonly string[]
  /** Calls per window of ten seconds. */
  readonly perWindow?: number
}

export interface HubspotServer extends StubServer {
  /** Written properties: contact id → property → value. Also at /written, for tests in another process. */
  readonly written: ReadonlyMap<string, Readonly<Record<string, string>>>
}

const UNAUTHENTICATED: Given = {
  status: 401,
  json: { status: "error", message: "Authentication credentials not found.", category: "INVALID_AUTHENTICATION" },
}
/** developers.hubspot.com, "API usage guidelines". */
export const hubspotRateLimit = (retryAfter: string): Given => ({
  status: 429,
  headers: { "retry-after": retryAfter },
  json: {
    status: "error",
    message: "You have reached your ten_secondly_rolling limit.",
    errorType: "RATE_LIMIT",
    policyName: "TEN_SECONDLY_ROLLING",
  },
})

/** developers.hubspot.com, "Handling errors": too many simultaneous writes. The lock lasts two seconds. */
export const HUBSPOT_LOCKED: Given = { status: 423, json: { status: "error", message: "Locked" } }
/** HubSpot moves the account between data centers, which takes a day at most. */
export const HUBSPOT_MOVING = (retryAfter: string): Given => ({
  status: 477,
  headers: { "retry-after": retryAfter },
  json: { status: "error", message: "Migration in progress" },
})

/** HubSpot's CRM objects and properties API of 2026-09, for the portals of the given tokens. */
export async function startHubspot(portals: Readonly<Record<string, Portal>>): Promise<HubspotServer> {
  const written = new Map<string, Record<string, string>>()
  const states = new Map(
    Object.entries(portals).map(([token, portal]) => [
      token,
      { portal, properties: new Set(["email", ...(portal.properties ?? [])]), calls: 0 },
    ]),
  )
  const server = await startStub((asked) => {
    if (asked.path === "/written") return { status: 200, json: Object.fromEntries(written) }
    const state = states.get(/^Bearer (.+)$/.exec(asked.headers.authorization ?? "")?.[1] ?? "")
    if (!state) return UNAUTHENTICATED
    const fault = (state.portal.faults ?? [])[state.calls++]
    if (fault && (fault.status !== 200 || fault.text !== undefined)) return fault
    const left = (state.portal.perWindow ?? 100) - state.calls
    const headers = {
      "x-hubspot-ratelimit-interval-milliseconds": "10000",
      "x-hubspot-ratelimit-remaining": String(Math.max(0, left)),
    }
    return { headers, ...answer(asked, state.portal, state.properties, written) }
  })
  return Object.assign(server, { written })
}

function answer(
  { method, path, query, body }: StubRequest,
  { contacts, locked = [], incomplete = [] }: Portal,
  properties: Set<string>,
  written: Map<string, Record<string, string>>,
): Given {
  const route = `${method} ${path}`
  if (route === "GET /account-info/2026-09/details")
    return { status: 200, json: { portalId: 4711, accountType: "STANDARD" } }
  if (route === "GET /crm/objects/2026-09/contacts") return list(contacts, query)
  if (route === "POST /crm/objects/2026-09/contacts/batch/update")
    return update(body, { properties, locked, incomplete, written })
  const property = /^GET \/crm\/properties\/2026-09\/contacts\/(\w+)$/.exec(route)?.[1]
  if (property !== undefined)
    return properties.has(property)
      ? { status: 200, json: { name: property } }
      : { status: 404, json: { status: "error", category: "OBJECT_NOT_FOUND" } }
  if (route === "POST /crm/properties/2026-09/contacts") {
    const { name, groupName, type, fieldType } = JSON.parse(body) as Record<string, string>
    if (!name || !groupName || !type || !fieldType) return { status: 400, json: { category: "VALIDATION_ERROR" } }
    // "Names for properties should be lowercase and have less than 100 characters."
    if (!/^[a-z0-9_]{1,99}$/.test(name)) return { status: 400, json: { category: "VALIDATION_ERROR" } }
    properties.add(name)
    return { status: 201, json: { name } }
  }
  return { status: 404, json: { status: "error", category: "OBJECT_NOT_FOUND" } }
}

function list(contacts: Portal["contacts"], query: URLSearchParams): Given {
  const limit = Number(query.get("limit") ?? 10)
  if (limit > 100) return { status: 400, json: { category: "VALIDATION_ERROR" } }
  const after = Number(query.get("after") ?? 0)
  const results = contacts.slice(after, after + limit).map(({ id, email }) => ({
    id,
    properties: { email, hs_object_id: id },
    archived: false,
  }))
  const end = after + results.length
  const link = `http://elsewhere.example/crm/objects/2026-09/contacts?after=${end}`
  return {
    status: 200,
    json: { results, ...(end < contacts.length ? { paging: { next: { after: String(end), link } } } : {}) },
  }
}

interface Batch {
  readonly inputs: readonly { readonly id: string; readonly properties: Record<string, string> }[]
}

function update(
  body: string,
  known: Required<Pick<Portal, "locked" | "incomplete">> & {
    properties: Set<string>
    written: Map<string, Record<string, string>>
  },
): Given {
  const { inputs } = JSON.parse(body) as Batch
  const isUnknown = inputs.some(({ properties }) => Object.keys(properties).some((name) => !known.properties.has(name)))
  const isIncomplete = inputs.some(({ id }) => known.incomplete.includes(id))
  if (inputs.length > 100 || isUnknown || isIncomplete)
    return { status: 400, json: { status: "error", category: "VALIDATION_ERROR" } }
  const taken = inputs.filter(({ id }) => !known.locked.includes(id))
  for (const { id, properties } of taken) known.written.set(id, { ...known.written.get(id), ...properties })
  const results = taken.map(({ id, properties }) => ({ id, properties }))
  if (taken.length === inputs.length) return { status: 200, json: { status: "COMPLETE", results } }
  const errors = [{ status: "error", category: "OBJECT_NOT_FOUND", message: "Could not get some CONTACT objects" }]
  return { status: 207, json: { status: "COMPLETE", results, numErrors: 1, errors } }
}
