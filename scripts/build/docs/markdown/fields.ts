import { componentIn, type Schema, type Schemas } from "../code-samples.ts"

/** A field of a body or an answer. Fields of inner objects have the path to them in their names. */
interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

/** Writes schemas as tables, and collects the components that the tables link to. */
export class FieldTables {
  /** The names of the components that are linked so far. */
  readonly linked = new Set<string>()

  /**
   * The table of an object's fields. Empty for a schema without fields.
   * @param required the title of the column that says whether a field is required
   */
  tableOf(schema: Schema, required: string): string {
    const fields = this.#fieldsOf(schema, "")
    const rows = fields.map(({ name, type, isRequired, description }) => [
      `\`${name}\``,
      type,
      isRequired ? "yes" : "no",
      description,
    ])
    return rows.length === 0 ? "" : table(["Field", "Type", required, "Description"], rows)
  }

  /** The type of a value in words, with its bounds. A component is a link to its table. */
  typeOf(schema: Schema): string {
    const component = componentIn(schema)
    if (component !== null) return this.#link(component)
    const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
    if (choices) return distinct(choices.map((one) => this.typeOf(one))).join(" or ")
    const parts = (schema.allOf ?? []) as Schema[]
    if (parts.length > 0)
      return distinct(parts.map((one) => this.typeOf(one)).filter((type) => type !== "any")).join(", ")
    const details = [this.#plainType(schema), ...boundsOf(schema)]
    return details.join(", ")
  }

  #link(component: string): string {
    this.linked.add(component)
    return `[${component}](#${component.toLowerCase()})`
  }

  #plainType(schema: Schema): string {
    if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(", ")
    if ("const" in schema) return `\`${schema.const}\``
    const types = [schema.type ?? "any"].flat() as string[]
    return types.map((type) => (type === "array" ? this.#arrayType(schema) : type)).join(" or ")
  }

  #arrayType({ items }: Schema): string {
    return items ? `array of ${this.typeOf(items as Schema)}` : "array"
  }

  /** The fields of a schema, and those of the objects inside it. @param path of the object, such as `file.` */
  #fieldsOf(schema: Schema, path: string): Field[] {
    const required = (schema.required ?? []) as readonly string[]
    const own = Object.entries((schema.properties ?? {}) as Schemas).flatMap(([name, part]) => [
      {
        name: path + name,
        type: this.typeOf(part),
        isRequired: required.includes(name),
        description: String(part.description ?? ""),
      },
      ...this.#innerFields(part, path + name),
    ])
    const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((one) => (one ?? []) as Schema[])
    const inChoices = choices.filter((one) => componentIn(one) === null).flatMap((one) => this.#fieldsOf(one, path))
    const named = new Map([...inChoices, ...own].map((field) => [field.name, field]))
    return [...named.values()]
  }

  /** The fields inside a field: of an object, of the objects in an array, and of objects under names of any kind. */
  #innerFields(part: Schema, name: string): Field[] {
    if (componentIn(part) !== null) return []
    const items = part.items as Schema | undefined
    const others = typeof part.additionalProperties === "object" ? (part.additionalProperties as Schema) : undefined
    return [
      ...this.#fieldsOf(part, `${name}.`),
      ...(items && componentIn(items) === null ? this.#fieldsOf(items, `${name}[].`) : []),
      ...(others ? this.#namedFields(others, `${name}.*`) : []),
    ]
  }

  #namedFields(schema: Schema, name: string): Field[] {
    const description = String(schema.description ?? "")
    const field = { name, type: this.typeOf(schema), isRequired: false, description }
    return [field, ...this.#innerFields(schema, name)]
  }
}

/** A table in Markdown. A line break or a bar would end a cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n")
}

function boundsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema
  const range = (least: unknown, most: unknown, unit: string) => {
    if (least === undefined && most === undefined) return []
    if (least === undefined) return [`at most ${most}${unit}`]
    return [most === undefined ? `at least ${least}${unit}` : `${least} to ${most}${unit}`]
  }
  return [
    ...(format === undefined ? [] : [String(format)]),
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " items"),
    ...("default" in schema ? [`default \`${JSON.stringify(schema.default)}\``] : []),
  ]
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)]
}
