import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compile } from "json-schema-to-typescript"
import { openApiDocument } from "./openapi.ts"

interface Schema {
  readonly [key: string]: unknown
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { content?: Record<string, { schema: Schema }> }
  readonly responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, Schema> }
}

const target = fileURLToPath(new URL("../src/client/operations.ts", import.meta.url))
const capital = (name: string) => name[0]!.toUpperCase() + name.slice(1)

/**
 * The types of every operation as the published document has them, and the table of methods, paths, names in the query and
 * what is no JSON, as source text.
 */
export async function generateClient(): Promise<string> {
  const document = openApiDocument() as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const definitions: Record<string, unknown> = { ...document.components.schemas }
  for (const { operation } of operations) Object.assign(definitions, shapesOf(operation))
  const schema = JSON.parse(
    JSON.stringify({
      title: "Schemas",
      type: "object",
      properties: {},
      additionalProperties: false,
      definitions,
    }).replaceAll("#/components/schemas/", "#/definitions/"),
  ) as Parameters<typeof compile>[0]
  const types = await compile(schema, "Schemas", {
    additionalProperties: false,
    bannerComment: "",
    format: false,
    // A tuple of at least one string takes nobody's list.
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
  })
  const rows = operations.map(({ path, method, operation }) => {
    const { operationId } = operation
    const name = capital(operationId)
    const answer = componentIn(answerOf(operation)) ?? `${name}Answer`
    const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === "query")
    const place = [method, path, inQuery.map((parameter) => parameter.name), ...notJson(operation)]
    return {
      types: `${operationId}: { input: ${name}Input; answer: ${answer} }`,
      place: `${operationId}: ${JSON.stringify(place)},`,
    }
  })
  return [
    "/** Made by `npm run build:client` from the published document. Change the service, not this file. */",
    types
      .replace(/\/\*\*\n( \*[^\n]*\n)*? \* via the `definition` "\w+"\.\n \*\/\n/g, "")
      .replaceAll(/^(export type \w+Input = )\{\}$/gm, "$1Record<string, never>"),
    `export interface Operations {\n${rows.map((row) => `  ${row.types}`).join("\n")}\n}`,
    `export const OPERATIONS = {\n${rows.map((row) => `  ${row.place}`).join("\n")}\n} as const`,
    "",
  ].join("\n\n")
}

/** One object for all that goes in, wherever it goes: path, query or body; and the answer of success. */
function shapesOf(operation: Operation): Record<string, Schema> {
  const { operationId, parameters = [], requestBody } = operation
  const named = parameters.filter((parameter) => parameter.in === "path" || parameter.in === "query")
  const file = takesFile(operation) ? [FILE] : []
  const properties = Object.fromEntries([...named, ...file].map(({ name, schema }) => [name, schema]))
  const required = [...named, ...file].filter((parameter) => parameter.required).map(({ name }) => name)
  const flat = { type: "object", properties, required, additionalProperties: false }
  const body = requestBody?.content?.["application/json"]?.schema
  const name = capital(operationId)
  const answer = answerOf(operation)
  return {
    [`${name}Input`]: body ? { allOf: [flat, body] } : flat,
    ...(componentIn(answer) ? {} : { [`${name}Answer`]: answer }),
  }
}

const FILE: Parameter = {
  name: "file",
  in: "body",
  required: true,
  schema: { description: "Sent as the body itself, as what its type says; a CSV without one", tsType: "Blob | string" },
}

/** Whether the body is a file instead of JSON. */
function takesFile({ requestBody }: Operation): boolean {
  return requestBody?.content !== undefined && !("application/json" in requestBody.content)
}

/** What of an operation is no JSON: "file" the body, "text" the answer. */
function notJson(operation: Operation): string[] {
  return [...(takesFile(operation) ? ["file"] : []), ...(answerOf(operation) === TEXT ? ["text"] : [])]
}

const TEXT: Schema = { type: "string" }

/** What success answers; text where that is no JSON. */
function answerOf({ responses }: Operation): Schema {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]
  return success?.content?.["application/json"]?.schema ?? TEXT
}

/** The component a schema is nothing but a name for: the compiler knows it by that name only. */
function componentIn({ $ref }: Schema): string | null {
  return typeof $ref === "string" ? ($ref.split("/").at(-1) ?? null) : null
}

if (import.meta.main) {
  writeFileSync(target, await generateClient())
  console.log(`Wrote ${target}`)
}
