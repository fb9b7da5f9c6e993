import { describe, expect, test } from "vitest"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { OPERATIONS, type Operations } from "../../../src/client/operations.ts"
import { acceptsFile, type OperationPlace, requestFor } from "../../../src/client/request.ts"

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
    ["setUsageAlerts", { mail: false }, "PUT /me/alerts", '{"mail":false}'],
    ["setUsageAlerts", { webhook_url: null }, "PUT /me/alerts", '{"webhook_url":null}'],
    ["changeWebhookEndpoint", { endpoint_id: "w", paused: true }, "PATCH /webhooks/endpoints/w", '{"paused":true}'],
    ["syncHubspot", { restart: undefined }, "POST /integrations/hubspot/sync", "{}"],
  ] as const)("%s", (operation, input, expected, body) => {
    const { url, init } = requestOf(operation, input)
    expect(`${init.method} ${url.replace(where.baseUrl, "")}`).toBe(expected)
    expect(init.body).toBe(body)
    expect(new Headers(init.headers).get("content-type")).toBe(body === undefined ? null : "application/json")
  })
})

test("every operation sends the fields of its body in the body, whatever its method", () => {
  const places = Object.entries(OPERATIONS) as unknown as readonly [keyof Operations, OperationPlace][]
  const withFields = places.filter(
    ([, [, , , inBody, notJson]]) => inBody && inBody.length > 0 && !acceptsFile(notJson),
  )
  expect(new Set(withFields.map(([, [method]]) => method))).toEqual(new Set(["POST", "PUT", "PATCH"]))
  for (const [operation, [method, path, inQuery, inBody]] of withFields) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const body = Object.fromEntries(inBody!.filter((name) => !inPath.includes(name)).map((name) => [name, null]))
    const others = Object.fromEntries([...inQuery, ...inPath].map((name) => [name, "x"]))
    const { url, init } = requestOf(operation, { ...body, ...others })
    expect(init.method, operation).toBe(method)
    expect(JSON.parse(init.body as string), operation).toEqual(body)
    expect([...new URL(url).searchParams.keys()], operation).toEqual(inQuery)
  }
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
  expect(notRepeated).toHaveLength(7)
})

test("every operation of the OpenAPI document is generated, with its method and path", () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { readonly operationId: string }>> }
  const published = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
  )
  const generated = Object.entries(OPERATIONS).map(([operationId, [method, path]]) => [operationId, method, path])
  expect(generated).toEqual(published)
})
