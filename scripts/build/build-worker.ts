import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { readWorkerConfig } from "../dev/worker-config.ts"
import { buildWorker } from "./build.ts"
import { WORKER_CONFIG } from "./built.ts"

/** `node scripts/build/build-worker.ts <entry>`: builds everything that the local stack runs and serves. */
const [entry = ""] = process.argv.slice(2)
mkdirSync(dirname(WORKER_CONFIG), { recursive: true })
writeFileSync(WORKER_CONFIG, JSON.stringify(readWorkerConfig("wrangler.toml")))
await buildWorker(entry)
