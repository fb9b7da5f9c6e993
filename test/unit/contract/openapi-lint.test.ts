import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral from "@stoplight/spectral-core"
import { oas } from "@stoplight/spectral-rulesets"
import { describe, expect, test } from "vitest"
import { openApiDocument } from "../../../scripts/build/openapi.ts"

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: string[]
  readonly responses: Record<string, { content?: Record<string, { schema?: object; example?: unknown }> }>
}

interface Schema {
  readonly type: unknown
  readonly enum: readonly unknown[]
  readonly format: string
  readonly maximum: number
  readonly anyOf: readonly { $ref?: string }[]
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

describe("the published document", () => {
  test("has no error for Redocly", async () => {
    const config = await createConfig({ extends: ["recommended"] })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    const errors = problems.filter(({ severity }) => severity === "error")
    expect(errors.map(({ message, location }) => `${message} at ${location[0]?.pointer}`)).toEqual([])
  })

  test("has no error for Spectral", async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [oas] } as Parameters<typeof linter.setRuleset>[0])
    const problems = await linter.run(JSON.parse(JSON.stringify(document)) as Record<string, unknown>)
    const errors = problems.filter(({ severity }) => severity === 0)
    expect(errors.map(({ message, path }) => `${message} at ${path.join("/")}`)).toEqual([])
  })

  test("allows null in the enum of each nullable field", () => {
    const impossible: unknown[] = []
    JSON.stringify(document, (_, schema: Partial<Schema> | null) => {
      if (Array.isArray(schema?.type) && schema.type.includes("null") && schema.enum?.includes(null) === false)
        impossible.push(schema)
      return schema
    })
    expect(impossible).toEqual([])
  })

  // Generators turn a schema Key into a function NewKey, and an integer without a format into int32. A default for an
  // object does not compile in Go. A boolean with one value and a map among alternatives do not compile in Java. Python
  // omits a number with one value, and the answer with it.
  test("generates clients for Go, Java and Python", () => {
    const { schemas } = document.components
    const names = Object.keys(schemas)
    const isMap = ({ $ref = "" }) =>
      !("properties" in (schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? { properties: 0 }))
    const stumbles: unknown[] = names.filter((name) => names.includes(`New${name}`))
    JSON.stringify(document, (key, schema: Partial<Schema> | null) => {
      const { maximum = 0, format, type, enum: values, anyOf = [] } = schema ?? {}
      const isLong = maximum >= 2 ** 31 && format !== "int64"
      const isObject = key === "default" && String(schema) === "[object Object]"
      const isConstant = values?.length === 1 && type !== "string"
      if (isLong || isObject || isConstant || anyOf.some(isMap)) stumbles.push(schema)
      return schema
    })
    expect(stumbles).toEqual([])
  })

  test("publishes a pattern without its flags", () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => text!)
    expect(patterns.length).toBeGreaterThan(10)
    expect(patterns.filter((text) => !/[$}\])+*]"$/.test(text))).toEqual([])
  })

  test.each(operations)("$name has a summary, a tag, an example and typed errors", ({ operation }) => {
    expect(JSON.stringify(operation)).toMatch(/"examples?":/)
    expect(operation.summary).toBeTruthy()
    expect(operation.tags).toHaveLength(1)
    const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
    expect(errors.length).toBeGreaterThanOrEqual(4)
    for (const [, { content }] of errors) expect(content?.["application/json"]?.schema).toBeTruthy()
  })
})
