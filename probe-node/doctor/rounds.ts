import { networkInterfaces } from "node:os"
import type { DoctorReport } from "../../schema/wire/health.ts"
import { dialPort } from "../address-policy.ts"
import type { EngineNeeds } from "../chunk-run.ts"
import type { NodeSettings } from "../config.ts"
import type { Log } from "../log.ts"
import { createRblLookups } from "../rbl.ts"
import { createDoctorDns } from "./dns.ts"
import { examine } from "./examine.ts"

/** When the node examines itself, in ms: a little after it has begun to serve, every hour, and sooner while it is unfit. */
const FIRST_MS = 1_000
const FIT_MS = 3_600_000
const UNFIT_MS = 300_000

/** Examines a node once. @param signal ends it early */
export async function examineNode(
  settings: NodeSettings,
  engine: EngineNeeds,
  signal: AbortSignal,
): Promise<DoctorReport> {
  const dns = createDoctorDns(settings.dns)
  const rbl = createRblLookups({ dns: settings.dns, zones: settings.rblZones, policy: settings.policy, now: Date.now })
  const cancel = () => dns.cancel()
  signal.addEventListener("abort", cancel)
  try {
    return await examine({ settings, engine, dns, rbl, machineIps: machineIps(), now: Date.now, signal })
  } finally {
    signal.removeEventListener("abort", cancel)
  }
}

/** IPv4 first: the system prefers it for mail hosts that have both. */
function machineIps(): string[] {
  const ips = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
  const [four, six] = [ips.filter((ip) => !ip.includes(":")), ips.filter((ip) => ip.includes(":"))]
  return [...four, ...six].filter((ip) => dialPort(ip, { allowPrivate: false, sandbox: null, smtpPort: 25 }) !== null)
}

/** Examines the node again and again; `last` is what came of it. */
export function startRounds(settings: NodeSettings, engine: EngineNeeds, log: Log) {
  const aborter = new AbortController()
  let last: DoctorReport | null = null
  let timer = setTimeout(round, FIRST_MS)

  async function round(): Promise<void> {
    const report = await examineNode(settings, engine, aborter.signal)
    if (aborter.signal.aborted) return
    tell(log, report, last)
    last = report
    timer = setTimeout(round, report.fit ? FIT_MS : UNFIT_MS)
  }

  return {
    get last() {
      return last
    },
    stop(): void {
      clearTimeout(timer)
      aborter.abort()
    },
  }
}

/** One line for the whole, and one for each finding that is new and not right. */
function tell(log: Log, { fit, findings }: DoctorReport, before: DoctorReport | null): void {
  const known = new Set(before?.findings.map(({ check, subject, detail }) => `${check} ${subject} ${detail}`))
  for (const { check, subject, result, detail } of findings)
    if ((result === "fail" || result === "warn") && !known.has(`${check} ${subject} ${detail}`))
      log("doctor_finding", { check, subject, result, detail })
  if (before?.fit !== fit) log(fit ? "doctor_fit" : "doctor_unfit", { fails: findings.filter(isFail).length })
}

function isFail({ result }: DoctorReport["findings"][number]): boolean {
  return result === "fail"
}
