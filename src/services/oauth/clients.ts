import type { Context } from "../../context.ts"
import { sameSecret, sha256 } from "../../domain/accounts/crypto.ts"
import { packed, type Registration, readRegistration, unpacked } from "../../domain/oauth/clients.ts"
import { OAuthError } from "../../domain/oauth/grants.ts"

/** 128 bits of an HMAC as hex. */
const SIGNATURE_LENGTH = 32
const CLIENT_ID = /^mvc_([\w-]{1,1500})\.([0-9a-f]{32})$/

/**
 * Registers a client without storing anything: its id holds its registration, signed by the pepper (RFC 7591 A.5.2).
 * @throws OAuthError invalid_redirect_uri, invalid_client_metadata
 */
export async function registerClient(
  { digests }: Pick<Context, "digests">,
  given: Parameters<typeof readRegistration>[0],
): Promise<Registration & { readonly clientId: string }> {
  const registration = readRegistration(given)
  const text = packed(registration)
  const signature = await digests.of("oauth-client", await sha256(text))
  return { ...registration, clientId: `mvc_${text}.${signature.slice(0, SIGNATURE_LENGTH)}` }
}

/** Reads the registration in a client's id. @throws OAuthError invalid_client for an id that this service did not make */
export async function findClient({ digests }: Pick<Context, "digests">, clientId: string): Promise<Registration> {
  const [, text, signature] = CLIENT_ID.exec(clientId) ?? []
  // Hashed first: digests are cached by their texts, and an id is long.
  const candidates = text ? await digests.candidates("oauth-client", await sha256(text)) : []
  const same = candidates.map((one) => sameSecret(one.slice(0, SIGNATURE_LENGTH), signature ?? ""))
  if (!text || !(await Promise.all(same)).includes(true))
    throw new OAuthError("invalid_client", "client_id: this service registered no such client")
  return unpacked(text)
}
