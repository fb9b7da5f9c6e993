import { openApiDocument } from "./openapi.ts"

export interface Schema {
  readonly [key: string]: unknown
}
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}
interface PublishedOperation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { content?: Record<string, { schema: Schema }> }
  readonly responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}
type Schemas = Readonly<Record<string, Schema>>

/** One operation of the published document, as clients in any language need it. */
export interface ClientOperation {
  readonly operationId: string
  /** The prefix of its types: "ValidateFast". */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** Of the path and the query. */
  readonly parameters: readonly Parameter[]
  readonly inQuery: readonly string[]
  /** Null when the shape of a JSON body has alternatives, or when the body is a file. */
  readonly inBody: readonly string[] | null
  /** The schema of a JSON body. */
  readonly body: Schema | undefined
  /** Whether the body is a file instead of JSON. */
  readonly takesFile: boolean
  /** Whether the file can be a part of a form, which states its name. */
  readonly takesForm: boolean
  /** The schema of the successful answer; text when it is not JSON, or when the caller chooses its format. */
  readonly answer: Schema
  readonly answersText: boolean
}

const TEXT: Schema = { type: "string" }

/** The operations of the published document, and the schemas that they refer to by name. */
export function clientOperations(): { operations: ClientOperation[]; schemas: Schemas } {
  const { paths, components } = openApiDocument() as {
    paths: Record<string, Record<string, PublishedOperation>>
    components: { schemas: Schemas }
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      clientOperation(method.toUpperCase(), path, operation, components.schemas),
    ),
  )
  return { operations, schemas: components.schemas }
}

function clientOperation(
  method: string,
  path: string,
  operation: PublishedOperation,
  schemas: Schemas,
): ClientOperation {
  const { operationId, summary = "", requestBody } = operation
  const parameters = (operation.parameters ?? []).filter((one) => one.in === "path" || one.in === "query")
  const content = requestBody?.content
  const answer = answerOf(operation)
  return {
    ...{ operationId, name: operationId[0]!.toUpperCase() + operationId.slice(1), method, path, summary, parameters },
    inQuery: parameters.filter((parameter) => parameter.in === "query").map((parameter) => parameter.name),
    inBody: requestBody ? bodyFields(content?.["application/json"]?.schema ?? {}, schemas) : [],
    body: content?.["application/json"]?.schema,
    takesFile: content !== undefined && !("application/json" in content),
    takesForm: content !== undefined && "multipart/form-data" in content,
    ...{ answer, answersText: answer === TEXT },
  }
}

/** The names of the fields of a JSON body. Null when its shape has alternatives, or when the body is a file. */
function bodyFields(schema: Schema, schemas: Schemas): string[] | null {
  const { properties } = schemas[componentIn(schema) ?? ""] ?? schema
  return properties ? Object.keys(properties) : null
}

function answerOf({ responses }: PublishedOperation): Schema {
  const content = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content ?? {}
  const { "application/json": json, ...others } = content
  return (Object.keys(others).length === 0 && json?.schema) || TEXT
}

/** The component that a schema only refers to: compilers name the type after it. */
export function componentIn({ $ref }: Schema): string | null {
  return typeof $ref === "string" ? ($ref.split("/").at(-1) ?? null) : null
}

/** The schemas as definitions of one JSON Schema, with their references. */
export function schemaOf(definitions: Readonly<Record<string, unknown>>): object {
  const schema = { title: "Schemas", type: "object", properties: {}, additionalProperties: false, definitions }
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/definitions/")) as object
}
