import type { Schema, Schemas } from "./docs/code-samples.ts"

/**
 * datamodel-codegen names a nested object after its field, so `health` would take the name of the component `Health`.
 * @returns the definitions, with a name of its own for each such object: that of its owner and its fields
 */
export function reserveNames(definitions: Schemas): Schemas {
  const names = new Set(Object.keys(definitions))
  const added: Record<string, Schema> = {}
  /** @param field the nearest field around the schema; null in a definition itself @param path the names around it */
  function visit(schema: Schema, field: string | null, path: string): Schema {
    const inner = (one: unknown) => (isSchema(one) ? visit(one, field, path) : one)
    const entries = Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "properties") return [keyword, fieldsOf(value as Schemas, path)]
      if (["items", "additionalProperties"].includes(keyword)) return [keyword, inner(value)]
      if (["anyOf", "oneOf", "allOf"].includes(keyword)) return [keyword, (value as unknown[]).map(inner)]
      return [keyword, value]
    })
    const visited = Object.fromEntries(entries) as Schema
    if (field === null || !schema.properties || !namesOf(field).some((name) => names.has(name))) return visited
    added[path] = { ...visited, type: "object" }
    const reference = { $ref: `#/components/schemas/${path}` }
    return [schema.type].flat().includes("null") ? { anyOf: [reference, { type: "null" }] } : reference
  }
  const fieldsOf = (fields: Schemas, path: string) =>
    mapped(fields, (schema, field) => visit(schema, field, `${path}${inPascalCase(field)}`))
  return { ...mapped(definitions, (schema, name) => visit(schema, null, name)), ...added }
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null

const mapped = (all: Schemas, change: (schema: Schema, name: string) => Schema): Schemas =>
  Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, change(schema, name)]))

/** `daily_stats` becomes `DailyStats`. */
const inPascalCase = (field: string) => field.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** An object of an array has the singular. */
const namesOf = (field: string) => [field, field.replace(/s$/, "")].map(inPascalCase)

const CLASS = /^class (\w+)\(.*\):\n((?: {4}.*\n|\n)*)/gm
/** A class with a field that is a keyword of Python. */
const CALL = /^(\w+) = TypedDict\(\n {4}"\w+",\n {4}\{\n([\s\S]*?)\n {4}\},/gm

const DESCRIPTION = /^ {4}"""[\s\S]*?"""\n/gm

/** @param types the generated module @throws Error when a class does not have the fields of the component of its name */
export function checkClasses(definitions: Schemas, types: string): void {
  const fields = new Map<string, string[]>()
  const code = types.replaceAll(DESCRIPTION, "")
  for (const [, name, body] of code.matchAll(CLASS)) fields.set(name!, keysOf(body!, /^ {4}(\w+):/gm))
  for (const [, name, body] of code.matchAll(CALL)) fields.set(name!, keysOf(body!, /^ {8}"([^"]+)":/gm))
  for (const [name, { properties, allOf }] of Object.entries(definitions)) {
    // A composed schema inherits fields.
    if (!properties || allOf) continue
    const [expected, found] = [Object.keys(properties).toSorted().join(), fields.get(name)?.toSorted().join()]
    if (found !== expected) throw new Error(`types.py: ${name} has the fields ${found}, not ${expected}`)
  }
}

const keysOf = (body: string, key: RegExp) => [...body.matchAll(key)].map(([, name]) => name!)
