import { chmodSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const ENTRY = fileURLToPath(new URL("../../probe-node/main.ts", import.meta.url))
const OUTFILE = fileURLToPath(new URL("../../dist/probe-node.mjs", import.meta.url))

/** Bundles the probe node into one file that Node runs without packages. @returns its path */
export async function buildNode(outfile = OUTFILE): Promise<string> {
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    minifySyntax: true,
    legalComments: "eof",
    // The container image is built without the Worker's tsconfig and has to give the same result.
    tsconfigRaw: {},
    // CommonJS packages call require() for Node's built-in modules.
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  })
  chmodSync(outfile, 0o755)
  return outfile
}

if (import.meta.main) process.stdout.write(`${await buildNode()}\n`)
