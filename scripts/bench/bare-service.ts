import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleWorker } from "../build/bundle.ts"
import { capnpText } from "../dev/workerd/capnp-text.ts"
import { startWorkerd, type Workerd } from "../dev/workerd/workerd-process.ts"

export interface BareService {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** A separate workerd with default settings and a Worker of one route: the baseline for the product's Worker. */
export async function startBareService(): Promise<BareService> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-bare-"))
  await bundleWorker({
    entry: fileURLToPath(new URL("bare-worker.ts", import.meta.url)),
    folder: join(folder, "bundle"),
  })
  const config = {
    services: [
      {
        name: "bare",
        worker: {
          modules: [{ name: "worker.mjs", esModule: { embed: "bundle/worker.mjs" } }],
          compatibilityDate: "2026-10-01",
        },
      },
    ],
    sockets: [{ name: "api", address: "127.0.0.1:0", http: {}, service: "bare" }],
  }
  const configFile = join(folder, "workerd.capnp")
  writeFileSync(
    configFile,
    `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${capnpText(config)};\n`,
  )
  const workerd: Workerd = await startWorkerd({ configFile, env: {}, sockets: ["api"], onLog: () => undefined })
  return {
    url: `http://127.0.0.1:${workerd.ports.get("api")}`,
    pid: workerd.pid,
    async stop() {
      await workerd.stop(1_000)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
