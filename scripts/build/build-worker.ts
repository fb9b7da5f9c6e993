import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { readWorkerConfig } from "../dev/worker-config.ts"
import { buildAssets } from "./build.ts"
import { WORKER_CONFIG, WORKER_SCRIPT } from "./built.ts"
import { bundleWorker } from "./bundle.ts"

/** `node scripts/build/build-worker.ts <entry>`: builds everything that the local stack runs and serves. */
const [entry = ""] = process.argv.slice(2)
mkdirSync(dirname(WORKER_CONFIG), { recursive: true })
writeFileSync(WORKER_CONFIG, JSON.stringify(readWorkerConfig("wrangler.toml")))
await Promise.all([buildAssets(), bundleWorker({ entry, outfile: WORKER_SCRIPT })])
