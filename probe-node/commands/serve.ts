import { readConfig } from "../config.ts"
import { startRounds } from "../doctor/rounds.ts"
import { createEngine } from "../engine.ts"
import { createLog } from "../log.ts"
import { startServer } from "../server.ts"
import { keepHeapSmall } from "../small-heap.ts"
import { fail, readArguments } from "./arguments.ts"

/** How long probes in flight may take to finish after SIGTERM, in ms. */
const DRAIN_MS = 8_000

/** Serves probes until it is told to stop. */
export async function serve(args: string[]): Promise<void> {
  const given = readArguments(args, {})
  if (!given.ok) return fail(given.problems)
  keepHeapSmall()
  const read = await readConfig(process.env)
  if (!read.ok) return fail(read.problems)
  const { config } = read
  const log = createLog(config.id, (line) => process.stderr.write(line))
  const engine = createEngine(config)
  const doctor = startRounds(config, engine, log)
  const server = await startServer({ config, engine, log, doctor }).catch((error: Error) => {
    doctor.stop()
    fail([`PROBE_HOST and PROBE_PORT: ${error.message}`])
    return null
  })
  if (!server) return
  process.stdout.write(`probe node ${config.id} listening on ${server.url}\n`)
  const stop = async (signal: string) => {
    log("draining", { signal })
    doctor.stop()
    await server.drain(DRAIN_MS)
    log("stopped")
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}
