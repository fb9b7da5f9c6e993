import { createDialPort } from "./address-policy.ts"
import { readConfig } from "./config.ts"
import { createLog } from "./log.ts"
import { Pacer } from "./pacing.ts"
import { createResolver } from "./resolver.ts"
import { startServer } from "./server.ts"
import { keepHeapSmall } from "./small-heap.ts"
import { PATIENCE_MS } from "./smtp/connection.ts"
import { createSources } from "./sources.ts"

/** How long probes in flight may take to finish after SIGTERM, in ms. */
const DRAIN_MS = 8_000

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = { serve }

const command = COMMANDS[process.argv[2] ?? "serve"]
if (command) await command()
else fail([`unknown command ${JSON.stringify(process.argv[2])}: use one of ${Object.keys(COMMANDS).join(", ")}`])

async function serve(): Promise<void> {
  keepHeapSmall()
  const read = await readConfig(process.env)
  if (!read.ok) return fail(read.problems)
  const { config } = read
  const log = createLog(config.id, (line) => process.stderr.write(line))
  const engine = {
    heloName: config.heloName,
    envelopeSender: config.envelopeSender,
    resolver: createResolver(config.dns),
    dialPort: createDialPort(config.policy),
    random: Math.random,
    proxy: config.proxy,
    patienceMs: PATIENCE_MS,
    sources: createSources(config.sourceIps, config.proxy),
    pacer: new Pacer(config, Date.now),
  }
  const server = await startServer({ config, engine, log })
  process.stdout.write(`probe node ${config.id} listening on ${server.url}\n`)
  const stop = async (signal: string) => {
    log("draining", { signal })
    await server.drain(DRAIN_MS)
    log("stopped")
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}

/** Says everything that is wrong, and ends with a code that a supervisor sees. */
function fail(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`probe node: ${problem}\n`)
  process.exitCode = 1
}
