import fc from "fast-check"
import { HOSTILE_BODIES, HOSTILE_TEXTS, HOSTILE_VALUES } from "../inputs/hostile-values.ts"

/** The part of JSON Schema that our document uses. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: readonly unknown[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

export interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A request as text, which can also be invalid JSON. */
export interface FuzzRequest {
  readonly at: string
  readonly contentType: string | null
  readonly body: string | null
}

/** Values of path parameters that belong to no account. */
const UNKNOWN_IDS = ["none", "0", "999999998", "job_00000000000000000000000000000000", "kid_000000000000000000000000"]
/** One of this many values is hostile. */
const HOSTILE_ONE_IN = 4

/** Requests for one operation: valid ones, ones at the bounds, and hostile ones. */
export function requestsFor(document: OpenApi, path: string, operation: Operation): fc.Arbitrary<FuzzRequest> {
  const parameters = operation.parameters ?? []
  const inPath = fc.record(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, pathText()])))
  const inQuery = fc.record(
    Object.fromEntries(
      parameters.filter((one) => one.in === "query").map((one) => [one.name, queryText(document, one)]),
    ),
  )
  return fc.record({ inPath, inQuery, sent: bodyOf(document, operation) }).map(({ inPath, inQuery, sent }) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => inPath[name]!)
    const query = Object.entries(inQuery).flatMap(([name, text]) => (text === null ? [] : [`${name}=${text}`]))
    return { ...sent, at: query.length > 0 ? `${filled}?${query.join("&")}` : filled }
  })
}

function pathText(): fc.Arbitrary<string> {
  const hostile = fc.constantFrom(...HOSTILE_TEXTS.filter((text) => text.trim() !== "" && !/^\.\.?/.test(text)))
  return fc.oneof(
    fc.constantFrom(...UNKNOWN_IDS),
    hostile.map((text) => encodeURIComponent(text.slice(0, 2_000).toWellFormed())),
  )
}

/** A query value, encoded or deliberately not; null omits it. */
function queryText(document: OpenApi, { schema = {}, required = false }: Parameter): fc.Arbitrary<string | null> {
  const proper = valid(document, schema, 0).map((value) => encodeURIComponent(String(value)))
  const raw = fc.constantFrom("%00", "%E0%A4%A", "%", "%ED%A0%80", "+", "a%2Bb%40d0950.test")
  const hostile = fc.constantFrom(...HOSTILE_TEXTS).map((text) => encodeURIComponent(text.toWellFormed()))
  const absent = fc.constant(null)
  return fc.oneof(
    { arbitrary: proper, weight: required ? 8 : 3 },
    { arbitrary: absent, weight: required ? 1 : 5 },
    { arbitrary: hostile, weight: 2 },
    { arbitrary: raw, weight: 1 },
  )
}

function bodyOf(document: OpenApi, { requestBody }: Operation): fc.Arbitrary<Omit<FuzzRequest, "at">> {
  if (!requestBody) return fc.constant({ contentType: null, body: null })
  const [contentType, { schema = {} }] = Object.entries(requestBody.content)[0]!
  const proper = spoiled(document, schema, 0).map((value) => JSON.stringify(value) ?? "")
  const whole = fc.constantFrom(...HOSTILE_BODIES)
  const text = contentType === "application/json" ? proper : fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), proper)
  const body = fc.oneof({ arbitrary: text, weight: 5 }, { arbitrary: whole, weight: 1 })
  const said = fc.oneof(
    { arbitrary: fc.constant(contentType), weight: 12 },
    { arbitrary: fc.constantFrom("text/plain", "application/json; charset=utf-16", "multipart/form-data"), weight: 1 },
  )
  return fc.record({ contentType: said, body })
}

/** A value for the schema with occasional hostile parts. */
function spoiled(document: OpenApi, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const hostile = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.constantFrom(...HOSTILE_VALUES))
  const proper = build(document, schema, { depth, part: spoiled })
  const weight = HOSTILE_ONE_IN - 1
  return fc.oneof({ arbitrary: proper, weight: depth === 0 ? 40 : weight }, { arbitrary: hostile, weight: 1 })
}

function valid(document: OpenApi, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  return build(document, schema, { depth, part: valid })
}

type Part = (document: OpenApi, schema: Schema, depth: number) => fc.Arbitrary<unknown>

function build(
  document: OpenApi,
  given: Schema,
  { depth, part }: { depth: number; part: Part },
): fc.Arbitrary<unknown> {
  const schema = resolve(document, given)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => part(document, choice, depth)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const known = [schema.example, ...(schema.examples ?? []), schema.default].filter((value) => value !== undefined)
  const types = schema.type === undefined ? ["string"] : [schema.type].flat()
  const made = fc.oneof(...types.map((type) => ofType(document, { ...schema, type }, { depth, part })))
  const isLeaf = !types.includes("object") && !types.includes("array")
  return isLeaf && known.length > 0 ? fc.oneof(fc.constantFrom(...known), made) : made
}

function ofType(document: OpenApi, schema: Schema, { depth, part }: { depth: number; part: Part }) {
  switch (schema.type) {
    case "integer":
    case "number":
      return fc.constantFrom(...boundsOf(schema))
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array": {
      const most = Math.min(schema.maxItems ?? 3, 3)
      const item = depth > 4 ? fc.constant(null) : part(document, schema.items ?? {}, depth + 1)
      return fc.array(item, { minLength: Math.min(schema.minItems ?? 0, most), maxLength: most })
    }
    case "object": {
      const entries = Object.entries(schema.properties ?? {})
      const values = Object.fromEntries(entries.map(([name, value]) => [name, part(document, value, depth + 1)]))
      return fc.record(values, { requiredKeys: [...(schema.required ?? [])].filter((name) => name in values) })
    }
    default:
      return fc.oneof(address(), fc.string({ maxLength: Math.min(schema.maxLength ?? 20, 20) }))
  }
}

/** Sandbox addresses that answer at once. */
const address = () => fc.nat(40).map((n) => `${n % 2 ? "user" : "no-"}${n}@d0950.test`)

function boundsOf({ minimum = 0, maximum = 1_000 }: Schema): number[] {
  return [minimum, maximum, minimum - 1, maximum + 1, Math.floor((minimum + maximum) / 2)]
}

function resolve(document: OpenApi, schema: Schema): Schema {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1)!
    return resolve(document, document.components.schemas[name]!)
  }
  return schema.allOf ? Object.assign({}, ...schema.allOf.map((one) => resolve(document, one))) : schema
}
