import type { Context as ServiceContext } from "../../context.ts"
import { CLI_SCOPES, DEVICE_GRANT, MCP_SCOPES } from "../../domain/oauth/grants.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { PROTECTED_RESOURCE } from "../../http/errors.ts"
import { resourceOf } from "../../services/oauth/consent.ts"

const endpoint = endpointsOf("oauth")

/** The authorization server (RFC 8414). There are no refresh tokens and no secrets of clients. */
function serverMetadata({ config: { baseUrl } }: Pick<ServiceContext, "config">) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    scopes_supported: [...CLI_SCOPES],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/docs`,
  }
}

/** What /mcp needs (RFC 9728). */
function resourceMetadata(ctx: Pick<ServiceContext, "config">) {
  return {
    resource: resourceOf(ctx),
    authorization_servers: [ctx.config.baseUrl],
    scopes_supported: [...MCP_SCOPES],
    bearer_methods_supported: ["header"],
    resource_name: "Mailverdict",
    resource_documentation: `${ctx.config.baseUrl}/docs`,
  }
}

const server = endpoint("public", "GET /.well-known/oauth-authorization-server", {
  operationId: "oauthServerMetadata",
  summary: "Describe the authorization server",
  description: "RFC 8414.",
  handle: (c) => c.json(serverMetadata(c.var.ctx)),
})

/** At the root, and at the path of the resource (RFC 9728 3.1): clients try either. */
const resources = ["/.well-known/oauth-protected-resource", PROTECTED_RESOURCE].map((path, n) =>
  endpoint("public", `GET /${path.slice(1)}`, {
    operationId: `oauthResourceMetadata${n}`,
    summary: "Describe the resource",
    description: "RFC 9728.",
    handle: (c) => c.json(resourceMetadata(c.var.ctx)),
  }),
)

export const OAUTH_METADATA: readonly Endpoint[] = [server, ...resources]
