import { expect, test } from "vitest"
import { openApiDocument } from "../../../scripts/build/openapi.ts"
import { OPERATIONS } from "../../../src/client/operations.ts"

test("every operation of the OpenAPI document is generated, with its method and path", () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { readonly operationId: string }>> }
  const published = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
  )
  const generated = Object.entries(OPERATIONS).map(([operationId, [method, path]]) => [operationId, method, path])
  expect(generated).toEqual(published)
})
