import { describe, expect, test } from "vitest"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import type { Operations } from "../../../src/client/operations.ts"
import { requestFor } from "../../../src/client/request.ts"

type Schema = { readonly $ref?: string; readonly properties?: Record<string, { readonly description?: string }> }
interface Operation {
  readonly operationId: keyof Operations
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: Schema }> }>
}

const where = { baseUrl: "http://service.test", apiKey: undefined, idempotencyKey: "order-1" }
const requestOf = (operation: keyof Operations, input: Record<string, unknown>) =>
  requestFor(operation, { ...where, input })

describe("each input field goes to its place in the OpenAPI document", () => {
  test.each([
    ["validateSyntax", { email: "a+b@c.test" }, "GET /validate/syntax?email=a%2Bb%40c.test", undefined],
    // A space encoded as "+" would verify another mailbox: the service reads "+" as a plus sign.
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
    const { url, init } = requestOf(operation, input)
    expect(`${init.method} ${url.replace(where.baseUrl, "")}`).toBe(expected)
    expect(init.body).toBe(body)
    expect(new Headers(init.headers).get("content-type")).toBe(body === undefined ? null : "application/json")
  })
})

test("only operations that show a secret once are not repeated without proof", () => {
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
    name === "api_key" || /shown only once/i.test(description ?? "")
  const showing = operations.filter((one) => Object.entries(answer(one)?.properties ?? {}).some(isShown))
  const notRepeated = operations.filter(({ operationId }) => !requestOf(operationId, {}).mayRepeat)
  expect(notRepeated.map(({ operationId }) => operationId)).toEqual(showing.map(({ operationId }) => operationId))
  expect(notRepeated).toHaveLength(6)
})
