import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build as esbuild } from "esbuild"
import { build as viteBuild } from "vite"
import { ASSETS, BUILT_FROM, ENTRY, WORKER_FOLDER } from "./built.ts"
import { bundleWorker, replaceChanged } from "./bundle.ts"
import type { PublishedDocument } from "./docs/code-samples.ts"
import { errorPage } from "./docs/errors.ts"
import { markdownPages } from "./docs/markdown/pages.ts"
import { openApiDocument } from "./openapi.ts"
import { referenceAsset } from "./reference-data.ts"

/** URL path of the console. */
const CONSOLE_PATH = "/console/"

/** Builds src/console for browsers into one folder. File names contain a hash of their content. */
async function buildConsole(outDir: string): Promise<void> {
  await viteBuild({
    configFile: false,
    root: fileURLToPath(new URL("../../src/console", import.meta.url)),
    base: CONSOLE_PATH,
    logLevel: "warn",
    // Always for production: by default NODE_ENV decides.
    oxc: { jsx: { development: false } },
    build: {
      outDir,
      emptyOutDir: true,
      target: ["chrome123", "firefox120", "safari17.5"],
      // Small files stay separate files, which keeps the content security policy simple.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  })
}

const FORM_ENTRY = fileURLToPath(new URL("../../src/form/main.ts", import.meta.url))

/** Builds the script of sign-up forms into one file for browsers. @param file its path, absolute */
async function buildForm(file: string): Promise<void> {
  await esbuild({
    entryPoints: [FORM_ENTRY],
    outfile: file,
    bundle: true,
    format: "iife",
    target: ["chrome123", "firefox124", "safari17.5"],
    minify: true,
    logLevel: "warning",
  })
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Builds the Worker's modules and the files that it serves. @param entry of the bundle, absolute */
export async function buildWorker(entry: string): Promise<void> {
  const reference = referenceAsset()
  const define = { REFERENCE_PATH: JSON.stringify(reference.path) }
  await Promise.all([buildAssets([reference]), bundleWorker({ entry, folder: WORKER_FOLDER, define })])
}

interface Asset {
  readonly path: string
  readonly content: Uint8Array
}

/** Builds the files that the Worker serves: the document and its reference page, the console, the script for forms. */
async function buildAssets(added: readonly Asset[]): Promise<void> {
  mkdirSync(ASSETS, { recursive: true })
  const fresh = mkdtempSync(join(root, "dist/.assets-"))
  try {
    const document = openApiDocument() as PublishedDocument
    writeFileSync(join(fresh, "openapi.json"), JSON.stringify(document))
    cpSync(join(root, "scripts/build/docs/page"), join(fresh, "docs"), { recursive: true })
    writeFileSync(join(fresh, "docs/errors.html"), errorPage())
    mkdirSync(join(fresh, "docs/skill"))
    for (const [path, text] of markdownPages(document)) writeFileSync(join(fresh, path), text)
    cpSync(join(root, "src/console/style/tokens.css"), join(fresh, "docs/tokens.css"))
    // Scalar's build for browsers: an entry, and chunks with a hash of their content in their names.
    const scalar = join(dirname(createRequire(import.meta.url).resolve("@scalar/api-reference")), "browser")
    cpSync(join(scalar, "standalone.esm.js"), join(fresh, "docs/scalar.js"))
    const filter = (path: string) => !path.endsWith(".map")
    cpSync(join(scalar, "chunks"), join(fresh, "docs/chunks"), { recursive: true, filter })
    await Promise.all([buildConsole(join(fresh, "console")), buildForm(join(fresh, "form.js"))])
    for (const { path, content } of added) {
      mkdirSync(dirname(join(fresh, path)), { recursive: true })
      writeFileSync(join(fresh, path), content)
    }
    replaceChanged(fresh, ASSETS)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  // The bindings of the local stack are not built here, so it has to build again.
  rmSync(BUILT_FROM, { force: true })
  await buildWorker(join(root, ENTRY))
}
