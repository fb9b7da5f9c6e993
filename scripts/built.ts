import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
/** What a build is made from: these folders, and every package by its version. */
const SOURCES = ["src", "schema", "scripts"]
const LOCKFILE = "package-lock.json"
const ENTRY = "src/worker.ts"
/** The digest of what dist/ was built from. */
const RECORD = join(root, "dist/built-from")

export const WORKER_SCRIPT = join(root, "dist/worker.mjs")
const PRODUCTS = [RECORD, WORKER_SCRIPT, join(root, "dist/assets")]

export interface BuildOptions {
  /** Another entry than src/worker.ts, relative to the project. */
  readonly entry?: string | undefined
  /** Told before something is built. */
  readonly onBuild?: () => void
}

/**
 * Builds the Worker and the files it serves, unless what stands in dist/ was built from the very same bytes. The tools it
 * takes are loaded only then: they need longer to start than the whole stack.
 */
export async function ensureBuilt({ entry = ENTRY, onBuild }: BuildOptions = {}): Promise<void> {
  const digest = digestOf(entry)
  if (PRODUCTS.every((path) => existsSync(path)) && readFileSync(RECORD, "utf8") === digest) return
  onBuild?.()
  rmSync(RECORD, { force: true })
  const [{ buildAssets }, { bundleWorker }] = await Promise.all([import("./build.ts"), import("./bundle.ts")])
  await Promise.all([buildAssets(), bundleWorker({ entry: join(root, entry), outfile: WORKER_SCRIPT })])
  writeFileSync(RECORD, digest)
}

function digestOf(entry: string): string {
  const hash = createHash("sha256")
    .update(entry)
    .update(readFileSync(join(root, LOCKFILE)))
  for (const folder of SOURCES)
    for (const file of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue
      const path = join(file.parentPath, file.name)
      hash.update(`\0${path}\0`).update(readFileSync(path))
    }
  return hash.digest("hex")
}
