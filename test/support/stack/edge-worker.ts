import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import { bundleWorker } from "../../../scripts/build/bundle.ts"

/** Runs one export of a file as a Worker of its own, to test in workerd what crosses requests. */
export async function startEdgeWorker(file: URL, name: string): Promise<Miniflare> {
  const directory = mkdtempSync(join(tmpdir(), "edge-worker-"))
  const [script, entry] = [join(directory, "worker.mjs"), join(directory, "entry.ts")]
  writeFileSync(entry, `export { ${name} as default } from ${JSON.stringify(fileURLToPath(file))}`)
  await bundleWorker({ entry, folder: directory })
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      cf: { colo: "DEV" },
      compatibilityDate: "2026-10-01",
      modulesRoot: directory,
      modules: [{ type: "ESModule", path: script }],
    }),
  )
  await worker.ready
  rmSync(directory, { recursive: true, force: true })
  return worker
}
