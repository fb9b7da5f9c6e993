import { chmodSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"

const ENTRY = fileURLToPath(new URL("../../probe-node/main.ts", import.meta.url))
const OUTFILE = fileURLToPath(new URL("../../dist/probe-node.mjs", import.meta.url))

/** The smallest version that the code needs, as probe-node/README.md says. */
const NEEDED = 22
/** The oldest that says so in a sentence. Before it, Node had no private methods, and to replace them costs memory. */
const OLDEST = "node14.8"
/**
 * Runs before the rest. An older Node has to read the whole file first, so the syntax is that of OLDEST, and Node's modules
 * are loaded by `require`: a static import fails when it names what an older one does not have.
 */
const CHECK = `if (parseInt(process.versions.node, 10) < ${NEEDED}) {
  console.error("The probe node needs Node ${NEEDED} or later. This is Node " + process.versions.node + " (" + process.execPath + ").");
  console.error("Install a newer one from https://nodejs.org or from your system's packages.");
  process.exit(1);
}`

/** Loads Node's modules by `require`. */
const requiredBuiltins: Plugin = {
  name: "required-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/, namespace: "file" }, ({ path }) => ({ path, namespace: "builtin" }))
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Bundles the probe node into one file that Node runs without packages. @returns its path */
export async function buildNode(outfile = OUTFILE): Promise<string> {
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: OLDEST,
    minifySyntax: true,
    legalComments: "eof",
    plugins: [requiredBuiltins],
    // The container image is built without the Worker's tsconfig and has to give the same result.
    tsconfigRaw: {},
    // CommonJS packages call require() for Node's built-in modules.
    banner: {
      js: `#!/usr/bin/env node\nimport { createRequire } from "module"; const require = createRequire(import.meta.url);\n${CHECK}`,
    },
    logLevel: "warning",
  })
  chmodSync(outfile, 0o755)
  return outfile
}

if (import.meta.main) process.stdout.write(`${await buildNode()}\n`)
