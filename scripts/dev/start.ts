import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { banner } from "./banner.ts"
import { readEnvFile, unknownNames } from "./env-file.ts"
import { openFormDemo } from "./form-demo.ts"
import { logFormatOf, logLine } from "./log-line.ts"
import { firstSignInLink } from "./sign-in-link.ts"
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
const format = logFormatOf(env.LOG_FORMAT, { isTerminal: process.stdout.isTTY === true })
const SIGNAL_WITHIN_MS = 500

const log = (source: string, line: string) => console.log(logLine(source, line, { format, now: new Date() }))

try {
  const starting = startStack({
    port: Number(env.PORT || 8787),
    dataDir,
    sandbox,
    settings: env,
    build: true,
    onLog: log,
    onStep: (step) => log("start", step),
  })
  // Ctrl+C reaches every process at once, so a part may end before this process handles the signal.
  const failing = starting.catch(async (error) => {
    await sleep(SIGNAL_WITHIN_MS)
    throw error
  })
  const stack = await Promise.race([failing, signal])
  if (typeof stack === "string") stopEarly(stack)
  await greet(stack)
  // Without one of its parts the service cannot answer. It ends, so that a process manager can restart it.
  const failure = stack.failed.catch((error: Error) => {
    process.exitCode = 1
    return error.message
  })
  log("start", `${await Promise.race([signal, failure])}: stopping`)
  await stack.stop()
  log("start", "stopped")
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
  log("start", `${name}: stopping before the start is complete`)
  process.exit()
}

async function greet(stack: Stack): Promise<void> {
  const { url, sandbox: internet } = stack
  const secrets = join(dataDir, "secrets.json")
  const formDemo = await openFormDemo({ ...stack, adminSecret: stack.secrets.adminSecret }, dataDir)
  // Logs are collected, so no sign-in link is in them.
  if (format === "json") {
    const pages = { console: `${url}/console/`, reference: `${url}/docs`, form_demo: formDemo }
    return log("start", JSON.stringify({ event: "started", message: `running at ${url}`, url, ...pages, secrets }))
  }
  const link = internet && (await firstSignInLink(url, internet))
  const rows = [
    ["API", url],
    ["Console", `${url}/console/`],
    ...(link ? [["Sign in", link] as const] : []),
    ["Reference", `${url}/docs`],
    ...(formDemo ? [["Form demo", formDemo] as const] : []),
    ["Secrets", secrets],
  ] as const
  const end = link
    ? "The sign-in link works once, for 15 minutes. Ctrl+C stops everything."
    : "Ctrl+C stops everything."
  console.log(`\n${banner(`Mailverdict is running at ${url}`, rows)}\n${end}\n`)
}
