import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import {
  type ProviderResult,
  providerFailure,
  providerSuccess,
  readProviderUrl,
  salesforceHosts,
} from "../../domain/integrations/provider.ts"
import {
  type Api,
  type ApiDeps,
  type ApiReply,
  type ApiRequest,
  type ApiRules,
  createApi,
  readAs,
  unreadable,
} from "./api-client.ts"
import type { ContactBook } from "./contact-book.ts"

const NAME = "Salesforce"
const BASE = "/services/data/v62.0"
/** The smallest page size of a query and the largest collection of a write. */
const PAGE = 200
/** Share of the organization's daily calls that is left to other clients. */
const SHARE_FOR_OTHERS = 0.05
const DAILY_PAUSE_MS = 3_600_000

const ID = /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/
const Page = z.object({
  done: z.boolean(),
  records: z.array(z.object({ Id: z.string().regex(ID), Email: z.string().nullish() })),
  nextRecordsUrl: z.string().startsWith("/services/data/").optional(),
})
const Saved = z.array(
  z.object({ success: z.boolean(), errors: z.array(z.object({ statusCode: z.string() })).default([]) }),
)
const Described = z.object({ fields: z.array(z.object({ name: z.string(), updateable: z.boolean() })) })
const ApiFailure = z.array(z.object({ errorCode: z.string() })).min(1)
const GrantFailure = z.object({ error: z.string(), error_description: z.string().optional() })
const Cursor = z.object({ next: z.string().startsWith("/services/data/"), after: z.string().regex(ID) })

/** REST API Developer Guide, "API Request Limits": Sforce-Limit-Info: api-usage=18/5000; 403 at the limit. */
const RULES: ApiRules = {
  name: NAME,
  codeOf: (body) => ApiFailure.safeParse(body).data?.[0]?.errorCode ?? GrantFailure.safeParse(body).data?.error,
  outcomeOf: ({ body }, code) =>
    code === "REQUEST_LIMIT_EXCEEDED" ? "rate_limited" : isTemporary(body) ? "unreachable" : null,
  pauseAt: (code) => (code === "REQUEST_LIMIT_EXCEEDED" ? DAILY_PAUSE_MS : null),
  paceOf: (headers) => {
    const [, used, most] = /api-usage=(\d+)\/(\d+)/.exec(headers.get("sforce-limit-info") ?? "") ?? []
    return used && most && Number(used) > Number(most) * (1 - SHARE_FOR_OTHERS) ? DAILY_PAUSE_MS : null
  },
}

/**
 * Release notes of Winter '25, "Refresh Token Flow": the second of two concurrent refreshes also gets invalid_grant.
 * It is not retried at once: the token may have been replaced, and reusing it would revoke all tokens.
 */
function isTemporary(body: unknown): boolean {
  const { error, error_description } = GrantFailure.safeParse(body).data ?? {}
  return error === "unknown_error" || /already being processed/i.test(error_description ?? "")
}

/** Salesforce's REST API: reads contacts or leads by SOQL, writes results to two custom fields, 200 records a call. */
export function createSalesforce(
  { credentials, settings }: Pick<ConnectionOf<"salesforce">, "credentials" | "settings">,
  { loginUrl, storeRefreshToken, ...deps }: ApiDeps & Omit<SessionDeps, "api">,
): ContactBook {
  const call = createOrganizationCall(credentials, { api: createApi(RULES, deps), loginUrl, storeRefreshToken })
  const { object, status_field: statusField, score_field: scoreField } = settings

  /** Ordered by id, so that a sync can continue after any record. Converted leads are contacts and refuse updates. */
  function queryAfter(id: string | null): string {
    const current = object === "Lead" ? " AND IsConverted = false" : ""
    const behind = id === null ? "" : ` AND Id > '${id}'`
    const soql = `SELECT Id, Email FROM ${object} WHERE Email != null${current}${behind} ORDER BY Id`
    return `${BASE}/query?${new URLSearchParams({ q: soql })}`
  }

  const query = (path: string) => call("GET", path, { headers: { "sforce-query-options": `batchSize=${PAGE}` } })

  return {
    async check() {
      const described = readAs(NAME, Described, await call("GET", `${BASE}/sobjects/${object}/describe`))
      if (!described.ok) return described
      const writable = new Set(described.value.fields.flatMap(({ name, updateable }) => (updateable ? [name] : [])))
      const missing = [statusField, scoreField].filter((name) => !writable.has(name))
      if (missing.length === 0) return providerSuccess(object)
      const detail = `${NAME} has no writable field ${missing.join(" and ")} on ${object}; create it first`
      return providerFailure({ outcome: "refused", detail })
    },

    // Only an administrator can create custom fields. Without them no result can be written.
    async prepare() {
      const checked = await this.check()
      return checked.ok ? providerSuccess(null) : checked
    },

    async page(cursor) {
      const at = cursor === null ? null : Cursor.parse(JSON.parse(cursor))
      let found = await query(at ? at.next : queryAfter(null))
      // A query expires after two days at most. The sync then continues after the last id.
      if (at && !found.ok && found.failure.code === "INVALID_QUERY_LOCATOR") found = await query(queryAfter(at.after))
      const read = readAs(NAME, Page, found)
      if (!read.ok) return read
      const { records, done, nextRecordsUrl } = read.value
      const contacts = records.flatMap(({ Id, Email }) => (Email ? [{ id: Id, email: Email }] : []))
      const last = records.at(-1)?.Id
      const next = !done && nextRecordsUrl && last ? JSON.stringify({ next: nextRecordsUrl, after: last }) : null
      return providerSuccess({ contacts, next })
    },

    async write(findings) {
      let [written, rejected] = [0, 0]
      let code: string | null = null
      for (let from = 0; from < findings.length; from += PAGE) {
        const records = findings.slice(from, from + PAGE).map(({ id, status, score }) => ({
          attributes: { type: object },
          id,
          [statusField]: status,
          [scoreField]: score,
        }))
        const saved = await call("PATCH", `${BASE}/composite/sobjects`, { json: { allOrNone: false, records } })
        const read = readAs(NAME, Saved, saved)
        if (!read.ok) return read
        const failed = read.value.filter(({ success }) => !success)
        written += read.value.length - failed.length
        rejected += failed.length
        code ??= failed[0]?.errors[0]?.statusCode ?? null
      }
      return providerSuccess({ written, rejected, code })
    },
  }
}

const Token = z.object({
  access_token: z.string().min(1),
  instance_url: z.string().min(1),
  /** Sent when the app rotates refresh tokens; the previous token is invalid from now on. */
  refresh_token: z.string().min(1).optional(),
})

interface Session {
  readonly token: string
  readonly origin: string
}

interface SessionDeps {
  readonly api: Api
  readonly loginUrl: string
  /** Stores a new refresh token before it is used. */
  readonly storeRefreshToken: (refreshToken: string) => Promise<void>
}

/** A call in the organization, by its path. */
type OrganizationCall = (
  method: ApiRequest["method"],
  path: string,
  options?: { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<ProviderResult<ApiReply>>

/** Signs in at the first call, and once more when the token has expired (OAuth 2.0, RFC 6749 §4.4 and §6). */
function createOrganizationCall(
  credentials: ConnectionOf<"salesforce">["credentials"],
  { api, loginUrl, storeRefreshToken }: SessionDeps,
): OrganizationCall {
  const hosts = salesforceHosts({ salesforceLoginUrl: loginUrl })
  let { refresh_token: refreshToken } = credentials
  let session: Session | null = null

  async function requestToken(): Promise<ProviderResult<ApiReply>> {
    const { client_id, client_secret, domain } = credentials
    const at = readProviderUrl(domain ?? (refreshToken ? loginUrl : ""), hosts)
    if (!at.ok) return providerFailure({ outcome: "refused", detail: `the domain ${at.problem}` })
    const grant = refreshToken
      ? { grant_type: "refresh_token", refresh_token: refreshToken }
      : { grant_type: "client_credentials" }
    const form = { ...grant, client_id, ...(client_secret ? { client_secret } : {}) }
    const reply = await api({ method: "POST", url: `${originOf(at.url)}/services/oauth2/token`, form })
    return reply.ok || !isRefusedGrant(reply.failure) ? reply : { ok: false, failure: unauthorized(reply.failure) }
  }

  async function signIn(): Promise<ProviderResult<Session>> {
    const reply = await requestToken()
    if (!reply.ok) return reply
    const read = Token.safeParse(reply.value.body)
    const instance = read.success ? readProviderUrl(read.data.instance_url, hosts) : null
    if (!read.success || !instance?.ok) return unreadable(NAME, reply.value)
    const { access_token: token, refresh_token: renewed } = read.data
    if (renewed !== undefined && renewed !== refreshToken) {
      refreshToken = renewed
      await storeRefreshToken(renewed)
    }
    session = { token, origin: originOf(instance.url) }
    return providerSuccess(session)
  }

  return async function call(method, path, { json, headers = {} } = {}) {
    for (let tries = 1; ; tries++) {
      const open = session ? providerSuccess<Session>(session) : await signIn()
      if (!open.ok) return open
      const reply = await api({
        method,
        url: `${open.value.origin}${path}`,
        headers: { ...headers, authorization: `Bearer ${open.value.token}` },
        json,
      })
      if (reply.ok || reply.failure.httpStatus !== 401 || tries > 1) return reply
      session = null
    }
  }
}

type Failed = Extract<ProviderResult<never>, { ok: false }>["failure"]

/** A token endpoint answers 400 for invalid credentials (RFC 6749 §5.2). */
function isRefusedGrant({ httpStatus, outcome }: Failed): boolean {
  return outcome === "refused" && httpStatus === 400
}

function unauthorized(failure: Failed): Failed {
  const suffix = failure.code === null ? "" : ` (${failure.code})`
  return { ...failure, outcome: "unauthorized", detail: `${NAME} does not accept the credentials${suffix}` }
}

function originOf(url: string): string {
  return new URL(url).origin
}
