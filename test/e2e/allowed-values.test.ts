import { beforeAll, describe, expect, inject, test } from "vitest"
import { openApiDocument } from "../../scripts/build/openapi.ts"
import { newKey } from "../support/stack/account.ts"
import { callUnchecked } from "../support/stack/api.ts"
import type { OpenApi, Operation } from "../support/stack/openapi-requests.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

type Schema = NonNullable<NonNullable<Operation["parameters"]>[number]["schema"]>

const document = openApiDocument() as unknown as OpenApi
const WRONG = "no-such-value"

/** Follows references and nullable variants to the schema itself. */
function resolved(schema: Schema): Schema {
  if (schema.$ref) return resolved(document.components.schemas[schema.$ref.split("/").at(-1)!]!)
  const variants = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== "null")
  return variants.length === 1 ? resolved(variants[0]!) : schema
}

/** Texts that an enumeration allows; null for another schema. */
function allowedBy(schema: Schema): string[] | null {
  const values = resolved(schema).enum?.filter((value) => value !== null)
  return values && values.length > 1 && values.every((value) => typeof value === "string") ? (values as string[]) : null
}

/** A plausible value, so that only the enumeration is wrong. */
function example(schema: Schema): unknown {
  const {
    type,
    example: given,
    examples,
    enum: values,
    properties = {},
    required = [],
    items,
    minimum,
  } = resolved(schema)
  if (given !== undefined) return given
  if (examples) return examples[0]
  if (values) return values[0]
  if (type === "array") return items ? [example(items)] : []
  if (type === "object") return Object.fromEntries(required.map((name) => [name, example(properties[name]!)]))
  if (type === "integer" || type === "number") return minimum ?? 1
  return type === "boolean" ? false : "a@mailbox.test"
}

interface Case {
  readonly name: string
  readonly at: string
  readonly method: string
  readonly json: unknown
  readonly allowed: readonly string[]
}

function casesOf(path: string, method: string, operation: Operation): Case[] {
  const name = (field: string) => `${method.toUpperCase()} ${path}: ${field}`
  const parameters = operation.parameters ?? []
  const filled = path.replace(/\{(\w+)\}/g, (_, id: string) =>
    encodeURIComponent(String(example(parameters.find((one) => one.name === id && one.in === "path")?.schema ?? {}))),
  )
  const needed = parameters.filter((one) => one.in === "query" && one.required)
  const at = (wrong?: string) => {
    const pairs: [string, string][] = needed
      .filter((one) => one.name !== wrong)
      .map((one) => [one.name, String(example(one.schema ?? {}))])
    const query = new URLSearchParams(wrong === undefined ? pairs : [...pairs, [wrong, WRONG]])
    return query.size > 0 ? `${filled}?${query}` : filled
  }
  const body = operation.requestBody?.content["application/json"]?.schema
  const fields = body ? (resolved(body).properties ?? {}) : {}
  const proper = body ? (example(body) as object) : undefined
  return [
    ...parameters
      .filter((one) => one.in === "query")
      .flatMap((one) => {
        const allowed = allowedBy(one.schema ?? {})
        return allowed ? [{ name: name(`query ${one.name}`), at: at(one.name), method, json: proper, allowed }] : []
      }),
    ...Object.entries(fields).flatMap(([field, schema]) => {
      const allowed = allowedBy(schema)
      return allowed
        ? [{ name: name(`body ${field}`), at: at(), method, json: { ...proper, [field]: WRONG }, allowed }]
        : []
    }),
  ]
}

const CASES = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => casesOf(path, method, operation)),
)

describe("a value outside of an enumeration is 422, with the allowed values", () => {
  let member: Record<string, string>
  beforeAll(async () => {
    const { secret } = await newKey()
    const token = await sessionOf("allowed-values@inbox.test")
    member = { "x-api-key": secret, authorization: `Bearer ${token}` }
  })

  test("there are cases of query and body", () => {
    expect(CASES.filter(({ name }) => name.includes(": query ")).length).toBeGreaterThan(5)
    expect(CASES.filter(({ name }) => name.includes(": body ")).length).toBeGreaterThan(5)
  })

  test.each(CASES)("$name", async ({ at, method, json, allowed }) => {
    const answers = []
    for (const headers of [{ "x-admin-secret": inject("adminSecret") }, member].map(
      (one) => one as Record<string, string>,
    )) {
      const { authorization, ...withKey } = headers
      for (const one of authorization ? [withKey, { authorization }] : [withKey])
        answers.push(
          await callUnchecked(at, {
            method: method.toUpperCase(),
            headers: { ...one, ...(json === undefined ? {} : { "content-type": "application/json" }) },
            ...(json === undefined ? {} : { body: JSON.stringify(json) }),
          }),
        )
    }
    const refused = answers.find(({ status }) => status === 422)
    expect(refused?.status, answers.map(({ status, text }) => `${status} ${text.slice(0, 300)}`).join("\n")).toBe(422)
    for (const value of allowed) expect(refused!.text).toContain(value)
  })
})
