import { networkInterfaces } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { DOCTOR_CHECKS } from "../../schema/vocabulary.ts"
import type { DoctorReport } from "../../schema/wire/health.ts"
import { dialPort } from "../addresses.ts"
import type { NodeSettings } from "../config.ts"
import type { Log } from "../log.ts"
import type { EngineDeps } from "../probe.ts"
import { createRblLookups } from "../rbl.ts"
import { checkBlocklists } from "./blocklists.ts"
import { checkClock, checkResolver } from "./clock-and-resolver.ts"
import { addressesOf, createDoctorDns } from "./dns.ts"
import { checkEgress, ownAddresses, testAllSources } from "./egress.ts"
import type { DoctorDeps } from "./findings.ts"
import { checkHelo, checkPtr, checkSender, checkSenderPolicy } from "./identity.ts"

/** Delays of doctor runs, in ms: shortly after the start, then every hour, or more often while the node is unfit. */
const FIRST_MS = 1_000
const FIT_MS = 3_600_000
const UNFIT_MS = 300_000

/** Runs the doctor once. @param signal stops it early */
export async function examineNode(
  settings: NodeSettings,
  engine: EngineDeps,
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

/** IPv4 first, because the system prefers it for mail hosts with both families. */
function machineIps(): string[] {
  const ips = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
  const [four, six] = [ips.filter((ip) => !ip.includes(":")), ips.filter((ip) => ip.includes(":"))]
  return [...four, ...six].filter((ip) => dialPort(ip, { allowPrivate: false, sandbox: null, smtpPort: 25 }) !== null)
}

/** Runs the doctor periodically. `last` is the latest report. */
export function startDoctorSchedule(settings: NodeSettings, engine: EngineDeps, log: Log) {
  const aborter = new AbortController()
  let last: DoctorReport | null = null
  const { promise: first, resolve: reportFirst } = Promise.withResolvers<void>()
  let timer = setTimeout(examineAgain, FIRST_MS)

  async function examineAgain(): Promise<void> {
    const report = await examineNode(settings, engine, aborter.signal)
    if (aborter.signal.aborted) return
    logFindings(log, report, last)
    last = report
    reportFirst()
    timer = setTimeout(examineAgain, report.fit ? FIT_MS : UNFIT_MS)
  }

  return {
    get last() {
      return last
    },
    async reported(withinMs: number): Promise<void> {
      if (last) return
      const late = new AbortController()
      const waited = sleep(withinMs, undefined, { ref: false, signal: late.signal }).catch(() => undefined)
      await Promise.race([first, waited])
      late.abort()
    },
    stop(): void {
      clearTimeout(timer)
      aborter.abort()
    },
  }
}

/** Logs changes of the node's fitness, and each new finding that fails or warns. */
function logFindings(log: Log, { fit, findings }: DoctorReport, before: DoctorReport | null): void {
  const known = new Set(before?.findings.map(({ check, subject, detail }) => `${check} ${subject} ${detail}`))
  for (const { check, subject, result, detail } of findings)
    if ((result === "fail" || result === "warn") && !known.has(`${check} ${subject} ${detail}`))
      log("doctor_finding", { check, subject, result, detail })
  if (before?.fit !== fit)
    log(fit ? "doctor_fit" : "doctor_unfit", { fails: findings.filter(({ result }) => result === "fail").length })
}

/** Runs all checks: what the node can reach, and how mail servers see it. Takes up to about 25 s. */
async function examine(deps: DoctorDeps): Promise<DoctorReport> {
  const { settings, dns } = deps
  const [connections, helo, ...early] = await Promise.all([
    testAllSources(deps),
    addressesOf(dns, settings.heloName),
    checkResolver(deps),
    checkClock(deps),
    checkSender(deps),
  ])
  const own = ownAddresses(settings, { connections, helo, machineIps: deps.machineIps })
  const late = await Promise.all([
    checkEgress(settings, connections),
    checkHelo(deps, own, helo),
    checkPtr(deps, own),
    checkSenderPolicy(deps, own),
    checkBlocklists(deps, own),
  ])
  const found = [...early, ...late].flat()
  const findings = DOCTOR_CHECKS.flatMap((check) => found.filter((finding) => finding.check === check))
  return { ranAt: deps.now(), fit: findings.every(({ result }) => result !== "fail"), findings }
}
