import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { buildAssets } from "./build.ts"
import { WORKER_OPTIONS, WORKER_SCRIPT } from "./built.ts"
import { bundleWorker } from "./bundle.ts"
import { workerOptions } from "./worker-options.ts"

/** `node scripts/build-worker.ts <entry>`: all that the local stack runs and serves. */
const [entry = ""] = process.argv.slice(2)
mkdirSync(dirname(WORKER_OPTIONS), { recursive: true })
writeFileSync(WORKER_OPTIONS, JSON.stringify(workerOptions("wrangler.toml")))
await Promise.all([buildAssets(), bundleWorker({ entry, outfile: WORKER_SCRIPT })])
