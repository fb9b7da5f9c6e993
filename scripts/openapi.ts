import { createApp } from "../src/app.ts"
import { VERSION } from "../src/routes/fleet/health.ts"

/** The OpenAPI 3.1 document of the service, made once at build time; the Worker only serves its bytes. */
export function openApiDocument(): object {
  const app = createApp(() => {
    throw new Error("the document is made without answering requests")
  })
  const registry = app.openAPIRegistry
  registry.registerComponent("securitySchemes", "ApiKey", {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "A key from POST /keys. The query parameter api_key works too, but ends up in logs.",
  })
  registry.registerComponent("securitySchemes", "Session", { type: "http", scheme: "bearer" })
  registry.registerComponent("securitySchemes", "AdminSecret", { type: "apiKey", in: "header", name: "X-Admin-Secret" })
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Mailverdict",
      version: VERSION,
      description: "Decides whether an email address can be sent to.",
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
    },
    servers: [{ url: "/" }],
  })
}
