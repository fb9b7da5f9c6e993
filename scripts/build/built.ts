import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runScript } from "../dev/child.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** The inputs of a build: these folders, the versions of all packages, and the Worker's bindings. */
const FOLDERS = ["src", "schema", "scripts"]
const FILES = ["package-lock.json", "wrangler.toml"]
/** The entry of the service, relative to the project. */
export const ENTRY = "src/worker.ts"
/** Stores the digest of the inputs that dist/ was built from. */
export const BUILT_FROM = join(root, "dist/built-from")

/** The bundled Worker: its entry, next to the modules that it loads when they are used. `wrangler.toml` names it too. */
export const WORKER_FOLDER = join(root, "dist/worker")
export const WORKER_SCRIPT = join(WORKER_FOLDER, "worker.mjs")
/** The part of wrangler.toml that the local runtime reads, as JSON. */
export const WORKER_CONFIG = join(root, "dist/worker-config.json")
export const ASSETS = join(root, "dist/assets")
/** Says what a release was built from. Only the folder of a release has it. */
const RELEASE_FILE = join(root, "release.json")
export const IS_RELEASE = existsSync(RELEASE_FILE)
const PRODUCTS = [BUILT_FROM, WORKER_SCRIPT, WORKER_CONFIG, ASSETS]

export interface BuildOptions {
  /** Another entry than src/worker.ts, relative to the project. */
  readonly entry?: string | undefined
  /** Called before a build. */
  readonly onBuild?: () => void
}

/**
 * Builds the Worker and the files it serves, unless dist/ was built from the same inputs. A release is built already. The
 * build runs in its own process, because its tools need more memory than the whole stack.
 */
export async function ensureBuilt({ entry = ENTRY, onBuild }: BuildOptions = {}): Promise<void> {
  if (IS_RELEASE) return
  const digest = digestOf(entry)
  if (PRODUCTS.every((path) => existsSync(path)) && readFileSync(BUILT_FROM, "utf8") === digest) return
  onBuild?.()
  rmSync(BUILT_FROM, { force: true })
  await runScript("scripts/build/build-worker.ts", [join(root, entry)])
  writeFileSync(BUILT_FROM, digest)
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

if (import.meta.main) await ensureBuilt()
