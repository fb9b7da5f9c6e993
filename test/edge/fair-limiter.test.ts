import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import { afterAll, beforeAll, expect, test } from "vitest"
import { bundleWorker } from "../../scripts/build/bundle.ts"

let directory: string
let worker: Miniflare

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "limiter-"))
  const [script, entry] = [join(directory, "worker.mjs"), join(directory, "entry.ts")]
  const waiting = fileURLToPath(new URL("fair-limiter-worker.ts", import.meta.url))
  writeFileSync(entry, `export { limiterWorker as default } from ${JSON.stringify(waiting)}`)
  await bundleWorker({ entry, folder: directory })
  worker = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      cf: { colo: "DEV" },
      compatibilityDate: "2026-10-01",
      modulesRoot: directory,
      modules: [{ type: "ESModule", path: script }],
    }),
  )
  await worker.ready
})

afterAll(async () => {
  await worker?.dispose()
  rmSync(directory, { recursive: true, force: true })
})

test("requests that wait for each other in one isolate are all answered", async () => {
  const url = await worker.ready
  const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(url)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test("clients that hang up while they wait do not keep the turn of others", async () => {
  const url = await worker.ready
  const ending = new AbortController()
  const gone = Array.from({ length: 50 }, () => fetch(url, { signal: ending.signal }).catch(() => null))
  const stays = Array.from({ length: 50 }, () => fetch(url))
  ending.abort()
  const answers = await Promise.all(stays)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await Promise.all(gone)
})
