import { STATUSES, type Status } from "../../../schema/vocabulary.ts"
import { DAY_MS, dayOf } from "../time.ts"

interface CountedStatus {
  /** UTC day, "2026-11-21". */
  readonly day: string
  readonly status: Status
  /** A stored result, which cost no credit. */
  readonly cached: boolean
  readonly count: number
}

export type UsageSpan = ReturnType<typeof span>

/** The first day that a report needs. @param now Unix milliseconds */
export function reportStart(now: number): string {
  return `${new Date(now).getUTCFullYear() - 1}-01-01`
}

/** Sums daily counts (UTC), each with the preceding span. @param now Unix milliseconds @param days in the histogram */
export function reportUsage(counts: readonly CountedStatus[], { now, days }: { now: number; days: number }) {
  const total = (prefix: string) => sum(counts.filter(({ day }) => day.startsWith(prefix)))
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const monthName = (offset: number) => new Date(Date.UTC(year, month + offset, 1)).toISOString().slice(0, 7)
  const dayName = (offset: number) => dayOf(now + offset * DAY_MS)
  return {
    today: span(total(dayName(0)), total(dayName(-1))),
    thisMonth: span(total(monthName(0)), total(monthName(-1))),
    thisYear: span(total(String(year)), total(String(year - 1))),
    histogram: histogramOf(counts, { now, days }).map(({ date, count }) => {
      const ofDay = counts.filter(({ day }) => day === date)
      return {
        date,
        verifications: count,
        cached: sum(ofDay.filter(({ cached }) => cached)),
        byStatus: statusesOf(ofDay),
      }
    }),
  }
}

/** The sums of the last `days` UTC days, oldest first, with the days without a count. @param now Unix milliseconds */
export function histogramOf(
  counts: readonly { readonly day: string; readonly count: number }[],
  { now, days }: { now: number; days: number },
): { date: string; count: number }[] {
  const byDay = Map.groupBy(counts, ({ day }) => day)
  return Array.from({ length: days }, (_, i) => {
    const date = dayOf(now + (i - days + 1) * DAY_MS)
    return { date, count: sum(byDay.get(date) ?? []) }
  })
}

/** `deltaPercent`: growth over the preceding span of the same length; null when that is 0. */
function span(verifications: number, previous: number) {
  const deltaPercent = previous === 0 ? null : Math.round(((verifications - previous) / previous) * 1000) / 10
  return { verifications, previous, deltaPercent }
}

/** Sums by status, without those that did not occur. */
function statusesOf(counts: readonly CountedStatus[]): Partial<Record<Status, number>> {
  const sums: Partial<Record<Status, number>> = {}
  for (const { status, count } of counts) sums[status] = (sums[status] ?? 0) + count
  return sums
}

/** A row of `service_counts`: one counter on one UTC day. */
interface Counted {
  readonly day: string
  readonly name: string
  readonly count: number
}

export type Activity = ReturnType<typeof sumByStatus>
export type HitRate = ReturnType<typeof hitRate>

/** Sums the counters named "<kind>:<status>" of the given kinds. */
export function sumActivity(counts: readonly Counted[], kinds: readonly string[]): Activity {
  const own = counts.flatMap(({ name, ...counted }) => {
    const status = STATUSES.find((one) => kinds.some((kind) => name === `${kind}:${one}`))
    return status ? [{ ...counted, status }] : []
  })
  return sumByStatus(own)
}

export function sumByStatus(counts: readonly { day: string; status: Status; count: number }[]) {
  const byStatus = Object.fromEntries(
    STATUSES.map((status) => [status, sum(counts.filter((counted) => counted.status === status))]),
  ) as Record<Status, number>
  const days = [...Map.groupBy(counts, ({ day }) => day)]
    .map(([date, own]) => ({ date, count: sum(own) }))
    .sort((a, b) => (a.date < b.date ? -1 : 1))
  return { total: sum(counts), byStatus, days }
}

/** Sums the cache hits and misses of one place. */
export function sumHits(counts: readonly Counted[], place: string): HitRate {
  const of = (outcome: string) => sum(counts.filter(({ name }) => name === `cache:${place}:${outcome}`))
  return hitRate(of("hit"), of("miss"))
}

/** The same of an account's answers: those from the store are hits. No result is looked up for a malformed address. */
export function sumCached(answers: readonly { status: Status; cached: boolean; count: number }[]): HitRate {
  const lookedUp = answers.filter(({ status }) => status !== "invalid_syntax")
  const of = (isHit: boolean) => sum(lookedUp.filter(({ cached }) => cached === isHit))
  return hitRate(of(true), of(false))
}

/** `rate`: share of hits, 0 to 1; null without lookups. */
function hitRate(hits: number, misses: number) {
  return { hits, misses, rate: hits + misses === 0 ? null : Math.round((hits / (hits + misses)) * 10_000) / 10_000 }
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}

/** Percent of the month's credits at which an account gets an alert. */
export const ALERT_PERCENTS = [80, 100] as const
type AlertPercent = (typeof ALERT_PERCENTS)[number]

/** The thresholds that an account has reached, the lowest first. @param limit null when unlimited */
export function reachedPercents({ used, limit }: { used: number; limit: number | null }): AlertPercent[] {
  if (limit === null || limit === 0) return []
  return ALERT_PERCENTS.filter((percent) => used * 100 >= limit * percent)
}

export interface UsageAlert {
  readonly percent: number
  /** The month's credits. */
  readonly credits: number
  /** UTC month, "2026-11". */
  readonly period: string
}

/** The mail about a threshold. @param consoleUrl of the page with the plans */
export function alertMail({ percent, credits, period }: UsageAlert, consoleUrl: string) {
  const all = credits.toLocaleString("en")
  const isOver = percent >= 100
  return {
    subject: isOver
      ? "Your Mailverdict credits of this month are used up"
      : `${percent} % of your Mailverdict credits are used`,
    text: [
      isOver
        ? `All ${all} credits of ${period} are used. Bought credits pay from now on. Without any, requests are refused until the next month.`
        : `${percent} % of your ${all} credits of ${period} are used.`,
      `Change the plan, buy credits or switch these mails off: ${consoleUrl}`,
      "",
    ].join("\n\n"),
  }
}
