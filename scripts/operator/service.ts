import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { TIERS } from "../../schema/vocabulary.ts"
import { isLoopbackHost } from "../../schema/wire/addresses.ts"
import type { CreateUserInput, OPERATIONS, Operations } from "../../src/client/operations.ts"
import { storedSecrets, writePrivateFile } from "../data/data-files.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"

type Service = Pick<OperatedService, "call" | "owner">

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
export function removeService(dataDir: string): void {
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

/** The service refused a call. The message is its explanation. */
export class RefusedCall extends Error {
  readonly status: number

  constructor(status: number, detail: unknown) {
    // A 422 lists the fields.
    const fields = Array.isArray(detail) ? detail.map(({ loc, msg }) => `${loc?.at(-1)}: ${msg}`).join("; ") : ""
    super(typeof detail === "string" ? detail : fields || `the service answered ${status}`)
    this.status = status
  }
}

/** No answer of a service arrived. */
class NoAnswer extends Error {}

type Table = typeof OPERATIONS
/**
 * The calls of the operator. Types compare each with the published interface. The generated table itself is not part of
 * a container or a release.
 */
const PLACES = {
  createUser: ["POST", "/admin/users"],
  createUserKey: ["POST", "/admin/users/{account}/keys"],
  createSignInLink: ["POST", "/admin/users/{account}/sign-in-link"],
  upgradeUser: ["POST", "/admin/users/{email}/upgrade"],
  listUsers: ["GET", "/admin/users"],
  getUser: ["GET", "/admin/users/{account}"],
  revokeAnyKey: ["DELETE", "/admin/keys/{key_id}"],
} as const satisfies { readonly [O in keyof Table]?: readonly [method: Table[O][0], path: Table[O][1]] }

type Operation = keyof typeof PLACES
/** Calls one operation. @throws RefusedCall, NoAnswer */
export type OperatorCall = <O extends Operation>(
  operation: O,
  input: Operations[O]["input"],
) => Promise<Operations[O]["answer"]>

const TIMEOUT_MS = 30_000

/** Calls a service with the operator's secret, without repeats. */
export function createOperatorCall({ url, adminSecret }: { url: string; adminSecret: string }): OperatorCall {
  return async (operation, input) => {
    const [method, path] = PLACES[operation]
    const { at, rest } = placed(new URL(url), path, input)
    if (method !== "POST") for (const [name, value] of rest) at.searchParams.set(name, String(value))
    const response = await fetch(at, {
      method,
      headers: { "x-admin-secret": adminSecret, "content-type": "application/json" },
      ...(method === "POST" ? { body: JSON.stringify(Object.fromEntries(rest)) } : {}),
      // A redirect would take the secret to another place.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: Error) => {
      throw new NoAnswer(`${url} does not answer`, { cause })
    })
    const answer = await response.json().catch(() => null)
    if (answer === null) throw new NoAnswer(`the server at ${url} is not a Mailverdict service`)
    if (!response.ok) throw new RefusedCall(response.status, (answer as { detail?: unknown }).detail)
    return answer
  }
}

/** Fills the path. @returns the other fields of the input as well */
function placed(base: URL, path: string, input: object): { at: URL; rest: Map<string, unknown> } {
  const rest = new Map<string, unknown>(Object.entries(input))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  return { at: new URL(filled, base), rest }
}

/** The owner of the service is the account of this mailbox. */
export interface Owner {
  readonly email: string
  /** The plan of the account. */
  readonly tier: NonNullable<CreateUserInput["tier"]>
}

/** Reserved names (RFC 6761): no mail to them can leave the service. */
const WITHOUT_SETTING = "owner@mailverdict.test"
const OF_SANDBOX = "you@inbox.test"

/**
 * The owner of a service. In the sandbox, the owner is a customer with the free plan.
 * @param email OWNER_EMAIL
 */
export function ownerOf(email: string | undefined, { sandbox }: { sandbox: boolean }): Owner {
  if (sandbox) return { email: email || OF_SANDBOX, tier: "free" }
  return { email: email || WITHOUT_SETTING, tier: "unlimited" }
}

/** Makes sure that a mailbox has an account. `tier` is the plan of a new one. */
export async function ensureAccount({ call }: Pick<Service, "call">, { email, tier }: Owner): Promise<void> {
  try {
    await call("createUser", { email, tier })
  } catch (error) {
    if (!(error instanceof RefusedCall) || error.status !== 409) throw error
  }
}

/**
 * Creates the owner's account and its first key, which has no limits. An account that has or had a key gets none.
 * @returns the key's secret; null without a new key
 */
export async function createOwnerKey(service: Service): Promise<string | null> {
  const { call, owner } = service
  const { email, tier } = owner
  const account = await call("getUser", { account: email }).catch(unlessMissing)
  if (account && account.keys.length > 0) return null
  if (!account) await ensureAccount(service, owner)
  else if (account.plan !== tier) await call("upgradeUser", { email, tier })
  const { api_key: key } = await call("createUserKey", { account: email, name: "owner", tier })
  return key
}

/** Creates a link that signs in to an account once; by default to the owner's, which it creates when it is missing. */
export async function signInLink(service: Service, account?: string): Promise<{ url: string; email: string }> {
  const { call, owner } = service
  if (account !== undefined) return call("createSignInLink", { account })
  const link = await call("createSignInLink", { account: owner.email }).catch(unlessMissing)
  if (link) return link
  await ensureAccount(service, owner)
  return call("createSignInLink", { account: owner.email })
}

/** @returns null when the account does not exist @throws every other error */
function unlessMissing(error: unknown): null {
  if (error instanceof RefusedCall && error.status === 404) return null
  throw error
}
