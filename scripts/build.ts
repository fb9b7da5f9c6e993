import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildConsole } from "./build-console.ts"
import { bundleWorker } from "./bundle.ts"
import { openApiDocument } from "./openapi.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const assets = join(root, "dist/assets")
const REFERENCE_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"]

/** Writes what the Worker serves as files: openapi.json, the reference page with everything it loads, the console. */
export async function buildAssets(): Promise<void> {
  rmSync(assets, { recursive: true, force: true })
  mkdirSync(join(assets, "docs"), { recursive: true })
  writeFileSync(join(assets, "openapi.json"), JSON.stringify(openApiDocument()))
  cpSync(join(root, "scripts/docs"), join(assets, "docs"), { recursive: true })
  const swagger = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))
  for (const file of REFERENCE_FILES) cpSync(join(swagger, file), join(assets, "docs", file))
  await buildConsole(join(assets, "console"))
}

/** Bundles the Worker as `wrangler deploy` does; returns the path of the module. */
export async function buildWorker(entry = join(root, "src/worker.ts")): Promise<string> {
  const outfile = join(root, "dist/worker.mjs")
  await bundleWorker({ entry, outfile })
  return outfile
}

if (import.meta.main) await buildAssets()
