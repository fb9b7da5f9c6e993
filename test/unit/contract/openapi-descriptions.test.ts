import { expect, test } from "vitest"
import type { z } from "zod"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { ENDPOINTS } from "../../../src/routes/index.ts"
import { answerFields, requestFields } from "../../support/contract/document-fields.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly default?: unknown }
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
  readonly responses: Readonly<Record<string, Answer>>
}
interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, { example?: unknown }>>
}

const document = openApiDocument() as { paths: Record<string, Record<string, Operation>> }
const { paths } = document
const published = ENDPOINTS.map(({ route, costs }) => ({
  name: `${route.method.toUpperCase()} ${route.path}`,
  costs: costs === true,
  query: (route.request?.query as z.ZodObject | undefined)?.shape ?? {},
  operation: paths[route.path]![route.method]!,
}))

test.each(published)("$name: default values of parameters are published", ({ query, operation }) => {
  const defaults = Object.entries(query).map(([name, field]) => [name, (field as z.ZodType).safeParse(undefined).data])
  const publishedDefaults = Object.keys(query).map((name) => {
    const parameter = operation.parameters?.find((one) => one.in === "query" && one.name === name)
    return [name, parameter?.schema.default]
  })
  expect(publishedDefaults).toEqual(defaults)
})

test.each(published)("$name: what a client needs for a retry is published", ({ costs, operation }) => {
  const { parameters = [], responses } = operation
  expect(parameters.some((one) => one.in === "header" && one.name === "Idempotency-Key")).toBe(costs)
  expect(responses["429"]?.headers).toHaveProperty("Retry-After")
  expect(responses["409"]?.description ?? "").toMatch(costs ? /still running/ : /^(?!.*still running)/)
})

test.each(published)("$name: a successful answer has an example", ({ operation }) => {
  const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
  const json = answers.flatMap(([, { content }]) => content?.["application/json"] ?? [])
  expect(json.filter((media) => media.example === undefined)).toEqual([])
})

test("each field of a request is described, or is an object of described fields", () => {
  const fields = requestFields(document)
  expect(fields.length).toBeGreaterThan(400)
  const bare = fields.filter(({ schema }) => schema.type !== "object" && !schema.description)
  expect(bare.map(({ call, path }) => `${call} ${path}`)).toEqual([])
})

/** The tags whose answers are complete. */
const DESCRIBED = ["verification", "bulk", "finder"]

test.each(DESCRIBED)("each field of an answer of %s is described", (tag) => {
  const fields = answerFields(document, tag)
  expect(fields.length).toBeGreaterThan(20)
  const bare = fields.filter(({ schema }) => !schema.description)
  expect(bare.map(({ call, path }) => `${call} ${path}`)).toEqual([])
})

test("each operation with a body has a media type that generators of clients know", () => {
  const known = /^(application\/(json|octet-stream)|multipart\/form-data)$/
  const bodies = published.flatMap(({ name, operation }) =>
    operation.requestBody ? [{ name, ...operation.requestBody }] : [],
  )
  expect(bodies.length).toBeGreaterThan(50)
  expect(bodies.filter(({ content }) => !Object.keys(content).some((type) => known.test(type)))).toEqual([])
})
