import { randomBytes } from "node:crypto"
import { get as getHttp, Agent as HttpAgent } from "node:http"
import { get as getHttps, Agent as HttpsAgent } from "node:https"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { DnsAnswer, DoctorDns } from "./dns.ts"
import { type DoctorDeps, Findings, listed } from "./findings.ts"

/** From this clock difference on the doctor warns, and from the second on it fails, because the edge excludes the node, ms. */
const TOLERATED_MS = 1_000
const FATAL_MS = 3_000
const WAIT_MS = 5_000

/** Compares the clock with the Date header of web servers (RFC 9110 §6.6.1). */
export async function checkClock({ settings, now, signal }: DoctorDeps): Promise<DoctorFinding[]> {
  const findings = new Findings("clock")
  const { clockUrls } = settings.doctor
  const measured = await Promise.all(clockUrls.map((url) => measure(url, { now, signal })))
  // A cached answer is only ever old, so the smallest skew is right.
  const [skew] = measured.filter((one) => one !== null).sort((one, other) => Math.abs(one.ms) - Math.abs(other.ms))
  const advice = "turn on time synchronization (timedatectl set-ntp true)"
  if (!skew)
    return findings.add("unknown", null, "no clock to compare with: check time synchronization (timedatectl)").all
  const size = `${(Math.abs(skew.ms) / 1_000).toFixed(1)} s ${skew.ms < 0 ? "behind" : "ahead of"} ${skew.host}`
  if (Math.abs(skew.ms) > FATAL_MS) findings.add("fail", null, `is ${size}, so the edge refuses us: ${advice}`)
  else if (Math.abs(skew.ms) > TOLERATED_MS) findings.add("warn", null, `is ${size}: ${advice}`)
  else findings.add("ok", null, `agrees with ${skew.host}`)
  return findings.all
}

/** The minimum skew of our clock. A Date header has whole seconds, and the response took some time. */
async function measure(url: string, { now, signal }: Pick<DoctorDeps, "now" | "signal">) {
  const sentAt = now()
  const date = await dateOf(url, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]))
  if (date === null) return null
  return { ms: certainSkew({ sentAt, repliedAt: now(), date }), host: new URL(url).hostname }
}

/** Minimum skew of our clock in ms: 0 when it may be right, positive when it is ahead. Arguments in Unix ms. */
export function certainSkew({ sentAt, repliedAt, date }: Record<"sentAt" | "repliedAt" | "date", number>): number {
  if (sentAt > date + 1_000) return sentAt - date - 1_000
  return repliedAt < date ? repliedAt - date : 0
}

/** Uses node:https, because the first use of fetch costs a node ten megabytes of memory. Respects HTTPS_PROXY. */
function dateOf(url: string, signal: AbortSignal): Promise<number | null> {
  const [get, Agent] = url.startsWith("https:") ? [getHttps, HttpsAgent] : [getHttp, HttpAgent]
  return new Promise((resolve) => {
    const request = get(url, { method: "HEAD", agent: new Agent({ proxyEnv: process.env }), signal }, (response) => {
      const date = Date.parse(response.headers.date ?? "")
      const age = Number(response.headers.age ?? 0) || 0
      response.destroy()
      resolve(Number.isNaN(date) ? null : date + age * 1_000)
    })
    request.on("error", () => resolve(null))
  })
}

/**
 * Checks that the resolver answers, and reports names that do not exist. A private network may resolve its own names only:
 * one of the doctor's hosts is then enough.
 */
export async function checkResolver({ dns, settings }: DoctorDeps): Promise<DoctorFinding[]> {
  const findings = new Findings("resolver")
  const topLevels = settings.policy.sandbox ? ["test"] : ["com", "org"]
  const names = topLevels.map((label) => `no-such-name-${randomBytes(8).toString("hex")}.${label}`)
  const [answers, known] = await Promise.all([
    Promise.all(names.map((name) => dns.a(name))),
    Promise.all(settings.doctor.hosts.map((host) => hasRecords(dns, host))),
  ])
  const invented = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  const where = settings.dns ?? "the system's resolver"
  const advice = "run your own, such as unbound, and set PROBE_DNS"
  if (invented.length > 0)
    findings.add("fail", where, `returns addresses (${listed(invented)}) for names that do not exist: ${advice}`)
  else if (answers.every(({ kind }) => kind === "failure") && !known.includes(true))
    findings.add("fail", where, `does not answer (${codesOf(answers)}): check PROBE_DNS, or ${advice}`)
  else if (known.length > 0 && !known.includes(true)) {
    const none = `resolves none of ${listed(settings.doctor.hosts)}`
    findings.add("fail", where, `${none}: check PROBE_DNS and PROBE_DOCTOR_HOSTS, or ${advice}`)
  } else if (answers.some(({ kind }) => kind !== "no_such_domain"))
    findings.add("warn", where, `does not answer NXDOMAIN for a name that does not exist: ${advice}`)
  else findings.add("ok", where, "answers, and reports names that do not exist")
  return findings.all
}

async function hasRecords(dns: DoctorDns, name: string): Promise<boolean> {
  const answers = await Promise.all([dns.mx(name), dns.a(name)])
  return answers.some(({ kind }) => kind === "records")
}

function codesOf(answers: readonly DnsAnswer[]): string {
  return listed([...new Set(answers.flatMap((answer) => (answer.kind === "failure" ? [answer.code] : [])))])
}
