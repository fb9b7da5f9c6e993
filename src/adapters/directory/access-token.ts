import { z } from "zod"
import type { Fetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"

const Token = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().default(3_600) })

/** A token is given up this long before its end, in ms. */
const MARGIN_MS = 60_000
const TIMEOUT_MS = 5_000
const MAX_TOKENS = 100

/** Plain text outlives a request without harm: an isolate fetches each token once an hour. */
const isolateTokens = new Map<string, { readonly token: string; readonly until: number }>()

export interface TokenRequest {
  /** Names what the token is for; equal names share a token. */
  readonly name: string
  readonly url: string
  /** The form to send (RFC 6749 §4.4, RFC 7523 §2.1), made only when a token is fetched. */
  readonly form: () => Promise<Readonly<Record<string, string>>>
}

export interface AccessTokens {
  /** @throws Error when the token endpoint refuses */
  get(request: TokenRequest): Promise<string>
  /** The next `get` fetches anew: the token was refused. */
  forget(name: string): void
}

export function createAccessTokens({
  fetch,
  clock,
  tokens = isolateTokens,
}: {
  fetch: Fetch
  clock: Clock
  tokens?: Map<string, { readonly token: string; readonly until: number }>
}): AccessTokens {
  return {
    async get({ name, url, form }) {
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

    forget(name) {
      tokens.delete(name)
    },
  }
}
