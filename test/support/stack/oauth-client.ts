import { createHash, randomBytes } from "node:crypto"
import { inject } from "vitest"
import { type Answer, call, callUnchecked, postJson } from "./api.ts"

/** Where the codes of tests go. No server runs there, because tests read the code from the URL. */
export const CALLBACK = "http://127.0.0.1:33418/callback"

/** Posts a form to an endpoint of OAuth. */
export function postForm(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { "content-type": "application/x-www-form-urlencoded" }
  return callUnchecked(path, {
    method: "POST",
    headers: { ...type, ...headers },
    body: String(new URLSearchParams(fields)),
  })
}

export interface AuthorizationRequest extends Record<string, string> {
  client_id: string
  redirect_uri: string
}

/** A program that registered itself, and what it asks for. */
export interface RegisteredProgram {
  readonly request: AuthorizationRequest
  /** The secret of PKCE. */
  readonly verifier: string
}

/** Registers a program and prepares its request. */
export async function registerProgram(name = "Test agent", redirectUri = CALLBACK): Promise<RegisteredProgram> {
  const metadata = { client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }
  const { body, status, text } = await callUnchecked<{ client_id: string }>("/oauth/register", postJson(metadata))
  if (status !== 201) throw new Error(`not registered: ${status} ${text}`)
  const verifier = randomBytes(32).toString("base64url")
  const code_challenge = createHash("sha256").update(verifier).digest("base64url")
  const asked = { response_type: "code", code_challenge, code_challenge_method: "S256", state: "s t+a&te" }
  const resource = `${inject("stackUrl")}/mcp`
  return { verifier, request: { client_id: body.client_id, redirect_uri: redirectUri, ...asked, resource } }
}

/** Decides about a program in the console's name. @returns the answer with the URL that leads back */
export function decideAuthorization(session: string, request: Record<string, string>, approve = true) {
  const init = postJson({ ...request, approve })
  const headers = { ...init.headers, authorization: `Bearer ${session}` }
  return call<{ redirect_to: string }>("POST", "/oauth/authorization", { ...init, headers })
}

/** Follows an authorization URL like a browser, and approves it. @returns the parameters of the redirect back */
export async function approveInConsole(session: string, authorizationUrl: URL): Promise<URLSearchParams> {
  const page = await fetch(authorizationUrl, { redirect: "manual" })
  const location = new URL(page.headers.get("location") ?? "", authorizationUrl)
  const [path, query] = location.hash.split("?")
  if (location.origin !== authorizationUrl.origin || path !== "#/authorize") throw new Error(`leads to ${location}`)
  const { body } = await decideAuthorization(session, Object.fromEntries(new URLSearchParams(query)))
  return new URL(body.redirect_to).searchParams
}

/** Approves a request. @returns the code */
export async function approvedCode(session: string, { request }: RegisteredProgram): Promise<string> {
  const { body } = await decideAuthorization(session, request)
  return new URL(body.redirect_to).searchParams.get("code") ?? ""
}

/** Exchanges a code. @param changed fields that differ from those of the request */
export function exchangeCode(
  { request, verifier }: RegisteredProgram,
  code: string,
  changed: Record<string, string> = {},
) {
  const { client_id, redirect_uri } = request
  const fields = { grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier: verifier }
  return postForm("/oauth/token", { ...fields, ...changed })
}
