import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { TIERS } from "../../schema/vocabulary.ts"
import { isLoopbackHost } from "../../schema/wire/addresses.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { storedSecrets, writePrivateFile } from "../dev/secrets.ts"
import { createOperatorCall, NoAnswer, type OperatorCall, RefusedCall } from "./operator-call.ts"
import { type Owner, ownerOf } from "./owner.ts"

/** The service as its operator calls it. */
export interface OperatedService {
  readonly call: OperatorCall
  readonly url: string
  readonly owner: Owner
}

interface Place {
  /** DATA_DIR of the service. */
  readonly dataDir: string
  readonly settings: Readonly<Record<string, string | undefined>>
  /** The URL of a service elsewhere. Without it: the one that runs on `dataDir`. */
  readonly baseUrl?: string | undefined
}

const FILE = "service.json"
const RecordedService = z.object({
  url: z.url(),
  owner: z.object({ email: z.string(), tier: z.enum(TIERS) }),
  pid: z.int().positive(),
})
type RecordedService = z.infer<typeof RecordedService>

/**
 * Records where the service runs, so that the operator's commands find it with any PORT and HOST.
 * @returns the problem, such as a full disk, when they do not
 */
export function recordService(dataDir: string, service: Pick<OperatedService, "url" | "owner">): string | null {
  const { url, owner } = service
  const recorded: RecordedService = { url, owner, pid: process.pid }
  try {
    writePrivateFile(join(dataDir, FILE), JSON.stringify(recorded))
    return null
  } catch (error) {
    return `${(error as Error).message}: the operator's commands need --base-url ${url}`
  }
}

/** Removes the record of a service that stops. */
export function forgetService(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true })
}

/**
 * Reads the record of a data folder's service.
 * @returns `isRunning` false: the process ended without a stop. Null: no service was started, or it was stopped
 * @throws Error when this user cannot read the file
 */
export function recordedService(dataDir: string): (RecordedService & { readonly isRunning: boolean }) | null {
  try {
    const recorded = RecordedService.parse(JSON.parse(readFileSync(join(dataDir, FILE), "utf8")))
    return { ...recorded, isRunning: isRunning(recorded.pid) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") throw error
    return null
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/**
 * Finds the service and the operator's secret: those of DATA_DIR, or the service at `baseUrl` with ADMIN_SECRET.
 * @throws Error that says what is missing
 */
export function openService({ dataDir, settings, baseUrl }: Place): OperatedService {
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) throw new Error(`--base-url: ${baseUrl} is not a URL`)
  // The generated secret belongs to the service on this machine, so no other host gets it.
  if (!settings.ADMIN_SECRET && baseUrl !== undefined && !isLoopbackHost(new URL(baseUrl).hostname))
    throw new Error(`ADMIN_SECRET is not set: set it to the secret of the service at ${baseUrl}`)
  const adminSecret = settings.ADMIN_SECRET || secretIn(dataDir)
  const { url, owner } = baseUrl === undefined ? runningService(dataDir) : serviceAt(baseUrl, settings)
  return { url, owner, call: createOperatorCall({ url, adminSecret }) }
}

/** After the process has ended, another program may listen at the recorded URL. It must not get the secret. */
function runningService(dataDir: string): RecordedService {
  const recorded = recordedService(dataDir)
  if (recorded?.isRunning) return recorded
  throw new Error(`no service runs on the data folder ${dataDir}: start it, or name its URL by --base-url`)
}

function serviceAt(url: string, { OWNER_EMAIL }: Place["settings"]): { url: string; owner: Owner } {
  useProxyFromEnvironment()
  return { url, owner: ownerOf(OWNER_EMAIL, { sandbox: false }) }
}

function secretIn(dataDir: string): string {
  const secrets = storedSecrets(dataDir)
  if (secrets) return secrets.adminSecret
  throw new Error(
    `no secrets.json in ${dataDir}, and ADMIN_SECRET is not set: run this in the service's folder as its user, with its DATA_DIR`,
  )
}

/** Runs a command of the operator, and prints a failure as one sentence with what to do. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(explain(error))
    process.exitCode = 1
  }
}

function explain(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  if (error instanceof NoAnswer) return `${message}. Start the service, or name its URL by --base-url.`
  if (error instanceof RefusedCall && error.status === 403) return `${message}: the service refuses this ADMIN_SECRET.`
  if (code === "EACCES") return `${message}. Run this as the service's user, for example: sudo -u mailverdict …`
  return message
}
