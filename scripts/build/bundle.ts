import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import { CHUNK_FOLDER, ENTRY_MODULE } from "./built.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * Replaces `require("buffer")` of CommonJS packages, which a module Worker does not support, by an import of
 * node:buffer. wrangler's own bundler does the same.
 */
const nodeBuffer: Plugin = {
  name: "node-buffer",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^buffer$/ }, () => ({ path: "buffer", namespace: "node-buffer" }))
    onLoad({ filter: /.*/, namespace: "node-buffer" }, () => ({ contents: 'export { Buffer } from "node:buffer"' }))
  },
}

/** Removes zod's error messages in other languages: 360 KB that no import of zod can avoid. */
const zodInEnglish: Plugin = {
  name: "zod-in-english",
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
    }))
  },
}

/**
 * Removes Ajv from the MCP server: 190 KB that compile schemas by `eval`, which workerd forbids. The server would use it
 * only to check what a user typed into a client. Tools check their data with zod.
 */
const mcpWithoutAjv: Plugin = {
  name: "mcp-without-ajv",
  setup({ onLoad }) {
    onLoad({ filter: /\/@modelcontextprotocol\/sdk\/dist\/esm\/validation\/ajv-provider\.js$/ }, () => ({
      contents: "export class AjvJsonSchemaValidator {}",
    }))
  },
}

/**
 * Lets each module behind `import()` import the entry first. All code that the entry imports is then one chunk, in the
 * order of its imports. Otherwise esbuild cuts it by its users, and may run a schema before zod has its extension. Paths
 * are relative to the project, because the chunks' names contain a hash of them.
 */
function afterEntry(entry: string): Plugin {
  const resolved = { pluginData: "resolved" }
  return {
    name: "after-entry",
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== "dynamic-import" || pluginData === resolved.pluginData) return undefined
        const found = await resolve(path, { kind, resolveDir, ...resolved })
        if (found.external) return undefined
        return { path: relative(root, found.path), namespace: "lazy", errors: found.errors }
      })
      onLoad({ filter: /.*/, namespace: "lazy" }, ({ path }) => ({
        contents: `import ${JSON.stringify(`./${relative(root, entry)}`)}\nexport * from ${JSON.stringify(`./${path}`)}`,
        resolveDir: root,
      }))
    },
  }
}

interface BundleOptions {
  readonly entry: string
  /** Receives worker.mjs and its chunks. Only files that changed are written. Others are removed. */
  readonly folder: string
  /** Names that the bundler replaces by constants. */
  readonly define?: Readonly<Record<string, string>>
}

/**
 * Bundles a Worker into ES modules. Code behind `import()` is a chunk of its own, which workerd compiles at its first
 * use. Names of functions stay, because stack traces show them.
 */
export async function bundleWorker({ entry, folder, define = {} }: BundleOptions): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const fresh = mkdtempSync(`${folder}-`)
  try {
    await bundleInto(fresh, entry, define)
    replaceChanged(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

async function bundleInto(folder: string, entry: string, define: Readonly<Record<string, string>>): Promise<void> {
  await build({
    entryPoints: [{ in: entry, out: ENTRY_MODULE.replace(/\.mjs$/, "") }],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    chunkNames: `${CHUNK_FOLDER}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    plugins: [nodeBuffer, zodInEnglish, mcpWithoutAjv, afterEntry(entry)],
    define: { ...define },
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: "linked",
    logLevel: "warning",
  })
}

/** Makes `target` equal to `fresh`, one file at a time: a running service always finds every file. */
export function replaceChanged(fresh: string, target: string): void {
  const files = filesIn(fresh)
  for (const file of files) {
    const path = join(target, file)
    mkdirSync(dirname(path), { recursive: true })
    if (!isSame(join(fresh, file), path)) renameSync(join(fresh, file), path)
  }
  for (const file of filesIn(target)) if (!files.includes(file)) rmSync(join(target, file))
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
}

function isSame(one: string, other: string): boolean {
  return existsSync(other) && readFileSync(one).equals(readFileSync(other))
}
