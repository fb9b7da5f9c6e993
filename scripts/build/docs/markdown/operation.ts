import type { PublishedOperation, Schema, Schemas } from "../code-samples.ts"
import { curlSample } from "../curl-sample.ts"
import { type FieldTables, table } from "./fields.ts"

/** An operation of the document, with its place. */
export interface Call {
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly operation: PublishedOperation
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  ApiKey: "an API key",
  Session: "a session",
  GoogleIdToken: "an ID token of Google",
  AdminSecret: "the admin secret",
}

/** The section of an operation. @param tables collects the components that it links to */
export function operationSection(call: Call, { tables, schemas }: { tables: FieldTables; schemas: Schemas }): string {
  const { method, path, operation } = call
  return [
    `## ${method} ${path}: ${operation.summary}`,
    operation.description ?? "",
    `Access: ${accessOf(operation)}.`,
    ["```sh", curlSample(operation, call, schemas), "```"].join("\n"),
    parameterTable(operation, tables),
    ...bodyParts(operation, tables),
    ...answerParts(operation, tables),
    errorList(operation, tables),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

function accessOf({ security = [] }: PublishedOperation): string {
  const ways = security.map((way) => Object.keys(way).map((name) => CREDENTIALS[name] ?? name))
  if (ways.every((way) => way.length === 0)) return "no credential is needed"
  return ways.map((way) => (way.length === 0 ? "no credential" : way.join(" and "))).join(", or ")
}

function parameterTable({ parameters = [] }: PublishedOperation, tables: FieldTables): string {
  if (parameters.length === 0) return ""
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    `\`${name}\``,
    place,
    tables.typeOf(schema),
    required ? "yes" : "no",
    description ?? String(schema.description ?? ""),
  ])
  return `Parameters:\n\n${table(["Name", "In", "Type", "Required", "Description"], rows)}`
}

function bodyParts({ requestBody }: PublishedOperation, tables: FieldTables): string[] {
  return Object.entries(requestBody?.content ?? {}).map(([type, { schema = {} }]) =>
    contentPart(`Body, \`${type}\``, { schema, required: "Required", tables }),
  )
}

function answerParts({ responses }: PublishedOperation, tables: FieldTables): string[] {
  return Object.entries(responses)
    .filter(([status]) => !isError(status))
    .flatMap(([status, { description, content }]) => {
      if (!content) return [`Answer ${status}: ${description}`]
      return Object.entries(content).map(([type, { schema = {} }]) =>
        contentPart(`Answer ${status}, \`${type}\``, { schema, required: "Always", tables }),
      )
    })
}

interface ContentPart {
  readonly schema: Schema
  /** The title of the column that says whether a field is required. */
  readonly required: string
  readonly tables: FieldTables
}

/** The table of the fields, or the type of content without fields of its own. */
function contentPart(title: string, { schema, required, tables }: ContentPart): string {
  const fields = tables.tableOf(schema, required)
  const words = [schema.description, fields === "" ? tables.typeOf(schema) : ""].filter((one) => one)
  const line = [`${title}:`, words.join(", ")].join(" ").trim()
  return fields === "" ? line : `${line}\n\n${fields}`
}

/** Most errors have the same fields, so only the others name theirs. */
function errorList({ responses }: PublishedOperation, tables: FieldTables): string {
  const errors = Object.entries(responses).filter(([status]) => isError(status))
  if (errors.length === 0) return ""
  const usual = tables.typeOf({ $ref: "#/components/schemas/Problem" })
  const lines = errors.map(([status, { description, content }]) => {
    const type = tables.typeOf(content?.["application/json"]?.schema ?? {})
    return `- ${status}: ${description}${type === usual ? "" : `. Its body: ${type}`}`
  })
  return `Errors, with the body ${usual}:\n\n${lines.join("\n")}`
}

function isError(status: string): boolean {
  return Number(status) >= 400
}
