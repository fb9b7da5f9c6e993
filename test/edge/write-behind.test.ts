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
  directory = mkdtempSync(join(tmpdir(), "write-behind-"))
  const [script, entry] = [join(directory, "worker.mjs"), join(directory, "entry.ts")]
  const writing = fileURLToPath(new URL("write-behind-worker.ts", import.meta.url))
  writeFileSync(entry, `export { writeBehindWorker as default } from ${JSON.stringify(writing)}`)
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

test("entries of requests that have answered are stored once, in fewer writes than requests", async () => {
  const url = await worker.ready
  const entries = Array.from({ length: 200 }, (_, n) => `${n}`)
  const answers = await Promise.all(entries.map((entry) => fetch(new URL(`/?entry=${entry}`, url))))
  expect(answers.map(({ status }) => status)).toEqual(entries.map(() => 200))
  const state = async () => (await (await fetch(url)).json()) as { stored: string[]; writes: number }
  await expect.poll(async () => (await state()).stored.toSorted(), { timeout: 10_000 }).toEqual(entries.toSorted())
  expect((await state()).writes).toBeLessThan(entries.length)
})
