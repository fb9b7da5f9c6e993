import type { GoogleConfig } from "../../api/shapes.ts"
import { tabStorage } from "../../api/storage.ts"
import { returnPage } from "../../route.ts"

/** A sign-in that this tab began. */
interface Begun {
  /** Returned by Google beside the token: another site cannot sign this visitor in to its own account. */
  readonly state: string
  /** Returned by Google inside the token: the token is for this sign-in. */
  readonly nonce: string
  /** The page to open afterwards. */
  readonly back: string
}

const BEGUN = "mailverdict.google"

/** The URL that Google must know as a redirect URI of the client. */
const redirectUri = (): string => `${location.origin}/console/`

/**
 * Leaves the console for Google's page, which returns with an ID token (OpenID Connect Core 1.0, section 3.2, implicit
 * flow: the service keeps no secret of Google).
 */
export function beginGoogleSignIn({ client_id, auth_url }: GoogleConfig, back: string): void {
  const begun: Begun = { state: crypto.randomUUID(), nonce: crypto.randomUUID(), back }
  tabStorage.setItem(BEGUN, JSON.stringify(begun))
  const url = new URL(auth_url)
  const asked = { response_type: "id_token", scope: "openid email profile", redirect_uri: redirectUri() }
  const { state, nonce } = begun
  const query = { ...asked, client_id, state, nonce, prompt: "select_account" }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  location.assign(url)
}

export type GoogleSignIn =
  | { readonly kind: "token"; readonly idToken: string; readonly back: string }
  /** The visitor refused at Google. */
  | { readonly kind: "cancelled" }
  /** The answer belongs to no sign-in of this tab. */
  | { readonly kind: "foreign" }

/** Compares Google's answer with the sign-in that this tab began. It can be used once. */
export function finishGoogleSignIn(answer: URLSearchParams | null): GoogleSignIn {
  const begun = JSON.parse(tabStorage.getItem(BEGUN) ?? "null") as Begun | null
  tabStorage.removeItem(BEGUN)
  if (!answer || !begun || answer.get("state") !== begun.state) return { kind: "foreign" }
  const idToken = answer.get("id_token")
  if (!idToken) return { kind: "cancelled" }
  if (nonceOf(idToken) !== begun.nonce) return { kind: "foreign" }
  return { kind: "token", idToken, back: returnPage(begun.back) }
}

/** Reads the nonce of an unverified token; the service verifies the signature. Null when it has none. */
function nonceOf(idToken: string): string | null {
  try {
    const payload = (idToken.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")
    const { nonce } = JSON.parse(atob(payload)) as { nonce?: unknown }
    return typeof nonce === "string" ? nonce : null
  } catch {
    return null
  }
}
