import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
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
const RunningService = z.object({ url: z.string(), owner: z.object({ email: z.string(), tier: z.string() }) })

/**
 * Records where the service runs, so that the operator's commands find it with any PORT and HOST.
 * @returns the problem, such as a full disk, when they do not
 */
export function recordService(
  dataDir: string,
  service: { readonly url: string; readonly owner: Owner },
): string | null {
  try {
    writePrivateFile(join(dataDir, FILE), JSON.stringify(service))
    return null
  } catch (error) {
    return `${(error as Error).message}: the operator's commands need --base-url ${service.url}`
  }
}

/** Removes the record of a service that stops. */
export function forgetService(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true })
}

/**
 * Finds the service and the operator's secret: those of DATA_DIR, or the service at `baseUrl` with ADMIN_SECRET.
 * @throws Error that says what is missing
 */
export function openService({ dataDir, settings, baseUrl }: Place): OperatedService {
  const running = baseUrl === undefined ? readRunning(dataDir) : null
  const url = baseUrl ?? running?.url ?? `http://127.0.0.1:${settings.PORT || 8787}`
  if (!URL.canParse(url)) throw new Error(`--base-url: ${url} is not a URL`)
  // The generated secret belongs to the service on this machine, so no other host gets it.
  if (!settings.ADMIN_SECRET && baseUrl !== undefined && !isLoopbackHost(new URL(url).hostname))
    throw new Error(`ADMIN_SECRET is not set: set it to the secret of the service at ${url}`)
  const adminSecret = settings.ADMIN_SECRET || secretIn(dataDir)
  if (baseUrl !== undefined) useProxyFromEnvironment()
  const owner = running?.owner ?? ownerOf(settings.OWNER_EMAIL, { sandbox: false })
  return { url, owner, call: createOperatorCall({ url, adminSecret }) }
}

function readRunning(dataDir: string): { url: string; owner: Owner } | null {
  const file = join(dataDir, FILE)
  if (!existsSync(file)) return null
  return RunningService.parse(JSON.parse(readFileSync(file, "utf8"))) as { url: string; owner: Owner }
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
  if (error instanceof NoAnswer)
    return `${message}. The service does not run there: start it, or name its URL by --base-url.`
  if (error instanceof RefusedCall && error.status === 403) return `${message}: the service refuses this ADMIN_SECRET.`
  if (code === "EACCES") return `${message}. Run this as the service's user, for example: sudo -u mailverdict …`
  return message
}
