import { expect, test } from "vitest"
import type { z } from "zod"
import { openApiDocument } from "../../../scripts/openapi.ts"
import { ENDPOINTS } from "../../../src/routes/index.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly default?: unknown }
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, Answer>>
}
interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, { example?: unknown }>>
}

const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> }
const published = ENDPOINTS.map(({ route, costs }) => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  costs: costs === true,
  query: (route.request?.query as z.ZodObject | undefined)?.shape ?? {},
  operation: paths[route.path]![route.method]!,
}))

test.each(published)("$name: what counts when a parameter is left out is published", ({ query, operation }) => {
  const inForce = Object.entries(query).map(([name, field]) => [name, (field as z.ZodType).safeParse(undefined).data])
  const told = Object.keys(query).map((name) => {
    const parameter = operation.parameters?.find((one) => one.in === "query" && one.name === name)
    return [name, parameter?.schema.default]
  })
  expect(told).toEqual(inForce)
})

test.each(published)("$name: what a retry needs to know is published", ({ costs, operation }) => {
  const { parameters = [], responses } = operation
  expect(parameters.some((one) => one.in === "header" && one.name === "Idempotency-Key")).toBe(costs)
  expect(responses["429"]?.headers).toHaveProperty("Retry-After")
  expect(responses["409"]?.description ?? "").toMatch(costs ? /still running/ : /^(?!.*still running)/)
})

test.each(published)("$name: an answer of success has an example", ({ operation }) => {
  const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
  const json = answers.flatMap(([, { content }]) => content?.["application/json"] ?? [])
  expect(json.filter((media) => media.example === undefined)).toEqual([])
})
