import { Ajv2020 } from "ajv/dist/2020.js"
import { createApp } from "../../src/app.ts"
import { VERSION } from "../../src/routes/fleet/health.ts"
import { ENDPOINTS } from "../../src/routes/index.ts"
import { codeSamples, exampleOf, type PublishedDocument } from "./docs/code-samples.ts"
import { GUIDES, INTRODUCTION, TAG_GROUPS } from "./docs/tags.ts"

/** The OpenAPI 3.1 document of the service, generated at build time. The Worker serves its bytes. */
export function openApiDocument(): object {
  const app = createApp(ENDPOINTS, () => {
    throw new Error("the application of the document answers no requests")
  })
  const registry = app.openAPIRegistry
  registry.registerComponent("securitySchemes", "ApiKey", {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "A key from POST /keys. The query parameter api_key works too, but ends up in logs.",
  })
  const bearer = { type: "http", scheme: "bearer" } as const
  registry.registerComponent("securitySchemes", "Session", {
    ...bearer,
    description: "The session token of POST /auth/verify. A key works in the same header.",
  })
  registry.registerComponent("securitySchemes", "GoogleIdToken", {
    ...bearer,
    description: "An ID token of Google, made for the client id of GET /auth/google/config.",
  })
  registry.registerComponent("securitySchemes", "AdminSecret", {
    type: "apiKey",
    in: "header",
    name: "X-Admin-Secret",
    description: "The secret of the service's operator.",
  })
  const groups = [GUIDES, ...TAG_GROUPS]
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Mailverdict",
      version: VERSION,
      description: INTRODUCTION,
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
    },
    servers: [{ url: "/", description: "The service that serves this document" }],
    tags: groups.flatMap(({ tags }) =>
      tags.map(({ name, title, description }) => ({ name, "x-displayName": title, description })),
    ),
    "x-tagGroups": groups.map(({ name, tags }) => ({ name, tags: tags.map((tag) => tag.name) })),
  })
  return withSamples(withExamples(JSON.parse(JSON.stringify(document, portable)) as PublishedDocument))
}

/**
 * Adapts a value for other tools. JSON Schema patterns have no flags. Clients generated in Go, Java or Python reject an
 * object as a default, and an enum with a single value that is not a string.
 */
function portable(key: string, value: unknown): unknown {
  if (key === "pattern" && typeof value === "string") return value.replace(/\/u$/, "")
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  const isConstant = Array.isArray(value) && value.length === 1 && typeof value[0] !== "string"
  return (key === "default" && isObject) || (key === "enum" && isConstant) ? undefined : value
}

/** Adds an example to each successful answer when the schema accepts the generated value. */
function withExamples(document: PublishedDocument): PublishedDocument {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, "openapi")
  for (const { responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods)))
    for (const [status, { content }] of Object.entries(responses)) {
      const media = content?.["application/json"]
      if (!status.startsWith("2") || !media?.schema) continue
      const example = exampleOf(media.schema, document.components.schemas)
      const text = JSON.stringify(media.schema).replaceAll('"#/', '"openapi#/')
      if (ajv.compile(JSON.parse(text) as object)(example)) media.example = example
    }
  return document
}

/** Adds the calls of the clients to each operation that has some. */
function withSamples(document: PublishedDocument): PublishedDocument {
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const samples = codeSamples(operation, document.components.schemas)
    if (samples.length > 0) operation["x-codeSamples"] = samples
  }
  return document
}
