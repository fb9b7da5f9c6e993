import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Sandbox } from "../../../scripts/sandbox/main.ts"

/** Settings of a node in the sandbox internet. */
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
  /** Working directory. Default: the current one. */
  readonly folder?: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
}

/** Starts the node's bundle as a command and collects its output. */
export function startCommand({ file, folder, args, env }: Command) {
  const child = spawn(process.execPath, [file, ...args], { ...(folder && { cwd: folder }), env })
  const output = { out: "", err: "" }
  child.stdout.on("data", (bytes) => {
    output.out += bytes
  })
  child.stderr.on("data", (bytes) => {
    output.err += bytes
  })
  return { child, output }
}

/** Runs a command to its end. */
export async function runCommand(command: Command) {
  const { child, output } = startCommand(command)
  const [code] = (await once(child, "close")) as [number]
  return { code, ...output }
}
