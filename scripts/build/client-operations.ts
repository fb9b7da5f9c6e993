import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compile } from "json-schema-to-typescript"
import {
  componentIn,
  type Parameter,
  type PublishedDocument,
  type PublishedOperation,
  type Schema,
  type Schemas,
} from "./docs/code-samples.ts"
import { openApiDocument } from "./openapi.ts"

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
  readonly acceptsFile: boolean
  /** Whether the file can be a part of a form, which states its name. */
  readonly acceptsForm: boolean
  /** The schema of the successful answer; text when it is not JSON, or when the caller chooses its format. */
  readonly answer: Schema
  readonly answersText: boolean
}

const TEXT: Schema = { type: "string" }

/** The operations of the published document, and the schemas that they refer to by name. */
export function clientOperations(): { operations: ClientOperation[]; schemas: Schemas } {
  const { paths, components } = openApiDocument() as PublishedDocument
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      ...clientOperation(operation, components.schemas),
    })),
  )
  return { operations, schemas: components.schemas }
}

function clientOperation(operation: PublishedOperation, schemas: Schemas): Omit<ClientOperation, "method" | "path"> {
  const { operationId, summary = "", requestBody } = operation
  const parameters = (operation.parameters ?? []).filter((one) => one.in === "path" || one.in === "query")
  const content = requestBody?.content
  const answer = answerOf(operation)
  return {
    operationId,
    name: operationId[0]!.toUpperCase() + operationId.slice(1),
    summary,
    parameters,
    inQuery: parameters.filter((parameter) => parameter.in === "query").map((parameter) => parameter.name),
    inBody: requestBody ? bodyFields(content?.["application/json"]?.schema ?? {}, schemas) : [],
    body: content?.["application/json"]?.schema,
    acceptsFile: content !== undefined && !("application/json" in content),
    acceptsForm: content !== undefined && "multipart/form-data" in content,
    answer,
    answersText: answer === TEXT,
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

/** The schemas as definitions of one JSON Schema, with their references. */
export function schemaOf(definitions: Readonly<Record<string, unknown>>): object {
  const schema = { title: "Schemas", type: "object", properties: {}, additionalProperties: false, definitions }
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/definitions/")) as object
}

/** Where the client imports the generated text from. */
export const OPERATIONS_FILE = fileURLToPath(new URL("../../src/client/operations.ts", import.meta.url))
const BIOME = fileURLToPath(import.meta.resolve("@biomejs/biome/bin/biome"))

/**
 * Source text with the input and answer types of every operation in the published document, and a table of their
 * methods, paths, fields of the query and of the body, and bodies that are not JSON.
 */
export async function generateClient(): Promise<string> {
  const { operations, schemas } = clientOperations()
  const definitions: Record<string, unknown> = { ...schemas }
  for (const operation of operations) Object.assign(definitions, shapesOf(operation))
  const types = await compile(schemaOf(definitions) as Parameters<typeof compile>[0], "Schemas", {
    additionalProperties: false,
    bannerComment: "",
    format: false,
    // Otherwise "at least one string" becomes a tuple type, which rejects a plain array.
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
  })
  const operationTypes = operations.map(({ operationId, name, method, path, summary, answer }) => {
    const answerName = componentIn(answer) ?? `${name}Answer`
    return `  /** ${method} ${path}. ${summary} */\n${operationId}: { input: ${name}Input; answer: ${answerName} }`
  })
  const rows = operations.map((operation) => {
    const { operationId, method, path, inQuery, inBody } = operation
    return `  ${operationId}: ${JSON.stringify([method, path, inQuery, inBody, ...notJson(operation)])},`
  })
  return formatted(
    [
      "/** Generated from the published document, and not committed. `npm run build:client` updates it. */",
      types
        .replace(/\/\*\*\n( \*[^\n]*\n)*? \* via the `definition` "\w+"\.\n \*\/\n/g, "")
        // An empty interface would accept any field.
        .replaceAll(
          /^export (?:type|interface) (\w+Input) (?:= )?\{\s*\}$/gm,
          "export type $1 = Record<string, never>",
        ),
      `export interface Operations {\n${operationTypes.join("\n")}\n}`,
      `export const OPERATIONS = {\n${rows.join("\n")}\n} as const`,
    ].join("\n\n"),
  )
}

/** The text in the style of this project. */
function formatted(text: string): string {
  const options = { input: text, encoding: "utf8", maxBuffer: 16_000_000 } as const
  return execFileSync(process.execPath, [BIOME, "format", "--stdin-file-path=src/client/generated.ts"], options)
}

/** The types of one operation: path, query and body as one input object, and the successful answer. */
function shapesOf({ name, parameters, acceptsFile, body, answer }: ClientOperation): Record<string, Schema> {
  const flatFields = [...parameters, ...(acceptsFile ? [FILE] : [])]
  const properties = Object.fromEntries(flatFields.map((field) => [field.name, field.schema]))
  const required = flatFields.filter((field) => field.required).map((field) => field.name)
  const flat = { type: "object", properties, required, additionalProperties: false }
  return {
    [`${name}Input`]: body ? { allOf: [flat, body] } : flat,
    ...(componentIn(answer) ? {} : { [`${name}Answer`]: answer }),
  }
}

const FILE: Parameter = {
  name: "file",
  in: "body",
  required: true,
  schema: {
    description: "The request body. A Blob states its media type, and a File its name; the default is CSV",
    tsType: "Blob | string",
  },
}

/** Parts of an operation that are not JSON: "file" is the body, also in a form for "form", and "text" the answer. */
function notJson({ acceptsFile, acceptsForm, answersText }: ClientOperation): string[] {
  return [...(acceptsFile ? [acceptsForm ? "form" : "file"] : []), ...(answersText ? ["text"] : [])]
}

if (import.meta.main) {
  writeFileSync(OPERATIONS_FILE, await generateClient())
  console.log(`Wrote ${OPERATIONS_FILE}`)
}
