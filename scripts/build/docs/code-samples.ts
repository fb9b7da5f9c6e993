export interface Schema {
  readonly [key: string]: unknown
}
export type Schemas = Readonly<Record<string, Schema>>
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}
/** An operation of the published document. */
export interface PublishedOperation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses: Record<
    string,
    {
      readonly description?: string
      readonly content?: Record<string, { readonly schema?: Schema; example?: unknown }>
    }
  >
}
/** The document, as far as generators read it. */
export interface PublishedDocument {
  readonly info: { readonly title: string }
  readonly paths: Record<string, Record<string, PublishedOperation & { "x-codeSamples"?: CodeSample[] }>>
  readonly components: { readonly schemas: Schemas }
}

/** The component that a schema only refers to: compilers name the type after it. */
export function componentIn({ $ref }: Schema): string | null {
  return typeof $ref === "string" ? ($ref.split("/").at(-1) ?? null) : null
}

export type Input = Readonly<Record<string, unknown>>

/** One entry of `x-codeSamples`, which Scalar, Redoc and other readers of the document show. */
export interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/** The value of a field that takes a file. */
export const FILE = Symbol("file")

/**
 * Calls of the JavaScript and the Python client, with example values for the required fields. Empty for an operation that
 * another party calls, and for one that needs the session of a browser.
 */
export function codeSamples(operation: PublishedOperation, schemas: Schemas): CodeSample[] {
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
  const acceptsFile = [...values, ...Object.values(rest)].includes(FILE)
  const object = fields.length === 0 && method.name !== "call" ? [] : [inBraces(fields)]
  const call = `client.${method.name}(${[...values.map(jsValue), ...object].join(", ")})`
  return [
    ...(acceptsFile ? ['import { openAsBlob } from "node:fs"'] : []),
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
export function exampleInput(
  { parameters = [], requestBody }: PublishedOperation,
  { schemas, wanted }: { schemas: Schemas; wanted: readonly string[] },
): Input {
  const required = parameters.filter((one) => one.required && (one.in === "path" || one.in === "query"))
  const input = Object.fromEntries(required.map(({ name, schema }) => [name, exampleOf(schema, schemas)]))
  if (!requestBody) return input
  const body = requestBody.content?.["application/json"]?.schema
  if (!body) return { ...input, file: FILE }
  const schema = schemas[componentIn(body) ?? ""] ?? body
  if ("example" in schema) return { ...input, ...(schema.example as Input) }
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  const names = new Set([...((schema.required ?? []) as readonly string[]), ...wanted])
  for (const [name, part] of Object.entries(properties)) if (names.has(name)) input[name] = exampleOf(part, schemas)
  return input
}

/** A method of the clients in src/client/resources. */
interface ClientMethod {
  readonly name: string
  /** The fields that are parameters of their own. The others follow as one object. */
  readonly first: readonly string[]
  /** What one item is, when the method yields many. */
  readonly yields?: string
}

const method = (name: string, ...first: readonly string[]): ClientMethod => ({ name, first })
const yielding = (item: string, name: string, ...first: readonly string[]): ClientMethod => ({
  ...method(name, ...first),
  yields: item,
})

/** The method for each operation that has one. Any other operation is called by its name. */
const CLIENT_METHODS: Readonly<Record<string, ClientMethod>> = {
  validate: method("verify", "email"),
  validateByBody: method("verify", "email"),
  validateFast: method("verifyFast", "email"),
  findEmailV2: method("find"),
  domainIntel: method("domain", "domain"),
  usage: method("usage"),
  whoAmI: method("account"),
  uploadList: method("lists.upload", "file"),
  validateAsync: method("lists.verify", "emails"),
  bulkStatus: method("lists.get", "job_id"),
  getJob: method("lists.wait", "job_id"),
  bulkReport: method("lists.report", "job_id"),
  downloadResults: yielding("bytes", "lists.download", "job_id"),
  cancelJob: method("lists.cancel", "job_id"),
  listJobs: yielding("list", "lists.all"),
  createKey: method("keys.create"),
  listKeys: method("keys.list"),
  rotateKey: method("keys.rotate", "key_id"),
  revokeKey: method("keys.revoke", "key_id"),
  changeKey: method("keys.update", "key_id"),
  addSuppression: method("suppress.add", "email"),
  listSuppressions: yielding("entry", "suppress.list"),
  removeSuppression: method("suppress.remove", "email"),
  removeSuppressedDomain: method("suppress.removeDomain", "domain"),
  importSuppressions: method("suppress.import", "file"),
  exportSuppressions: yielding("text", "suppress.export"),
  listWebhookEndpoints: method("webhooks.list"),
  addWebhookEndpoint: method("webhooks.add"),
  changeWebhookEndpoint: method("webhooks.update", "endpoint_id"),
  removeWebhookEndpoint: method("webhooks.remove", "endpoint_id"),
  testWebhookEndpoint: method("webhooks.test", "endpoint_id"),
  listWebhookDeliveries: yielding("delivery", "webhooks.deliveries"),
  redriveWebhook: method("webhooks.redeliver", "event_id"),
  listNodes: method("nodes.list"),
  regionsHealth: method("nodes.health"),
  drainNode: method("nodes.drain", "node_id"),
  resumeNode: method("nodes.resume", "node_id"),
  removeNode: method("nodes.remove", "node_id"),
}

const MOMENT = "2026-11-21T12:00:00.000Z"
/** Values of fields that have one meaning in every answer. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  email: "alice@mailbox.test",
  domain: "mailbox.test",
  score: 90,
  confidence_score: 90,
}

/** An example value for a schema: its example, default, first enum value, or a value within its bounds. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  if (depth > 12) return null
  if ("example" in schema) return schema.example
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if ("const" in schema) return schema.const
  if ("default" in schema) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const inner = (part: unknown) => exampleOf(part as Schema, schemas, depth + 1)
  const component = componentIn(schema)
  if (component !== null) return inner(schemas[component] ?? {})
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return inner(choices.find(({ type }) => type !== "null") ?? {})
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map(inner))
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type
  return plainExample(type, schema, inner)
}

function plainExample(type: unknown, schema: Schema, inner: (part: unknown) => unknown): unknown {
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, part]) => [
          name,
          namedExample(name, { part: part as Schema, found: inner(part) }),
        ]),
      )
    case "array":
      return schema.items ? [inner(schema.items)] : []
    case "integer":
    case "number":
      return Math.min(Number(schema.maximum ?? 1), Math.max(1, Number(schema.minimum ?? 1)))
    case "boolean":
      return true
    case "string":
      if (schema.format === "date") return MOMENT.slice(0, "2026-11-21".length)
      return schema.format === "date-time" ? MOMENT : "text"
    default:
      return null
  }
}

/** @param found the value by the schema alone, which says nothing when it is the placeholder of its type */
function namedExample(name: string, { part, found }: { part: Schema; found: unknown }): unknown {
  const isPlaceholder = found === "text" || (found === 1 && part.maximum === 100)
  return isPlaceholder ? (BY_NAME[name] ?? found) : found
}
