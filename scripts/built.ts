import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runScript } from "./child.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
/** What a build is made from: these folders, every package by its version, and how the Worker is bound. */
const FOLDERS = ["src", "schema", "scripts"]
const FILES = ["package-lock.json", "wrangler.toml"]
const ENTRY = "src/worker.ts"
/** The digest of what dist/ was built from. */
const RECORD = join(root, "dist/built-from")

export const WORKER_SCRIPT = join(root, "dist/worker.mjs")
/** wrangler.toml as Miniflare's options. */
export const WORKER_OPTIONS = join(root, "dist/worker-options.json")
export const ASSETS = join(root, "dist/assets")
const PRODUCTS = [RECORD, WORKER_SCRIPT, WORKER_OPTIONS, ASSETS]

export interface BuildOptions {
  /** Another entry than src/worker.ts, relative to the project. */
  readonly entry?: string | undefined
  /** Told before something is built. */
  readonly onBuild?: () => void
}

/**
 * Builds the Worker and the files it serves, unless what stands in dist/ was built from the very same bytes. The tools it
 * takes run in a process of their own, which ends with the build: they need more memory than the whole stack.
 */
export async function ensureBuilt({ entry = ENTRY, onBuild }: BuildOptions = {}): Promise<void> {
  const digest = digestOf(entry)
  if (PRODUCTS.every((path) => existsSync(path)) && readFileSync(RECORD, "utf8") === digest) return
  onBuild?.()
  rmSync(RECORD, { force: true })
  await runScript("scripts/build-worker.ts", [join(root, entry)])
  writeFileSync(RECORD, digest)
}

function digestOf(entry: string): string {
  const hash = createHash("sha256").update(entry)
  for (const file of FILES) hash.update(readFileSync(join(root, file)))
  for (const folder of FOLDERS)
    for (const file of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue
      const path = join(file.parentPath, file.name)
      hash.update(`\0${path}\0`).update(readFileSync(path))
    }
  return hash.digest("hex")
}
