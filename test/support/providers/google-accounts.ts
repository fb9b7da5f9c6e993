import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { type StubServer, startStub } from "./stub-server.ts"

export const GOOGLE_CLIENT_ID = "console.apps.googleusercontent.com"

/**
 * A stub of Google's sign-in page and keys (developers.google.com/identity/openid-connect). The sign-in needs no
 * password: each visitor is ida.google@gmail.com. A nonce is required, as Google requires it for an ID token in the
 * fragment.
 */
export async function startGoogleAccounts(): Promise<StubServer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256", use: "sig" }
  return startStub(async ({ path, query }) => {
    if (path === "/certs") return { status: 200, json: { keys: [jwk] } }
    if (path !== "/auth") return { status: 404 }
    const wanted = { response_type: "id_token", client_id: GOOGLE_CLIENT_ID }
    const isComplete = Object.entries(wanted).every(([name, value]) => query.get(name) === value)
    const nonce = query.get("nonce")
    if (!isComplete || !nonce || !query.get("scope")?.split(" ").includes("openid"))
      return { status: 400, text: "Error 400: invalid_request" }
    const idToken = await new SignJWT({ email: "ida.google@gmail.com", email_verified: true, name: "Ida", nonce })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setSubject("108")
      .setIssuedAt()
      .setIssuer("https://accounts.google.com")
      .setAudience(GOOGLE_CLIENT_ID)
      .setExpirationTime("1h")
      .sign(privateKey)
    const answer = new URLSearchParams({ state: query.get("state") ?? "", id_token: idToken })
    return { status: 302, headers: { location: `${query.get("redirect_uri")}#${answer}` } }
  })
}
