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
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A parameter, or a field of a body. */
interface RequestField {
  /** Such as `POST /keys`. */
  readonly call: string
  /** Such as `senders[].email` for a field inside another. */
  readonly path: string
  readonly schema: Schema
}

/** Every field of every request of the published document. A parameter's own description counts as its schema's. */
export function requestFields(published: object): RequestField[] {
  const { paths, components } = published as Document

  function resolved(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1)
    if (name === undefined) return schema
    const { $ref: _, ...own } = schema
    return { ...resolved(components.schemas[name]!), ...own }
  }

  function fieldsIn(call: string, given: Schema, prefix: string): RequestField[] {
    const schema = resolved(given)
    const { items, properties = {}, anyOf = [], oneOf = [], allOf = [] } = schema
    return [
      ...[...anyOf, ...oneOf, ...allOf].flatMap((form) => fieldsIn(call, form, prefix)),
      ...(items ? fieldsIn(call, items, `${prefix}[]`) : []),
      ...Object.entries(properties).flatMap(([name, property]) => {
        const path = prefix === "" ? name : `${prefix}.${name}`
        return [{ call, path, schema: resolved(property) }, ...fieldsIn(call, property, path)]
      }),
    ]
  }

  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const call = `${method.toUpperCase()} ${path}`
      const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => schema ?? [])
      return [
        ...parameters.map(({ name, description, schema }) => ({
          call,
          path: name,
          schema: description === undefined ? resolved(schema) : { ...resolved(schema), description },
        })),
        ...bodies.flatMap((schema) => fieldsIn(call, schema, "")),
      ]
    }),
  )
}
