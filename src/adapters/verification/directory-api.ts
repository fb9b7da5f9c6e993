import { z } from "zod"
import type { ValidAddress } from "../../domain/address/parse.ts"
import type { DirectoryAnswer } from "../../domain/verification/directory.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"

/** A company's directory of mailboxes, with access granted by its administrator. */
export interface Directory {
  /** Never rejects. */
  find(address: ValidAddress): Promise<DirectoryAnswer>
}

/** A directory, or the settings that it lacks. */
export type ConfiguredDirectory =
  | {
      readonly isConfigured: true
      readonly directory: Directory
      /** The part that the operator shares with accounts; null for none. */
      readonly shared: Directory | null
    }
  | { readonly isConfigured: false; readonly missing: readonly string[] }

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

const Token = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().default(3_600) })

/** A token is replaced this long before it expires, in ms. */
const MARGIN_MS = 60_000
const MAX_TOKENS = 100

/** Plain text may outlive a request: an isolate fetches each token once an hour. */
const isolateTokens = new Map<string, { readonly token: string; readonly until: number }>()

interface TokenRequest {
  /** Identifies the token's purpose; equal names share a token. */
  readonly name: string
  readonly url: string
  /** Creates the form to send (RFC 6749 §4.4, RFC 7523 §2.1). Called only when a token is fetched. */
  readonly form: () => Promise<Readonly<Record<string, string>>>
}

export type AccessTokens = ReturnType<typeof createAccessTokens>

export function createAccessTokens({
  fetch,
  clock,
  tokens = isolateTokens,
}: {
  fetch: Fetch
  clock: Clock
  tokens?: Map<string, { readonly token: string; readonly until: number }>
}) {
  return {
    /** @throws Error when the token endpoint refuses */
    async get({ name, url, form }: TokenRequest): Promise<string> {
      const known = tokens.get(name)
      if (known && known.until > clock.now()) return known.token
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: new URLSearchParams(await form()).toString(),
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new Error(`the token endpoint answered ${response.status}`)
      }
      const { access_token, expires_in } = Token.parse(await response.json())
      if (tokens.size >= MAX_TOKENS) tokens.clear()
      tokens.set(name, { token: access_token, until: clock.now() + expires_in * 1_000 - MARGIN_MS })
      return access_token
    },

    /** Drops a refused token, so that the next `get` fetches a new one. */
    forget(name: string): void {
      tokens.delete(name)
    },
  }
}
