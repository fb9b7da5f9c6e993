import type { Fetch } from "../outbound.ts"
import type { AccessTokens, TokenRequest } from "./access-token.ts"

const TIMEOUT_MS = 5_000

/** A response of a directory's API: its status and its body when that is JSON. */
export interface ApiAnswer {
  readonly status: number
  readonly body: unknown
}

/** GET with an access token; after a 401 retries once with a new token. @throws Error when the API is unreachable */
export function signedInFetch(deps: { fetch: Fetch; tokens: AccessTokens }, token: TokenRequest) {
  async function once(url: string, headers: Readonly<Record<string, string>>): Promise<ApiAnswer> {
    const response = await deps.fetch(url, {
      headers: { ...headers, authorization: `Bearer ${await deps.tokens.get(token)}`, accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 200) return { status: 200, body: await response.json() }
    return { status: response.status, body: await response.json().catch(() => null) }
  }

  return async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiAnswer> {
    const answer = await once(url, headers)
    if (answer.status !== 401) return answer
    deps.tokens.forget(token.name)
    return once(url, headers)
  }
}
