interface Schema {
  readonly $ref?: string
  readonly type?: unknown
  readonly description?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly description?: string; readonly schema: Schema }[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Partial<Body>>>
  readonly tags: readonly string[]
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A parameter of a request, or a field of a body. */
interface Field {
  /** Such as `POST /keys`. */
  readonly call: string
  /** Such as `senders[].email` for a field inside another. */
  readonly path: string
  readonly schema: Schema
}

/** Every field of every request of the published document. A parameter's own description counts as its schema's. */
export function requestFields(published: object): Field[] {
  const { paths, components } = published as Document
  return operationsOf(paths).flatMap(({ call, operation: { parameters = [], requestBody } }) => [
    ...parameters.map(({ name, description, schema }) => {
      const own = resolved(schema, components)
      return { call, path: name, schema: description === undefined ? own : { ...own, description } }
    }),
    ...schemasOf(requestBody).flatMap((schema) => fieldsIn(schema, { call, prefix: "", components })),
  ])
}

/** Every field of every successful answer to the operations with a tag. */
export function answerFields(published: object, tag: string): Field[] {
  const { paths, components } = published as Document
  const operations = operationsOf(paths).filter(({ operation }) => operation.tags[0] === tag)
  return operations.flatMap(({ call, operation: { responses } }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) < 400)
      .flatMap(([, answer]) => schemasOf(answer))
      .flatMap((schema) => fieldsIn(schema, { call, prefix: "", components })),
  )
}

function operationsOf(paths: Document["paths"]) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
  )
}

const schemasOf = (body: Partial<Body> | undefined) =>
  Object.values(body?.content ?? {}).flatMap(({ schema }) => schema ?? [])

function resolved(schema: Schema, components: Document["components"]): Schema {
  const name = schema.$ref?.split("/").at(-1)
  if (name === undefined) return schema
  const { $ref: _, ...own } = schema
  return { ...resolved(components.schemas[name]!, components), ...own }
}

interface Within extends Pick<Document, "components"> {
  readonly call: string
  readonly prefix: string
}

function fieldsIn(given: Schema, within: Within): Field[] {
  const { call, prefix, components } = within
  const { items, properties = {}, anyOf = [], oneOf = [], allOf = [] } = resolved(given, components)
  return [
    ...[...anyOf, ...oneOf, ...allOf].flatMap((form) => fieldsIn(form, within)),
    ...(items ? fieldsIn(items, { ...within, prefix: `${prefix}[]` }) : []),
    ...Object.entries(properties).flatMap(([name, property]) => {
      const path = prefix === "" ? name : `${prefix}.${name}`
      return [
        { call, path, schema: resolved(property, components) },
        ...fieldsIn(property, { ...within, prefix: path }),
      ]
    }),
  ]
}
