import { z } from "zod"
import type { ConnectionOf } from "../../../schema/wire/integrations.ts"
import { readProviderUrl } from "../../domain/integrations/provider-url.ts"
import { type Answered, answered, troubled } from "../../domain/integrations/trouble.ts"
import { type Api, type ApiReply, type ApiRequest, unreadable } from "./api-client.ts"
import { salesforceHosts } from "./own-urls.ts"

const NAME = "Salesforce"
const Token = z.object({
  access_token: z.string().min(1),
  instance_url: z.string().min(1),
  /** When the app has its refresh tokens rotated: the one before is worthless from now on. */
  refresh_token: z.string().min(1).optional(),
})

interface Session {
  readonly token: string
  readonly origin: string
}

export interface SessionNeeds {
  readonly api: Api
  readonly loginUrl: string
  /** Told a new refresh token before anything else is done with it. */
  readonly keepRefreshToken: (refreshToken: string) => Promise<void>
}

/** A call in the organization, by its path. */
export type OrganizationCall = (
  method: ApiRequest["method"],
  path: string,
  options?: { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Answered<ApiReply>>

/** Signs in when first called, and once more when the token has ended (OAuth 2.0, RFC 6749 §4.4 and §6). */
export function signedInCalls(
  credentials: ConnectionOf<"salesforce">["credentials"],
  { api, loginUrl, keepRefreshToken }: SessionNeeds,
): OrganizationCall {
  const hosts = salesforceHosts({ salesforceLoginUrl: loginUrl })
  let { refresh_token: refreshToken } = credentials
  let session: Session | null = null

  async function askForToken(): Promise<Answered<ApiReply>> {
    const { client_id, client_secret, domain } = credentials
    const at = readProviderUrl(domain ?? (refreshToken ? loginUrl : ""), hosts)
    if (!at.ok) return troubled({ outcome: "refused", detail: `the domain ${at.problem}` })
    const grant = refreshToken
      ? { grant_type: "refresh_token", refresh_token: refreshToken }
      : { grant_type: "client_credentials" }
    const form = { ...grant, client_id, ...(client_secret ? { client_secret } : {}) }
    const reply = await api({ method: "POST", url: `${originOf(at.url)}/services/oauth2/token`, form })
    return reply.ok || !isRefusedGrant(reply.trouble) ? reply : { ok: false, trouble: unauthorized(reply.trouble) }
  }

  async function signIn(): Promise<Answered<Session>> {
    const reply = await askForToken()
    if (!reply.ok) return reply
    const read = Token.safeParse(reply.value.body)
    const place = read.success ? readProviderUrl(read.data.instance_url, hosts) : null
    if (!read.success || !place?.ok) return unreadable(NAME, reply.value)
    const { access_token: token, refresh_token: renewed } = read.data
    if (renewed !== undefined && renewed !== refreshToken) {
      refreshToken = renewed
      await keepRefreshToken(renewed)
    }
    session = { token, origin: originOf(place.url) }
    return answered(session)
  }

  return async function call(method, path, { json, headers = {} } = {}) {
    for (let tries = 1; ; tries++) {
      const open = session ? answered<Session>(session) : await signIn()
      if (!open.ok) return open
      const reply = await api({
        method,
        url: `${open.value.origin}${path}`,
        headers: { ...headers, authorization: `Bearer ${open.value.token}` },
        ...(json === undefined ? {} : { json }),
      })
      if (reply.ok || reply.trouble.httpStatus !== 401 || tries > 1) return reply
      session = null
    }
  }
}

type Failed = Extract<Answered<never>, { ok: false }>["trouble"]

/** A token endpoint says 400 for credentials it does not know (RFC 6749 §5.2). */
function isRefusedGrant({ httpStatus, outcome }: Failed): boolean {
  return outcome === "refused" && httpStatus === 400
}

function unauthorized(trouble: Failed): Failed {
  const said = trouble.code === null ? "" : ` (${trouble.code})`
  return { ...trouble, outcome: "unauthorized", detail: `${NAME} does not accept the credentials${said}` }
}

function originOf(url: string): string {
  return new URL(url).origin
}
