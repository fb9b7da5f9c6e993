import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { workerOptions } from "../../scripts/worker-options.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-options-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("what is kept of wrangler.toml holds its own variables, and none of the settings that stand around it", () => {
  const config = join(folder, "wrangler.toml")
  copyFileSync(new URL("../../wrangler.toml", import.meta.url), config)
  for (const name of [".env", ".dev.vars"])
    writeFileSync(join(folder, name), "STRIPE_SECRET_KEY=sk_of_the_tests\nLIMITS=\n")
  const options = workerOptions(config)
  expect(options).toMatchObject({ bindings: {}, queueProducers: { BULK_QUEUE: { queueName: "mailverdict-bulk" } } })
  expect(JSON.stringify(options)).not.toMatch(/sk_of_the_tests|LIMITS/)
})
