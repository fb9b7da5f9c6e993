import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral from "@stoplight/spectral-core"
import { oas } from "@stoplight/spectral-rulesets"
import { describe, expect, test } from "vitest"
import { openApiDocument } from "../../../scripts/openapi.ts"

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: string[]
  readonly responses: Record<string, { content?: Record<string, { schema?: object; example?: unknown }> }>
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

  test("allows null itself wherever it says that null may come", () => {
    const impossible: unknown[] = []
    JSON.stringify(document, (_, schema: { type?: unknown; enum?: unknown[] } | null) => {
      if (Array.isArray(schema?.type) && schema.type.includes("null") && schema.enum?.includes(null) === false)
        impossible.push(schema)
      return schema
    })
    expect(impossible).toEqual([])
  })

  // Generators make a function NewKey of a schema Key, int32 of an integer unless told otherwise, and no Go of an object's default.
  test("gives a client in Go that compiles", () => {
    const names = Object.keys(document.components.schemas)
    const stumbles: unknown[] = names.filter((name) => names.includes(`New${name}`))
    JSON.stringify(document, (key, schema: { maximum?: number; format?: string } | null) => {
      const isLong = Number(schema?.maximum) >= 2 ** 31 && schema?.format !== "int64"
      if (isLong || (key === "default" && String(schema) === "[object Object]")) stumbles.push(schema)
      return schema
    })
    expect(stumbles).toEqual([])
  })

  test("writes a pattern without the flags it has here", () => {
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
