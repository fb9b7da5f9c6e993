import { auth, type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { expect, inject, onTestFinished, test } from "vitest"
import { call, callUnchecked } from "../support/stack/api.ts"
import { postMessage } from "../support/stack/mcp-client.ts"
import { approveInConsole, CALLBACK } from "../support/stack/oauth-client.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

/** What an agent's program stores while its user signs in. */
class Provider implements OAuthClientProvider {
  client: OAuthClientInformationMixed | undefined
  issued: OAuthTokens | undefined
  verifier = ""
  asked: URL | undefined
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: "SDK agent", redirect_uris: [CALLBACK] }

  state() {
    return "state-of-the-agent"
  }
  clientInformation() {
    return this.client
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.client = client
  }
  tokens() {
    return this.issued
  }
  saveTokens(tokens: OAuthTokens) {
    this.issued = tokens
  }
  redirectToAuthorization(url: URL) {
    this.asked = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
}

const url = () => new URL("/mcp", inject("stackUrl"))
const newClient = () => new Client({ name: "agent", version: "1.0.0" })

async function connect(client: Client, authProvider: Provider): Promise<StreamableHTTPClientTransport> {
  const transport = new StreamableHTTPClientTransport(url(), { authProvider })
  onTestFinished(() => client.close())
  await client.connect(transport as Parameters<Client["connect"]>[0])
  return transport
}

interface ListedKey {
  readonly key_id: string
  readonly name: string
  readonly scopes: string[]
  readonly is_active: number
}

test("the SDK's client signs in by the console, verifies an address, and ends with its key", async () => {
  const session = await sessionOf("agent-owner@inbox.test")
  const headers = { authorization: `Bearer ${session}` }
  const provider = new Provider()
  await expect(connect(newClient(), provider)).rejects.toBeInstanceOf(UnauthorizedError)
  expect(provider.asked?.origin).toBe(url().origin)
  expect(Object.fromEntries(provider.asked!.searchParams)).toMatchObject({
    code_challenge_method: "S256",
    resource: url().href,
    scope: "verify lists find suppression",
  })
  const back = await approveInConsole(session, provider.asked!)
  expect(Object.fromEntries(back)).toEqual({
    code: expect.any(String),
    state: "state-of-the-agent",
    iss: inject("stackUrl"),
  })
  expect(await auth(provider, { serverUrl: url(), authorizationCode: back.get("code")! })).toBe("AUTHORIZED")
  expect(provider.issued).toMatchObject({
    token_type: "Bearer",
    expires_in: 90 * 86_400,
    scope: "verify lists find suppression",
  })
  expect(provider.issued).not.toHaveProperty("refresh_token")

  const client = newClient()
  await connect(client, provider)
  const { structuredContent } = await client.callTool({
    name: "verify_email",
    arguments: { email: "alice@mailbox.test" },
  })
  expect(structuredContent).toMatchObject({ status: "valid", can_send: true })
  const { body } = await call<{ keys: ListedKey[] }>("GET", "/keys", { headers })
  const scopes = ["verify", "lists", "find", "suppression"]
  expect(body.keys).toMatchObject([{ name: "SDK agent", scopes, is_active: 1 }])
  const byAgent = { headers: { authorization: `Bearer ${provider.issued!.access_token}` } }
  expect((await callUnchecked("/webhooks/deliveries", byAgent)).status).toBe(403)
  expect((await callUnchecked("/keys", { ...byAgent, method: "POST" })).status).toBe(403)

  const at = `/keys/${body.keys[0]!.key_id}`
  expect((await call("DELETE", "/keys/{key_id}", { at, headers })).status).toBe(200)
  expect(await postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" }, byAgent)).toMatchObject({ status: 401 })
})

test("the metadata name each other, and a 401 of /mcp leads to them", async () => {
  const base = inject("stackUrl")
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }
  const refused = await postMessage(initialize, { headers: { origin: new URL(base).origin } })
  expect(refused).toMatchObject({ status: 401, body: { detail: expect.stringContaining("sign in") } })
  const [, found] = /^Bearer resource_metadata="(.*)"$/.exec(refused.headers.get("www-authenticate") ?? "") ?? []
  expect(found).toBe(`${base}/.well-known/oauth-protected-resource/mcp`)
  expect(refused.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate")
  for (const at of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])
    expect((await callUnchecked(at)).body).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] })
  const { body } = await callUnchecked("/.well-known/oauth-authorization-server")
  expect(body).toMatchObject({ issuer: base, code_challenge_methods_supported: ["S256"] })
  for (const [name, endpoint] of Object.entries(body))
    if (name.endsWith("_endpoint"))
      expect((await callUnchecked(new URL(String(endpoint)).pathname)).status).not.toBe(404)
})
