import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from "n8n-workflow"

/** A key of the service, and where the service is. */
export class MailverdictApi implements ICredentialType {
  name = "mailverdictApi"
  displayName = "Mailverdict API"
  icon = { light: "file:../icons/mailverdict.svg", dark: "file:../icons/mailverdict.dark.svg" } as const
  documentationUrl = "https://mailverdict.example/docs/connect"

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "",
      required: true,
      placeholder: "e.g. https://api.example.com",
      description: "The URL of your Mailverdict service, without a path",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      description: "A key that begins with mv_live_. The node needs its scopes verify, lists, find and suppression.",
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { "X-API-Key": "={{ $credentials.apiKey }}" } },
  }

  // This call needs no scope and costs nothing.
  test: ICredentialTestRequest = {
    request: { baseURL: "={{ $credentials.baseUrl }}", url: "/auth/me" },
  }
}
