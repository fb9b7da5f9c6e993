import { exampleOf, type Schema } from "../openapi-examples.ts"
import { CLIENT_METHODS, type ClientMethod } from "./client-methods.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}
/** What a sample needs of an operation in the published document. */
export interface SampledOperation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
}
type Schemas = Readonly<Record<string, Schema>>
type Input = Readonly<Record<string, unknown>>

/** One entry of `x-codeSamples`, which Scalar, Redoc and other readers of the document show. */
export interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/** The value of a field that takes a file. */
const FILE = Symbol("file")

/**
 * Calls of the JavaScript and the Python client, with example values for the required fields. Empty for an operation that
 * another party calls, and for one that needs the session of a browser.
 */
export function codeSamples(operation: SampledOperation, schemas: Schemas): CodeSample[] {
  const { operationId, security = [] } = operation
  const accepts = (scheme: string) => security.some((one) => scheme in one)
  if (CALLED_BY_OTHERS.test(operationId) || (accepts("Session") && !accepts("ApiKey")) || accepts("GoogleIdToken"))
    return []
  const method = CLIENT_METHODS[operationId] ?? { name: "call", first: [] }
  const input = exampleInput(operation, { schemas, wanted: method.first })
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !method.first.includes(name)))
  const values = [...(method.name === "call" ? [operationId] : []), ...method.first.map((name) => input[name])]
  const call = { method, values, rest, isAdmin: accepts("AdminSecret") && !accepts("ApiKey") }
  return [
    { lang: "javascript", label: "JavaScript client", source: inJavaScript(call) },
    { lang: "python", label: "Python client", source: inPython(call) },
  ]
}

/** Providers and probe nodes call these. */
const CALLED_BY_OTHERS = /^(receive|stripeWebhook$|enrolNode$)/
const LINE = 72

interface Call {
  readonly method: ClientMethod
  /** The parameters in front of the other fields. */
  readonly values: readonly unknown[]
  readonly rest: Input
  readonly isAdmin: boolean
}

function inJavaScript({ method, values, rest, isAdmin }: Call): string {
  const secret = isAdmin
    ? "adminSecret: process.env.MAILVERDICT_ADMIN_SECRET"
    : "apiKey: process.env.MAILVERDICT_API_KEY"
  const fields = Object.entries(rest).map(([name, value]) => `${name}: ${jsValue(value)}`)
  const takesFile = [...values, ...Object.values(rest)].includes(FILE)
  const object = fields.length === 0 && method.name !== "call" ? [] : [inBraces(fields)]
  const call = `client.${method.name}(${[...values.map(jsValue), ...object].join(", ")})`
  return [
    ...(takesFile ? ['import { openAsBlob } from "node:fs"'] : []),
    'import { createClient } from "mailverdict"',
    "",
    "const baseUrl = process.env.MAILVERDICT_URL",
    `const client = createClient({ baseUrl, ${secret} })`,
    "",
    method.yields
      ? `for await (const ${method.yields} of ${call}) console.log(${method.yields})`
      : `console.log(await ${call})`,
  ].join("\n")
}

function jsValue(value: unknown): string {
  return value === FILE ? 'await openAsBlob("list.csv")' : JSON.stringify(value)
}

function inBraces(fields: readonly string[]): string {
  if (fields.length === 0) return "{}"
  const line = `{ ${fields.join(", ")} }`
  return line.length < LINE ? line : `{\n${fields.map((field) => `  ${field},\n`).join("")}}`
}

function inPython({ method, values, rest, isAdmin }: Call): string {
  const secret = isAdmin ? ["admin_secret", "MAILVERDICT_ADMIN_SECRET"] : ["api_key", "MAILVERDICT_API_KEY"]
  const fields = Object.entries(rest).map(([name, value]) => `${withoutKeyword(name)}=${pythonValue(value)}`)
  const written = [...values.map(pythonValue), ...fields]
  const line = written.join(", ")
  const call = `client.${pythonName(method.name)}(${line.length < LINE ? line : `\n    ${written.join(",\n    ")},\n`})`
  return [
    "import os",
    "from mailverdict import Client",
    "",
    "client = Client(",
    '    base_url=os.environ["MAILVERDICT_URL"],',
    `    ${secret[0]}=os.environ["${secret[1]}"],`,
    ")",
    "",
    method.yields ? `for ${method.yields} in ${call}:\n    print(${method.yields})` : `print(${call})`,
  ].join("\n")
}

/** The Python client names its methods like the JavaScript one, in its own spelling. */
function pythonName(name: string): string {
  const spelled = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return spelled.split(".").map(withoutKeyword).join(".")
}

/** The Python client ends a name with an underscore when it is a keyword of the language. */
function withoutKeyword(name: string): string {
  return ["with", "from", "import"].includes(name) ? `${name}_` : name
}

function pythonValue(value: unknown): string {
  if (value === FILE) return '"list.csv"'
  if (value === null || value === undefined) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`
  if (typeof value !== "object") return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${pythonValue(inner)}`)
    .join(", ")}}`
}

/** Example values of the required and the wanted fields: path, query and body in one object, as both clients take them. */
function exampleInput(
  { parameters = [], requestBody }: SampledOperation,
  { schemas, wanted }: { schemas: Schemas; wanted: readonly string[] },
): Input {
  const required = parameters.filter((one) => one.required && (one.in === "path" || one.in === "query"))
  const input = Object.fromEntries(required.map(({ name, schema }) => [name, exampleOf(schema, schemas)]))
  if (!requestBody) return input
  const body = requestBody.content?.["application/json"]?.schema
  if (!body) return { ...input, file: FILE }
  const schema = typeof body.$ref === "string" ? (schemas[body.$ref.split("/").at(-1) ?? ""] ?? {}) : body
  if ("example" in schema) return { ...input, ...(schema.example as Input) }
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  const names = new Set([...((schema.required ?? []) as readonly string[]), ...wanted])
  for (const [name, part] of Object.entries(properties)) if (names.has(name)) input[name] = exampleOf(part, schemas)
  return input
}
