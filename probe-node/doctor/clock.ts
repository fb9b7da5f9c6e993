import { get as getHttp } from "node:http"
import { get as getHttps } from "node:https"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import { Findings } from "./finding.ts"
import type { DoctorNeeds } from "./needs.ts"

/** Skews the edge tolerates without harm, and those beyond which it refuses our signatures, in ms. */
const TOLERATED_MS = 1_000
const FATAL_MS = 3_000
const WAIT_MS = 5_000

/** How far our clock is off for certain, in ms: a Date header names a whole second, and the answer took its time. */
interface Skew {
  readonly ms: number
  readonly host: string
}

/** Holds the clock against the Date header of web servers (RFC 9110 §6.6.1). */
export async function checkClock({ settings, now, signal }: DoctorNeeds): Promise<DoctorFinding[]> {
  const findings = new Findings("clock")
  const { clockUrls } = settings.doctor
  const skews = (await Promise.all(clockUrls.map((url) => measure(url, { now, signal })))).filter(
    (skew) => skew !== null,
  )
  // A cached answer is old, never new: the one nearest to us is right.
  const [skew] = skews.toSorted((one, other) => Math.abs(one.ms) - Math.abs(other.ms))
  const advice = "switch time synchronisation on (timedatectl set-ntp true)"
  if (!skew)
    return findings.add("unknown", null, `no clock to compare with: if time is synchronised (timedatectl), all is well`)
      .all
  const size = `${(Math.abs(skew.ms) / 1_000).toFixed(1)} s ${skew.ms < 0 ? "behind" : "ahead of"} ${skew.host}`
  if (Math.abs(skew.ms) > FATAL_MS) findings.add("fail", null, `is ${size}, so that the edge refuses us: ${advice}`)
  else if (Math.abs(skew.ms) > TOLERATED_MS) findings.add("warn", null, `is ${size}: ${advice}`)
  else findings.add("ok", null, `agrees with ${skew.host}`)
  return findings.all
}

async function measure(url: string, { now, signal }: Pick<DoctorNeeds, "now" | "signal">): Promise<Skew | null> {
  const sentAt = now()
  const date = await dateOf(url, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]))
  if (date === null) return null
  return { ms: certainSkew({ sentAt, heardAt: now(), date }), host: new URL(url).hostname }
}

/** The least our clock is off: 0 when it may be right. All in Unix ms; positive when ours is ahead. */
export function certainSkew({ sentAt, heardAt, date }: { sentAt: number; heardAt: number; date: number }): number {
  if (sentAt > date + 1_000) return sentAt - date - 1_000
  return heardAt < date ? heardAt - date : 0
}

/** Plain node:https, because the first use of fetch costs a node ten megabytes that it keeps. */
function dateOf(url: string, signal: AbortSignal): Promise<number | null> {
  const get = url.startsWith("https:") ? getHttps : getHttp
  return new Promise((resolve) => {
    const request = get(url, { method: "HEAD", agent: false, signal }, (response) => {
      const date = Date.parse(response.headers.date ?? "")
      const age = Number(response.headers.age ?? 0) || 0
      response.destroy()
      resolve(Number.isNaN(date) ? null : date + age * 1_000)
    })
    request.on("error", () => resolve(null))
  })
}
