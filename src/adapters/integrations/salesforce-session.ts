import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import {
  type ProviderResult,
  providerFailure,
  providerSuccess,
  readProviderUrl,
  salesforceHosts,
} from "../../domain/integrations/provider.ts"
import { type Api, type ApiReply, type ApiRequest, unreadable } from "./api-client.ts"

const NAME = "Salesforce"
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

export interface SessionDeps {
  readonly api: Api
  readonly loginUrl: string
  /** Stores a new refresh token before it is used. */
  readonly storeRefreshToken: (refreshToken: string) => Promise<void>
}

/** A call in the organization, by its path. */
export type OrganizationCall = (
  method: ApiRequest["method"],
  path: string,
  options?: { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<ProviderResult<ApiReply>>

/** Signs in at the first call, and once more when the token has expired (OAuth 2.0, RFC 6749 §4.4 and §6). */
export function createOrganizationCall(
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
        ...(json === undefined ? {} : { json }),
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
