import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compile } from "json-schema-to-typescript"
import {
  type ClientOperation,
  clientOperations,
  componentIn,
  type Parameter,
  type Schema,
  schemaOf,
} from "./client-operations.ts"

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
  const rows = operations.map((operation) => {
    const { operationId, name, method, path, summary, inQuery, inBody } = operation
    const answer = componentIn(operation.answer) ?? `${name}Answer`
    const row = [method, path, inQuery, inBody, ...notJson(operation)]
    return {
      types: `/** ${method} ${path}. ${summary} */\n${operationId}: { input: ${name}Input; answer: ${answer} }`,
      row: `${operationId}: ${JSON.stringify(row)},`,
    }
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
      `export interface Operations {\n${rows.map((entry) => `  ${entry.types}`).join("\n")}\n}`,
      `export const OPERATIONS = {\n${rows.map((entry) => `  ${entry.row}`).join("\n")}\n} as const`,
    ].join("\n\n"),
  )
}

/** The text in the style of this project. */
function formatted(text: string): string {
  const options = { input: text, encoding: "utf8", maxBuffer: 16_000_000 } as const
  return execFileSync(process.execPath, [BIOME, "format", "--stdin-file-path=src/client/generated.ts"], options)
}

/** The types of one operation: path, query and body as one input object, and the successful answer. */
function shapesOf({ name, parameters, takesFile, body, answer }: ClientOperation): Record<string, Schema> {
  const flatFields = [...parameters, ...(takesFile ? [FILE] : [])]
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
function notJson({ takesFile, takesForm, answersText }: ClientOperation): string[] {
  return [...(takesFile ? [takesForm ? "form" : "file"] : []), ...(answersText ? ["text"] : [])]
}

if (import.meta.main) {
  writeFileSync(OPERATIONS_FILE, await generateClient())
  console.log(`Wrote ${OPERATIONS_FILE}`)
}
