import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { SANDBOX_ADDRESSES } from "../sandbox/addresses.ts"
import { readEnvFile, unknownNames } from "./env-file.ts"
import { type Stack, startStack } from "./stack.ts"

/** `npm start`: runs the whole service on one machine. Settings come from the environment or from `.env`. */
// Before everything else: some imports that load during the start install signal handlers of their own.
const signal = stopSignal()
// Every file that this process or workerd writes is readable by this user only.
process.umask(0o077)
readEnvFile()
for (const name of unknownNames(".env")) console.error(`.env: ${name} is not a setting; check its spelling`)
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
  // Ctrl+C reaches every process at once, so a part may end before this process handles the signal.
  const failing = starting.catch(async (error) => {
    await sleep(SIGNAL_WITHIN_MS)
    throw error
  })
  const stack = await Promise.race([failing, signal])
  if (typeof stack === "string") stopEarly(stack)
  greet(stack)
  // Without one of its parts the service cannot answer. It ends, so that a process manager can restart it.
  const failure = stack.failed.catch((error: Error) => {
    process.exitCode = 1
    return error.message
  })
  console.log(`\n${await Promise.race([signal, failure])}: stopping`)
  await stack.stop()
  console.log("Stopped.")
} catch (error) {
  const { message } = error as Error
  console.error(`Cannot start. ${message}`)
  if (/EADDRINUSE|address already in use/i.test(message))
    console.error("Stop the program on that port, perhaps another `npm start`, or use free ports: `PORT=0 npm start`.")
  process.exitCode = 1
}

/** Handles every signal, also a repeated one: npm forwards Ctrl+C, which the terminal sends to this process too. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => resolve(name))
  })
}

/** Stops during the start. The running parts end with this process. */
function stopEarly(name: string): never {
  console.log(`\n${name}: stopping before the start is complete`)
  process.exit()
}

function greet({ url }: Stack): void {
  console.log(`\nMailverdict is running at ${url}   (console: ${url}/console/, reference: ${url}/docs, stop: Ctrl+C)\n`)
  console.log(`The secrets, including the admin secret, are in ${join(dataDir, "secrets.json")}.\n`)
  console.log(`  curl '${url}/validate?email=${sandbox ? "alice@mailbox.test" : "you@example.com"}'\n`)
  if (!sandbox) return
  console.log("Sandbox addresses and what each one shows:")
  for (const { address, about, expect } of SANDBOX_ADDRESSES)
    console.log(`  ${address.padEnd(34)} ${expect.status.padEnd(11)} ${about}`)
}
