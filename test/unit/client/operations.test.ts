import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { generateClient } from "../../../scripts/build/generate-client.ts"

test("operations.ts matches the OpenAPI document (npm run build:client updates it)", async () => {
  const committed = readFileSync(new URL("../../../src/client/operations.ts", import.meta.url), "utf8")
  expect(committed === (await generateClient())).toBe(true)
})
