import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { DoctorReport, PORT_25_CLOSED } from "../../../schema/wire/health.ts"
import type { Finding } from "../finding.ts"

type Settings = Readonly<Record<string, string | undefined>>

/** The node checks DNS, blocklists and mail hosts within 25 s. */
const WITHIN_MS = 60_000
const NODE = fileURLToPath(new URL("../../../probe-node/main.ts", import.meta.url))
/** Passed on beside the node's own settings: how processes are found, and how they reach the network. */
const INHERITED = /^(PATH|HOME|NODE_EXTRA_CA_CERTS|(HTTPS?|NO)_PROXY|(https?|no)_proxy)$/

/**
 * Runs the doctor of this machine's node as a process: resolver, clock, port 25, HELO, PTR, sender, SPF and blocklists.
 * @returns its report, or the reason why the node's settings are refused
 */
export async function nodeReport(settings: Settings): Promise<DoctorReport | string> {
  const names = Object.keys(settings).filter((name) => name.startsWith("PROBE_") || INHERITED.test(name))
  const env = Object.fromEntries(names.flatMap((name) => (settings[name] ? [[name, settings[name]]] : [])))
  const args = [NODE, "doctor", "--json", "--settings", "/dev/null"]
  const { stdout, stderr } = await run(args, { ...env, PATH: process.env.PATH })
  try {
    return DoctorReport.parse(JSON.parse(stdout))
  } catch {
    return stderr.trim() || "the node's doctor did not end within a minute"
  }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: WITHIN_MS }, (_, stdout, stderr) => resolve({ stdout, stderr }))
  })
}

/** The node's findings in the form of this doctor. A check without a result is a warning here. */
export function findingsOf(report: DoctorReport | string): Finding[] {
  if (typeof report === "string") return report.split("\n").flatMap(refusedSetting)
  return report.findings.map(({ check, subject, result, detail }) => ({
    about: subject === null ? check : `${check} ${subject}`,
    result: result === "unknown" ? "warn" : result,
    detail,
  }))
}

/** A line such as "PROBE_HELO is missing: set it to …". */
function refusedSetting(line: string): Finding[] {
  const [, name, detail] = /\b(PROBE_[A-Z0-9_]+):? (.+)$/.exec(line) ?? []
  if (name && detail) return [{ about: name, result: "fail", detail }]
  return line.trim() === "" ? [] : [{ about: "probe node", result: "fail", detail: line.trim() }]
}

/** The addresses at which mail servers see this machine: those whose reverse names the node has checked. */
export function addressesIn(report: DoctorReport | string): string[] {
  if (typeof report === "string") return []
  return report.findings.flatMap(({ check, subject }) => (check === "ptr" && subject !== null ? [subject] : []))
}

/** Whether no mail host answered on port 25 from any address. */
export function isPort25Closed(report: DoctorReport | string): boolean {
  if (typeof report === "string") return false
  const egress = report.findings.filter(({ check }) => check === "egress")
  return egress.length > 0 && egress.every(({ detail }) => detail.startsWith(PORT_25_CLOSED))
}
