import { type Given, type StubRequest, type StubServer, startStub } from "./stub-server.ts"

export interface Organization {
  readonly contacts: readonly { readonly Id: string; readonly Email: string }[]
  /** Leads that became contacts and can no longer be written. */
  readonly converted?: readonly string[]
  readonly refreshToken: string
  /** Each use of a refresh token replaces it. */
  readonly rotates?: boolean
  /** An error for valid credentials, for example because of a simultaneous token request. */
  readonly noToken?: { readonly error: string; readonly error_description: string }
  /** Number of calls that an access token is valid for. */
  readonly usesOfToken?: number
  /** Query locators expire at once, as they do after two days. */
  readonly forgetsQueries?: boolean
  /** Ids whose update fails. */
  readonly locked?: readonly string[]
  readonly usage?: string
  /** Every call is rejected because the daily limit is used up. */
  readonly isExhausted?: boolean
}

export interface SalesforceServer extends StubServer {
  /** Also at /written, for tests in another process. */
  readonly written: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Valid refresh tokens, the newest last. */
  readonly refreshTokens: readonly string[]
}

export const SALESFORCE_APP = { client_id: "3MVG9.app", client_secret: "F00" } as const
const BASE = "/services/data/v62.0"
const BATCH = 200
const SOQL =
  /^SELECT Id, Email FROM (Contact|Lead) WHERE Email != null( AND IsConverted = false)?(?: AND Id > '\w+')? ORDER BY Id$/

const failure = (status: number, errorCode: string): Given => ({ status, json: [{ errorCode, message: "no" }] })

/** Salesforce's token endpoint, queries and collections, for one organization. */
export async function startSalesforce(organization: Organization): Promise<SalesforceServer> {
  const written = new Map<string, Record<string, unknown>>()
  const refreshTokens = [organization.refreshToken]
  let [left, tokens] = [0, 0]
  const server = await startStub((asked) => {
    if (asked.path === "/written") return { status: 200, json: Object.fromEntries(written) }
    if (asked.path === "/services/oauth2/token") {
      if (organization.noToken) return { status: 400, json: organization.noToken }
      left = organization.usesOfToken ?? Number.POSITIVE_INFINITY
      return grant(asked, { organization, refreshTokens, token: `00D!access-${++tokens}` })
    }
    if (asked.headers.authorization !== `Bearer 00D!access-${tokens}` || left-- <= 0)
      return failure(401, "INVALID_SESSION_ID")
    if (organization.isExhausted) return failure(403, "REQUEST_LIMIT_EXCEEDED")
    const headers = { "sforce-limit-info": `api-usage=${organization.usage ?? "18/5000"}` }
    return { headers, ...answer(asked, organization, written) }
  })
  return Object.assign(server, { written, refreshTokens })
}

function grant(
  { body, headers }: StubRequest,
  { organization, refreshTokens, token }: { organization: Organization; refreshTokens: string[]; token: string },
): Given {
  const form = Object.fromEntries(new URLSearchParams(body))
  if (form.client_id !== SALESFORCE_APP.client_id) return { status: 400, json: { error: "invalid_client_id" } }
  if (form.client_secret !== SALESFORCE_APP.client_secret) return { status: 400, json: { error: "invalid_client" } }
  if (form.grant_type === "refresh_token" && form.refresh_token !== refreshTokens.at(-1))
    return { status: 400, json: { error: "invalid_grant", error_description: "expired access/refresh token" } }
  const rotated = form.grant_type === "refresh_token" && organization.rotates
  if (rotated) refreshTokens.push(`${organization.refreshToken}-${refreshTokens.length}`)
  const instance_url = `http://${headers.host}`
  const renewed = rotated ? { refresh_token: refreshTokens.at(-1) } : {}
  return { status: 200, json: { access_token: token, instance_url, token_type: "Bearer", id: "https://x", ...renewed } }
}

function answer(
  { method, path, query, body, headers }: StubRequest,
  organization: Organization,
  written: Map<string, object>,
) {
  if (method === "GET" && /\/sobjects\/(Contact|Lead)\/describe$/.test(path)) {
    const names = ["Mailverdict_Status__c", "Mailverdict_Score__c"]
    return { status: 200, json: { fields: names.map((name) => ({ name, updateable: true })) } }
  }
  if (method === "GET" && path === `${BASE}/query`) {
    const soql = query.get("q") ?? ""
    const [, object, unconverted] = SOQL.exec(soql) ?? []
    if (!object || headers["sforce-query-options"] !== `batchSize=${BATCH}`) return failure(400, "MALFORMED_QUERY")
    if (object === "Contact" && unconverted) return failure(400, "INVALID_FIELD")
    return records(asked(organization, unconverted !== undefined), /Id > '(\w+)'/.exec(soql)?.[1] ?? "")
  }
  const locator = new RegExp(`^${BASE}/query/01g-(\\w+)$`).exec(path)?.[1]
  if (method === "GET" && locator !== undefined)
    return organization.forgetsQueries ? failure(400, "INVALID_QUERY_LOCATOR") : records(organization, locator)
  if (method === "PATCH" && path === `${BASE}/composite/sobjects`) return save(body, organization, written)
  return failure(404, "NOT_FOUND")
}

/** The query's contacts. Queries over leads are too short for a locator here. */
function asked({ contacts, converted = [], ...rest }: Organization, withoutConverted: boolean): Organization {
  return { ...rest, contacts: withoutConverted ? contacts.filter(({ Id }) => !converted.includes(Id)) : contacts }
}

function records({ contacts }: Organization, after: string): Given {
  const behind = contacts.filter(({ Id }) => Id > after)
  const page = behind.slice(0, BATCH)
  const done = page.length === behind.length
  const nextRecordsUrl = `${BASE}/query/01g-${page.at(-1)?.Id}`
  return {
    status: 200,
    json: { totalSize: contacts.length, done, records: page, ...(done ? {} : { nextRecordsUrl }) },
  }
}

function save(body: string, { locked = [], converted = [] }: Organization, written: Map<string, object>): Given {
  const { allOrNone, records } = JSON.parse(body) as { allOrNone: boolean; records: ({ id: string } & object)[] }
  if (allOrNone || records.length > 200) return failure(400, "INVALID_INPUT")
  const results = records.map(({ id, ...fields }) => {
    const refused = (statusCode: string) => ({ id, success: false, errors: [{ statusCode, fields: [] }] })
    if (locked.includes(id)) return refused("UNABLE_TO_LOCK_ROW")
    if (converted.includes(id)) return refused("CANNOT_UPDATE_CONVERTED_LEAD")
    written.set(id, fields)
    return { id, success: true, errors: [] }
  })
  return { status: 200, json: results }
}
