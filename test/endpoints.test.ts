import { gzipSync } from "node:zlib"
import { describe, expect, inject, test } from "vitest"
import { ENDPOINTS } from "../src/routes/index.ts"
import { callUnchecked, publishedContract } from "./support/stack/api.ts"
import { ENDPOINT_LIST, FURTHER_ENDPOINTS } from "./support/stack/endpoint-list.ts"

const endpoints = ENDPOINTS.map(({ access, route }) => ({
  access,
  method: route.method.toUpperCase(),
  path: route.path,
  hasBody: route.request?.body !== undefined,
  /** A real path with harmless values for the placeholders, which do not exist. */
  at: route.path.replace(/\{\w+\}/g, "none"),
}))
const withBody = endpoints.filter(({ hasBody }) => hasBody)
const headersFor = (access: string) => ({
  "content-type": "application/json",
  ...(access === "admin" ? { "x-admin-secret": inject("adminSecret") } : {}),
})

describe("the endpoint list", () => {
  const offered = new Map<string, string>(endpoints.map(({ access, method, path }) => [`${method} ${path}`, access]))

  test("has 152 distinct endpoints", () => {
    expect(new Set(ENDPOINT_LIST.map(([, call]) => call)).size).toBe(152)
    expect(ENDPOINT_LIST).toHaveLength(152)
  })

  test.each(ENDPOINT_LIST)("%s %s exists", (access, call) => {
    expect(offered.get(call)).toBe(access)
  })

  test("all other endpoints are in the list of further endpoints", () => {
    const listed = new Set(ENDPOINT_LIST.map(([, call]) => call))
    const further = [...offered].filter(([call]) => !listed.has(call)).map(([call, access]) => [access, call])
    expect(further.toSorted()).toEqual(FURTHER_ENDPOINTS.toSorted())
  })

  test("every endpoint is unique, with an operation id, a tag and a summary", () => {
    const names = endpoints.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(names).size).toBe(names.length)
    const ids = ENDPOINTS.map(({ route }) => route.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { route } of ENDPOINTS)
      expect(route).toMatchObject({ tags: [expect.any(String)], summary: expect.any(String) })
  })

  test("equals the published document, at version 6.0.0 in OpenAPI 3.1", async () => {
    const document = (await callUnchecked("/openapi.json")).body as { openapi: string; info: { version: string } }
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "6.0.0" } })
    const { paths } = await publishedContract()
    const published = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(published.toSorted()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).toSorted())
  })
})

test("endpoints with an optional key publish every way to authenticate", async () => {
  const { paths } = (await callUnchecked("/openapi.json")).body as {
    paths: Record<string, Record<string, { security: object[] }>>
  }
  const ways = [{}, { ApiKey: [] }, { Session: [] }, { AdminSecret: [] }]
  for (const { access, method, path } of endpoints)
    if (access === "key-optional") expect(paths[path]![method.toLowerCase()]!.security).toEqual(ways)
})

test("the published document includes the credentials of sign-in calls, because clients send only published ones", async () => {
  const { paths, components } = (await callUnchecked("/openapi.json")).body as {
    paths: Record<string, Record<string, { security: object[] }>>
    components: { securitySchemes: Record<string, object> }
  }
  expect(paths["/auth/verify"]!.post!.security).toEqual([{}, { ApiKey: [] }])
  const googles = { GoogleIdToken: [] }
  expect(paths["/auth/google/me"]!.get!.security).toEqual([googles, { ...googles, ApiKey: [] }])
  expect(components.securitySchemes).toMatchObject({ GoogleIdToken: { type: "http", scheme: "bearer" } })
})

test("nullable fields have valid schemas: none combines a reference with null in allOf", async () => {
  const { text } = await callUnchecked("/openapi.json")
  const contradictions: string[] = []
  JSON.parse(text, (key, value) => {
    const parts: { $ref?: string; type?: string | string[] }[] = value?.allOf ?? []
    const isNamed = parts.some(({ $ref }) => $ref !== undefined)
    if (isNamed && parts.some(({ type }) => type?.includes("null"))) contradictions.push(`${key}: ${parts[0]!.$ref}`)
    return value
  })
  expect(contradictions).toEqual([])
})

test("the reference and its document are sent again only after a change", async () => {
  for (const path of ["/openapi.json", "/docs", "/docs/scalar.js", "/docs.md", "/llms.txt", "/console/"]) {
    const tag = (await callUnchecked(path)).headers.get("etag") ?? "none"
    const again = await callUnchecked(path, { headers: { "if-none-match": tag } })
    expect({ path, status: again.status, text: again.text }).toEqual({ path, status: 304, text: "" })
    expect(again.headers.get("etag")).toBe(tag)
    expect(again.headers.get("cache-control")).toMatch(/max-age|no-cache/)
    expect((await callUnchecked(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200)
  }
})

test("a missing parameter is reported as required, with its location", async () => {
  const problem = {
    detail: [{ loc: ["query", "email"], msg: "is required", type: "missing" }],
    code: "invalid_request",
  }
  expect((await callUnchecked("/validate")).body).toEqual(problem)
})

describe("every endpoint follows the error contract", () => {
  test.each(endpoints)("$method $path: another method is 405 with Allow", async ({ at }) => {
    const answer = await callUnchecked(at, { method: "PROPFIND" })
    expect(answer.status).toBe(405)
    expect(answer.headers.get("allow")).toMatch(/GET|POST|DELETE/)
    expect(answer.body).toEqual({ detail: expect.any(String), code: "method_not_allowed" })
    expect(answer.headers.get("link")).toBe('</docs/errors#method_not_allowed>; rel="help"')
  })

  const bodies = [
    ["malformed JSON", "{", 422],
    ["an array", "[]", 422],
    ["null", "null", 422],
    ["nothing", "", 422],
    ["a number", "1", 422],
  ] as const
  test.each(
    withBody.flatMap((endpoint) => bodies.map(([what, body, status]) => ({ ...endpoint, what, body, status }))),
  )("$method $path: a body that is $what is $status", async ({ method, at, access, body, status }) => {
    const answer = await callUnchecked(at, { method, headers: headersFor(access), body })
    expect(answer.status === status || answer.status === 401).toBe(true)
    if (answer.status === 422)
      expect(answer.body).toMatchObject({
        detail: [{ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) }],
        code: "invalid_request",
      })
  })

  test.each(withBody)("$method $path: another content type is 415", async ({ method, at, access }) => {
    const headers = { ...headersFor(access), "content-type": "text/plain" }
    const answer = await callUnchecked(at, { method, headers, body: "email=a@b.c" })
    expect([401, 415]).toContain(answer.status)
    const code = answer.status === 415 ? "unsupported_media_type" : expect.any(String)
    expect(answer.body).toEqual({ detail: expect.any(String), code })
  })

  test.each(withBody)("$method $path: a compressed body is 415 with an explanation", async ({ method, at, access }) => {
    const headers = { ...headersFor(access), "content-encoding": "gzip" }
    const answer = await callUnchecked(at, { method, headers, body: new Uint8Array(gzipSync("{}")) })
    expect([401, 415]).toContain(answer.status)
    if (answer.status === 415) {
      expect(answer.headers.get("accept-encoding")).toBe("identity")
      expect(answer.body).toEqual({ detail: expect.stringContaining("gzip"), code: "unsupported_media_type" })
    }
  })

  test.each(withBody)("$method $path: an oversized body is 413", async ({ method, at, access }) => {
    const body = JSON.stringify({ email: `${"a".repeat(10_000_000)}@mailbox.test` })
    const answer = await callUnchecked(at, { method, headers: headersFor(access), body })
    expect([401, 413]).toContain(answer.status)
    const code = answer.status === 413 ? "payload_too_large" : expect.any(String)
    expect(answer.body).toEqual({ detail: expect.any(String), code })
  })

  test("an unknown path is 404, with a request id and the security headers", async () => {
    const answer = await callUnchecked("/no/such/path")
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.any(String), code: "unknown_endpoint" } })
    expect(answer.headers.get("x-request-id")).toMatch(/^[\w-]{8,64}$/)
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
  })

  test("a page of another site may call and read the API, and cacheable answers are open to all origins", async () => {
    const headers = { origin: "https://shop.example" }
    const answer = await callUnchecked("/health", { headers })
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Request-Id")
    const asking = {
      ...headers,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
    }
    const preflight = await callUnchecked("/validate", { method: "OPTIONS", headers: asking })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-headers")).toContain("X-API-Key")
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET,POST,PUT,PATCH,DELETE")
    const document = await callUnchecked("/openapi.json")
    expect(document.headers.get("access-control-allow-origin")).toBe("*")
  })

  test("a harmless request id of the caller is used, a hostile one is replaced", async () => {
    const reused = await callUnchecked("/health", { headers: { "x-request-id": "order-4711-b" } })
    expect(reused.headers.get("x-request-id")).toBe("order-4711-b")
    const replaced = await callUnchecked("/health", { headers: { "x-request-id": "<script>alert(1)</script>" } })
    expect(replaced.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  })

  test("the reference page loads nothing from other hosts, and the console allows no inline styles", async () => {
    const page = await callUnchecked("/docs")
    expect(page.status).toBe(200)
    for (const [, url] of page.text.matchAll(/(?:src|href)="([^"]+)"/g))
      expect(url).toMatch(/^(\/docs\/|\/docs\.md$|\/llms\.txt$|data:,$)/)
    const policyOf = async (path: string) =>
      (await callUnchecked(path)).headers.get("content-security-policy")?.split("; ").sort()
    const reference = [
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
    ]
    for (const path of ["/docs", "/docs/scalar.js", "/openapi.json", "/docs.md", "/llms.txt"])
      expect(await policyOf(path)).toEqual(reference)
    expect(await policyOf("/console/")).toEqual([
      "base-uri 'none'",
      "default-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "object-src 'none'",
      "style-src 'self'",
    ])
    expect(await policyOf("/health")).toEqual(["default-src 'none'", "frame-ancestors 'none'"])
  })
})
