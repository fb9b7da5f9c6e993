import { get as getHttp, Agent as HttpAgent } from "node:http"
import { get as getHttps, Agent as HttpsAgent } from "node:https"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import type { DoctorDeps } from "./deps.ts"
import { Findings } from "./finding.ts"

/** From this clock difference on the doctor warns, and from the second on it fails, because the edge excludes the node, ms. */
const TOLERATED_MS = 1_000
const FATAL_MS = 3_000
const WAIT_MS = 5_000

/** Minimum clock skew in ms. A Date header has whole seconds, and the response took some time. */
interface Skew {
  readonly ms: number
  readonly host: string
}

/** Compares the clock with the Date header of web servers (RFC 9110 §6.6.1). */
export async function checkClock({ settings, now, signal }: DoctorDeps): Promise<DoctorFinding[]> {
  const findings = new Findings("clock")
  const { clockUrls } = settings.doctor
  const skews = (await Promise.all(clockUrls.map((url) => measure(url, { now, signal })))).filter(
    (skew) => skew !== null,
  )
  // A cached answer is only ever old, so the smallest skew is right.
  const [skew] = skews.toSorted((one, other) => Math.abs(one.ms) - Math.abs(other.ms))
  const advice = "turn on time synchronization (timedatectl set-ntp true)"
  if (!skew)
    return findings.add("unknown", null, "no clock to compare with: check time synchronization (timedatectl)").all
  const size = `${(Math.abs(skew.ms) / 1_000).toFixed(1)} s ${skew.ms < 0 ? "behind" : "ahead of"} ${skew.host}`
  if (Math.abs(skew.ms) > FATAL_MS) findings.add("fail", null, `is ${size}, so the edge refuses us: ${advice}`)
  else if (Math.abs(skew.ms) > TOLERATED_MS) findings.add("warn", null, `is ${size}: ${advice}`)
  else findings.add("ok", null, `agrees with ${skew.host}`)
  return findings.all
}

async function measure(url: string, { now, signal }: Pick<DoctorDeps, "now" | "signal">): Promise<Skew | null> {
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
