import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { writePrivateFile } from "../data/data-files.ts"
import {
  createOperatorCall,
  createOwnerKey,
  type OperatedService,
  ownerOf,
  recordService,
  removeService,
  signInLink,
} from "../operator/service.ts"
import { openFormDemo } from "./form-demo.ts"
import { banner, logFormatOf, logLine } from "./log-line.ts"
import { portsInUse } from "./parts.ts"
import { readEnvFile, SettingsError, unknownNames, withDerived } from "./settings.ts"
import { type Stack, startStack } from "./stack.ts"

/** `npm start`: runs the whole service on one machine. Settings come from the environment or from `.env`. */
// Before everything else: some imports that load during the start install signal handlers of their own.
const signal = stopSignal()
// Every file that this process or workerd writes is readable by this user only.
process.umask(0o077)
const file = readEnvFile()
for (const name of file ? unknownNames(file) : [])
  console.error(`${file}: ${name} is not a setting; check its spelling`)
const env = withDerived(process.env)
const sandbox = env.SANDBOX !== "0"
const dataDir = env.DATA_DIR || ".data"
const isTerminal = process.stdout.isTTY === true
const format = logFormatOf(env.LOG_FORMAT, { isTerminal })
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
  if (!process.exitCode) removeService(dataDir)
  await stack.stop()
  log("start", "stopped")
} catch (error) {
  const { message } = error as Error
  console.error(`Cannot start. ${message}`)
  process.exitCode = error instanceof SettingsError ? error.exitCode : 1
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
  const {
    url,
    secrets: { adminSecret },
  } = stack
  const owner = ownerOf(env.OWNER_EMAIL, { sandbox })
  const service = { url, owner, call: createOperatorCall({ url, adminSecret }) }
  const unrecorded = recordService(dataDir, { url, owner })
  if (unrecorded) log("start", unrecorded)
  const ownerKey = sandbox ? null : await firstKey(service)
  const secrets = join(dataDir, "secrets.json")
  const ports = portsInUse(stack)
  const formDemo = await openFormDemo({ ...stack, adminSecret }, dataDir)
  // Logs are collected, so no sign-in link is in them.
  if (format === "json") {
    const pages = {
      console: `${url}/console/`,
      reference: `${url}/docs`,
      form_demo: formDemo,
      sign_in: "npm run sign-in",
    }
    const message = `running at ${url}`
    const started = { event: "started", message, url, start_seconds: secondsSinceStart(), ...pages, secrets, ports }
    return log("start", JSON.stringify(started))
  }
  const link = sandbox || isTerminal ? await signInLink(service).catch(() => null) : null
  const rows = [
    ["API", url],
    ["Console", `${url}/console/`],
    ...(link ? [["Sign in", link.url] as const] : []),
    ...(ownerKey ? [["API key", ownerKey] as const] : []),
    ["Reference", `${url}/docs`],
    ...(formDemo ? [["Form demo", formDemo] as const] : []),
    ["Secrets", secrets],
    [
      "Ports",
      Object.entries(ports)
        .map(([part, port]) => `${port} ${part}`)
        .join(", "),
    ],
  ] as const
  const ends = [
    `The start took ${secondsSinceStart()} s.`,
    ...(link ? ["The sign-in link works once, for 15 minutes."] : []),
    ...(ownerKey ? ["The API key has no limits and is shown only once: store it."] : []),
    "Ctrl+C stops everything.",
  ]
  console.log(`\n${banner(`Mailverdict is running at ${url}`, rows)}\n${ends.join(" ")}\n`)
}

/** Whole seconds since the process began, also of a build. */
function secondsSinceStart(): number {
  return Math.ceil(process.uptime())
}

/**
 * Creates the owner's first key. Without a terminal it is in a file, because logs are collected.
 * @returns the key for the terminal; null when there is none to show
 */
async function firstKey(service: OperatedService): Promise<string | null> {
  const more = "npm run keys -- create --tier unlimited"
  try {
    const key = await createOwnerKey(service)
    if (key === null) return null
    if (isTerminal && format === "readable") return key
    const file = join(dataDir, "owner-key")
    writePrivateFile(file, `${key}\n`)
    log("start", `the owner's API key, without limits, is in ${file}: store it, then delete the file`)
  } catch (error) {
    log("start", `the owner's API key is missing: ${(error as Error).message}. To create it: ${more}`)
  }
  return null
}
