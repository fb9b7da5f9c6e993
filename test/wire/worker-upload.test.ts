import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ASSETS, modulesOf, WORKER_SCRIPT } from "../../scripts/build/built.ts"
import { referenceAsset } from "../../scripts/build/reference-data.ts"
import { startWorkerHost, type WorkerHost } from "../../scripts/dev/worker-host.ts"

describe("the upload", () => {
  const modules = modulesOf(WORKER_SCRIPT).map((name) => ({
    name,
    content: readFileSync(join(dirname(WORKER_SCRIPT), name)),
  }))

  // A static import of one of them would load it at each start.
  test.each([
    ["Stripe", "StripeInvalidRequestError"],
    ["the workbook reader", "unclosed tag"],
    ["romanization", "fixChineseSpacing"],
  ])("%s is in a module of its own, which the start does not load", (_, text) => {
    const holders = modules.filter(({ content }) => content.includes(text)).map(({ name }) => name)
    expect(holders.length).toBeGreaterThan(0)
    const atStart = staticImports("worker.mjs")
    expect(holders.filter((name) => atStart.has(name))).toEqual([])
  })

  test("holds no list of domains", () => {
    const holders = modules.filter(({ content }) => content.includes("1funplace.com"))
    expect(holders.map(({ name }) => name)).toEqual([])
  })

  function staticImports(name: string, found = new Set<string>()): Set<string> {
    found.add(name)
    const text = modules.find((one) => one.name === name)!.content.toString()
    for (const [, path = ""] of text.matchAll(
      /(?:^|[;}\n])\s*(?:import|export)\s*(?:[^"'();]*?from\s*)?"(\.[^"]+)"/g,
    )) {
      const imported = join(dirname(name), path)
      if (!found.has(imported)) staticImports(imported, found)
    }
    return found
  }
})

describe("an isolate without its reference data", () => {
  const stateDir = mkdtempSync(join(tmpdir(), "mailverdict-cold-"))
  const assets = mkdtempSync(join(tmpdir(), "mailverdict-assets-"))
  let worker: WorkerHost
  beforeAll(async () => {
    const host = { host: "127.0.0.1", port: 0, script: WORKER_SCRIPT, stateDir, assets, onLog: () => undefined }
    worker = await startWorkerHost({ ...host, vars: {} })
  })
  afterAll(async () => {
    await worker?.stop()
    for (const folder of [stateDir, assets]) rmSync(folder, { recursive: true, force: true })
  })

  test("answers 503 and never guesses a class", async () => {
    const response = await fetch(`${worker.url}/validate/syntax?email=a@mailinator.com`)
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"])
    expect(await response.json()).toEqual({ detail: expect.stringContaining("try again"), code: "unavailable" })
    expect(response.headers.get("link")).toBe('</docs/errors#unavailable>; rel="help"')
  })
})

test("the asset with the reference data is what the Worker asks for", () => {
  const { path, content } = referenceAsset()
  expect(readFileSync(join(ASSETS, path)).equals(content)).toBe(true)
  const core = modulesOf(WORKER_SCRIPT).map((name) => readFileSync(join(dirname(WORKER_SCRIPT), name), "utf8"))
  expect(core.some((text) => text.includes(path))).toBe(true)
})
