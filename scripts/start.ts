import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readEnvFile, unknownNames } from "./env-file.ts"
import { SANDBOX_ADDRESSES } from "./sandbox/addresses.ts"
import { type Stack, startStack } from "./stack.ts"

/** `npm start`: the real service on one machine. Settings come from the environment or a `.env` file. */
// From here on: what is imported while it starts takes signals for itself, and lets some go unheard.
const signal = stopSignal()
readEnvFile()
for (const name of unknownNames(".env")) console.error(`.env: ${name} is no setting of ours`)
const env = process.env
const sandbox = env.SANDBOX !== "0"
const dataDir = env.DATA_DIR || ".data"
const SIGNAL_WITHIN_MS = 500

try {
  const starting = startStack({
    port: Number(env.PORT || 8787),
    dataDir,
    sandbox,
    settings: env,
    build: true,
    onLog: (source, line) => console.log(`${source.padEnd(10)} ${line}`),
    onStep: (step) => console.log(`... ${step}`),
  })
  // A part may end by the same ^C before we hear of it ourselves.
  const failing = starting.catch(async (error) => {
    await sleep(SIGNAL_WITHIN_MS)
    throw error
  })
  const stack = await Promise.race([failing, signal])
  if (typeof stack === "string") stopEarly(stack)
  greet(stack)
  // What is left of it would answer nobody and go on for ever: ended, it is started anew by whoever watches.
  const failure = stack.failed.catch((error: Error) => {
    process.exitCode = 1
    return error.message
  })
  console.log(`\n${await Promise.race([signal, failure])}: stopping`)
  await stack.stop()
  console.log("Stopped.")
} catch (error) {
  const { message } = error as Error
  console.error(`Mailverdict could not go on: ${message}`)
  if (/EADDRINUSE|address already in use/i.test(message))
    console.error(
      "A port is taken, perhaps by another `npm start`. `PORT=0 npm start` takes free ports for everything.",
    )
  process.exitCode = 1
}

/** Heard as often as it comes: npm passes on what a terminal has told all of its processes, and a second one would cut the stop off. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => resolve(name))
  })
}

/** Told to stop while still starting: the parts that run by then end with their starter. */
function stopEarly(name: string): never {
  console.log(`\n${name}: stopping while still starting`)
  process.exit()
}

function greet({ url }: Stack): void {
  console.log(`\nMailverdict is running at ${url}   (console: ${url}/console/, reference: ${url}/docs, ^C stops it)\n`)
  console.log(`Its secrets, the admin secret among them, are in ${join(dataDir, "secrets.json")}.\n`)
  console.log(`  curl '${url}/validate?email=${sandbox ? "alice@mailbox.test" : "you@example.com"}'\n`)
  if (!sandbox) return
  console.log("Sandbox addresses, each with its own behaviour:")
  for (const { address, about, expect } of SANDBOX_ADDRESSES)
    console.log(`  ${address.padEnd(34)} ${expect.status.padEnd(11)} ${about}`)
}
