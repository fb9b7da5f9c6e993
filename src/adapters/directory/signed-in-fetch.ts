import type { Fetch } from "../outbound.ts"
import type { AccessTokens, TokenRequest } from "./access-token.ts"

const TIMEOUT_MS = 5_000

/** An answer of a directory's API: its status and, when it is JSON, its body. */
export interface ApiAnswer {
  readonly status: number
  readonly body: unknown
}

/** GET with an access token; a token that is refused is fetched once more. @throws Error when the API cannot be reached */
export function signedInFetch(needs: { fetch: Fetch; tokens: AccessTokens }, token: TokenRequest) {
  async function once(url: string, headers: Readonly<Record<string, string>>): Promise<ApiAnswer> {
    const response = await needs.fetch(url, {
      headers: { ...headers, authorization: `Bearer ${await needs.tokens.get(token)}`, accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 200) return { status: 200, body: await response.json() }
    return { status: response.status, body: await response.json().catch(() => null) }
  }

  return async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiAnswer> {
    const answer = await once(url, headers)
    if (answer.status !== 401) return answer
    needs.tokens.forget(token.name)
    return once(url, headers)
  }
}
