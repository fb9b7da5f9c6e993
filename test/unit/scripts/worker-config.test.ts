import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { readWorkerConfig } from "../../../scripts/dev/worker-config.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-config-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const ours = new URL("../../../wrangler.toml", import.meta.url)

test("the build stores the bindings and variables of wrangler.toml, and no settings of .env or .dev.vars", () => {
  const config = join(folder, "wrangler.toml")
  copyFileSync(ours, config)
  for (const name of [".env", ".dev.vars"])
    writeFileSync(join(folder, name), "STRIPE_SECRET_KEY=sk_of_the_tests\nLIMITS=\n")
  const read = readWorkerConfig(config)
  expect(read).toMatchObject({
    name: "mailverdict",
    vars: {},
    kvNamespaces: [{ binding: "CACHE" }],
    durableObjects: [{ className: "KeyGate" }, { className: "Flight" }],
    entrypoints: [{ binding: "WEBHOOK_DISPATCHER", entrypoint: "WebhookDispatcher" }],
    queueProducers: [{ binding: "BULK_QUEUE", queue: "mailverdict-bulk" }],
    queueConsumers: [{ queue: "mailverdict-bulk", maxBatchSize: 8, maxBatchTimeout: 0, maxRetries: 10 }],
    assetsBinding: "ASSETS",
  })
  expect(read.crons).toEqual(["* * * * *", "17 3 * * *"])
  expect(JSON.stringify(read)).not.toMatch(/sk_of_the_tests|LIMITS/)
})

test.each([
  [
    "a kind of binding that the local runtime lacks",
    '\n[[r2_buckets]]\nbinding = "FILES"\nbucket_name = "files"\n',
    "r2_buckets",
  ],
  [
    "another Worker's entry point",
    '\n[[services]]\nbinding = "OTHER"\nservice = "other"\nentrypoint = "Other"\n',
    "OTHER",
  ],
])("%s is rejected by name", (_, added, named) => {
  const config = join(folder, "added.toml")
  writeFileSync(config, readFileSync(ours, "utf8") + added)
  expect(() => readWorkerConfig(config)).toThrow(named)
})
