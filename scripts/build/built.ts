import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { runScript } from "../dev/child.ts"
import { MANUALS } from "./docs/markdown/manuals.ts"
import { ensureOperations } from "./ensure-operations.ts"

/** The entry module of a bundle, and the folder of the modules that it loads. */
export const ENTRY_MODULE = "worker.mjs"
export const CHUNK_FOLDER = "chunks"

/** The modules of a bundle as its code names them, the entry first: "worker.mjs", "chunks/stripe-AB12CD34.mjs". */
export function modulesOf(script: string): string[] {
  const chunks = join(dirname(script), CHUNK_FOLDER)
  const names = existsSync(chunks) ? readdirSync(chunks).filter((name) => name.endsWith(".mjs")) : []
  return [basename(script), ...names.map((name) => `${CHUNK_FOLDER}/${name}`)]
}

const root = fileURLToPath(new URL("../..", import.meta.url))
/** The inputs of a build: these folders, versions of the project and of all packages, the Worker's bindings, and manuals. */
const FOLDERS = ["src", "schema", "scripts"]
const FILES = ["package.json", "package-lock.json", "wrangler.toml", ...MANUALS.map(({ source }) => source)]
/** Follows from the other sources. Each build updates it first, and it is missing without the packages that build. */
const GENERATED = "src/client/operations.ts"
/** One of the packages that build. */
const BUNDLER = join(root, "node_modules/esbuild")
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

interface BuildOptions {
  /** Another entry than src/worker.ts, relative to the project. */
  readonly entry?: string | undefined
  /** Called before a build. */
  readonly onBuild?: () => void
}

/**
 * Builds the Worker and the files it serves, unless dist/ was built from the same inputs. A release is built already. The
 * build runs in its own process, because its tools need more memory than the whole stack.
 * @throws Error when a build is due and its tools are not installed, as after `npm ci --omit=dev`
 */
export async function ensureBuilt({ entry = ENTRY, onBuild }: BuildOptions = {}): Promise<void> {
  if (IS_RELEASE) return
  const digest = digestOf(entry)
  if (PRODUCTS.every((path) => existsSync(path)) && readFileSync(BUILT_FROM, "utf8") === digest) return
  if (!existsSync(BUNDLER))
    throw new Error("dist/ does not fit the sources, and the packages that build are missing: npm ci && npm run build")
  onBuild?.()
  rmSync(BUILT_FROM, { force: true })
  await ensureOperations()
  await runScript("scripts/build/build-worker.ts", [join(root, entry)])
  writeFileSync(BUILT_FROM, digest)
}

function digestOf(entry: string): string {
  const hash = createHash("sha256").update(entry)
  for (const file of FILES) hash.update(readFileSync(join(root, file)))
  const files = FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile())
    .map((file) => relative(root, join(file.parentPath, file.name)))
    .filter((path) => path !== GENERATED)
  for (const path of files.toSorted()) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  return hash.digest("hex")
}

if (import.meta.main) await ensureBuilt()
