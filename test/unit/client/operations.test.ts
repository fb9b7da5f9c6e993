import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { generateClient } from "../../../scripts/generate-client.ts"

test("the client's operations are those of the published document; else run: npm run build:client", async () => {
  const committed = readFileSync(new URL("../../../src/client/operations.ts", import.meta.url), "utf8")
  expect(committed === (await generateClient())).toBe(true)
})
