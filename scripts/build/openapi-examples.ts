export interface Schema {
  readonly [key: string]: unknown
}
type Schemas = Readonly<Record<string, Schema>>

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
  if (typeof schema.$ref === "string") return inner(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {})
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
