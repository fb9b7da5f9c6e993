import { setFlagsFromString } from "node:v8"
import { readConfig } from "../config.ts"
import { startDoctorSchedule } from "../doctor/examine.ts"
import { createLog } from "../log.ts"
import { areMetricsClosed } from "../metrics.ts"
import { createEngine } from "../probe.ts"
import { startServer } from "../server.ts"
import { fail, readArguments } from "./arguments.ts"

/** Time for running probes to finish after SIGTERM, in ms. */
const DRAIN_MS = 8_000

/** Serves probe requests until SIGTERM or SIGINT. */
export async function serve(args: string[]): Promise<void> {
  const given = readArguments(args, {})
  if (!given.ok) return fail(given.problems)
  limitHeapGrowth()
  const read = await readConfig(process.env)
  if (!read.ok) return fail(read.problems)
  const { config } = read
  const log = createLog(config.id, (line) => process.stderr.write(line))
  const engine = createEngine(config)
  const doctor = startDoctorSchedule(config, engine, log)
  const server = await startServer({ config, engine, log, doctor }).catch((error: Error) => {
    doctor.stop()
    fail([`PROBE_HOST and PROBE_PORT: ${error.message}`])
    return null
  })
  if (!server) return
  process.stdout.write(`probe node ${config.id} listening on ${server.url}\n`)
  if (areMetricsClosed(config)) {
    const detail =
      "GET /metrics answers 401, because other machines reach this node: set PROBE_METRICS_TOKEN to open it"
    log("metrics_closed", { host: config.host, detail })
  }
  const stop = async (signal: string) => {
    log("draining", { signal })
    doctor.stop()
    await server.drain(DRAIN_MS)
    log("stopped")
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}

/**
 * Keeps the heap's young generation at its initial size. Full growth costs about 100 MB and gains about a tenth of the
 * speed (measured with `npm run bench:probe`).
 */
export function limitHeapGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=1")
}
