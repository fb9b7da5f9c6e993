import { describe, expect, test } from "vitest"
import { openApiDocument } from "../../../scripts/openapi.ts"
import type { Operations } from "../../../src/client/operations.ts"
import { requestFor } from "../../../src/client/request.ts"

type Schema = { readonly $ref?: string; readonly properties?: Record<string, { readonly description?: string }> }
interface Operation {
  readonly operationId: keyof Operations
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: Schema }> }>
}

const where = { baseUrl: "http://service.test", apiKey: undefined, idempotencyKey: "order-1" }
const asked = (operation: keyof Operations, input: Record<string, unknown>) =>
  requestFor(operation, { ...where, input })

describe("each part of the input goes where the document has it", () => {
  test.each([
    ["validateSyntax", { email: "a+b@c.test" }, "GET /validate/syntax?email=a%2Bb%40c.test", undefined],
    // A space is none of a tag: written "+", which the service keeps, it would be an answer about another mailbox.
    ["validate", { email: "a b+c@d.test" }, "GET /validate?email=a%20b%2Bc%40d.test", undefined],
    ["eraseByQuery", { email: "a@c.test" }, "DELETE /gdpr/erase?email=a%40c.test", undefined],
    ["reportDelivered", { email: "a@c.test" }, "POST /delivered?email=a%40c.test", undefined],
    ["reportReceived", { email: "a@c.test" }, "POST /received?email=a%40c.test", undefined],
    ["reportOpened", { email: "a@c.test" }, "POST /feedback/opened?email=a%40c.test", undefined],
    ["reportClicked", { email: "a@c.test" }, "POST /feedback/clicked?email=a%40c.test", undefined],
    ["findEmailV2", { first_name: "A", domain: "c.test" }, "POST /find-email/v2?first_name=A&domain=c.test", undefined],
    ["findEmail", { first_name: "A", domain: "c.test" }, "POST /find-email", '{"first_name":"A","domain":"c.test"}'],
    ["upgradeUser", { email: "a@c.test", tier: "pro" }, "POST /admin/users/a%40c.test/upgrade", '{"tier":"pro"}'],
    ["syncHubspot", { restart: undefined }, "POST /integrations/hubspot/sync", "{}"],
  ] as const)("%s", (operation, input, expected, body) => {
    const { url, init } = asked(operation, input)
    expect(`${init.method} ${url.replace(where.baseUrl, "")}`).toBe(expected)
    expect(init.body).toBe(body)
    expect(new Headers(init.headers).get("content-type")).toBe(body === undefined ? null : "application/json")
  })
})

test("whatever shows a secret once is not repeated blindly, and nothing else", () => {
  const { paths, components } = openApiDocument() as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const answer = ({ responses }: Operation) => {
    const schema = responses["200"]?.content?.["application/json"]?.schema
    return schema?.$ref ? components.schemas[schema.$ref.split("/").at(-1)!] : schema
  }
  const isShown = ([name, { description }]: [string, { description?: string }]) =>
    name === "api_key" || /shown this once/i.test(description ?? "")
  const showing = operations.filter((one) => Object.entries(answer(one)?.properties ?? {}).some(isShown))
  const careful = operations.filter(({ operationId }) => !asked(operationId, {}).mayRepeat)
  expect(careful.map(({ operationId }) => operationId)).toEqual(showing.map(({ operationId }) => operationId))
  expect(careful).toHaveLength(6)
})
