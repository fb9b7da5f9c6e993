import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Sandbox } from "../../scripts/sandbox.ts"

/** Settings of a node that lives in the sandbox internet. */
export function nodeSettings(sandbox: Sandbox, changes: Record<string, string> = {}): Record<string, string> {
  return {
    PROBE_HELO: "probe.mailverdict.test",
    PROBE_MAIL_FROM: "probe@mailverdict.test",
    PROBE_DNS: sandbox.dnsAddress,
    PROBE_SANDBOX: `${sandbox.smtpNetwork}:${sandbox.smtpPort}`,
    PROBE_SOURCE_IPS: "127.0.0.1,127.0.0.2",
    PROBE_DOCTOR_HOSTS: "mailbox.test",
    ...changes,
  }
}

export interface Command {
  readonly file: string
  /** Where it is run; here when left out. */
  readonly folder?: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
}

/** Starts the node's one file as a command; what it says is gathered as it comes. */
export function startCommand({ file, folder, args, env }: Command) {
  const child = spawn(process.execPath, [file, ...args], { ...(folder && { cwd: folder }), env })
  const said = { out: "", err: "" }
  child.stdout.on("data", (bytes) => {
    said.out += bytes
  })
  child.stderr.on("data", (bytes) => {
    said.err += bytes
  })
  return { child, said }
}

/** The same, until it has ended. */
export async function runCommand(command: Command) {
  const { child, said } = startCommand(command)
  const [code] = (await once(child, "close")) as [number]
  return { code, ...said }
}
