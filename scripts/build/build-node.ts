import { chmodSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"

const ENTRY = fileURLToPath(new URL("../../probe-node/main.ts", import.meta.url))
const OUTFILE = fileURLToPath(new URL("../../dist/probe-node.mjs", import.meta.url))

/** The smallest version that the code needs, as probe-node/README.md says. */
const NEEDED = ">=22"
/** The oldest that says so. It has to read the whole file first, so the syntax of the bundle is its own. */
const OLDEST = "node18"
/** The check of the service, for this version. */
const CHECK = readFileSync(new URL("../self-hosting/node-version.cjs", import.meta.url), "utf8").replace(
  'require("../../package.json").engines.node',
  JSON.stringify(NEEDED),
)

/** Loads Node's modules by `require`: a static import fails before the check when it names what an older Node lacks. */
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
      js: `#!/usr/bin/env node\nimport { createRequire } from "module"; const require = createRequire(import.meta.url);\n(function () {\n${CHECK}})();`,
    },
    logLevel: "warning",
  })
  chmodSync(outfile, 0o755)
  return outfile
}

if (import.meta.main) process.stdout.write(`${await buildNode()}\n`)
