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

/** The verifications of one UTC day. */
interface UsageDay {
  readonly date: string
  readonly verifications: number
  readonly cached: number
  /** Without the statuses that did not occur. */
  readonly byStatus: Readonly<Partial<Record<Status, number>>>
}

export interface UsageSpan {
  readonly verifications: number
  /** The preceding span of the same length. */
  readonly previous: number
  /** Growth over the preceding span in percent; null when that is 0. */
  readonly deltaPercent: number | null
}

interface UsageReport {
  readonly today: UsageSpan
  readonly thisMonth: UsageSpan
  readonly thisYear: UsageSpan
  /** The last days, oldest first, including days without verifications. */
  readonly histogram: readonly UsageDay[]
}

/** The first day that a report needs. @param now Unix milliseconds */
export function reportStart(now: number): string {
  return `${new Date(now).getUTCFullYear() - 1}-01-01`
}

/**
 * Sums daily counts for today, month and year, each with the preceding span. All UTC.
 * @param now Unix milliseconds @param days in the histogram
 */
export function reportUsage(
  counts: readonly CountedStatus[],
  { now, days }: { now: number; days: number },
): UsageReport {
  const byDay = new Map<string, number>()
  for (const { day, count } of counts) byDay.set(day, (byDay.get(day) ?? 0) + count)
  const total = (prefix: string) => {
    let sum = 0
    for (const [day, count] of byDay) if (day.startsWith(prefix)) sum += count
    return sum
  }
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
      const cached = ofDay.filter((one) => one.cached).reduce((sum, one) => sum + one.count, 0)
      return { date, verifications: count, cached, byStatus: statusesOf(ofDay) }
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
    return { date, count: (byDay.get(date) ?? []).reduce((sum, { count }) => sum + count, 0) }
  })
}

function span(verifications: number, previous: number): UsageSpan {
  const deltaPercent = previous === 0 ? null : Math.round(((verifications - previous) / previous) * 1000) / 10
  return { verifications, previous, deltaPercent }
}

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

export interface Activity {
  readonly total: number
  readonly byStatus: Readonly<Record<Status, number>>
  /** Days with a count, oldest first. */
  readonly days: readonly { readonly date: string; readonly count: number }[]
}

export interface HitRate {
  readonly hits: number
  readonly misses: number
  /** Share of hits, 0 to 1; null without lookups. */
  readonly rate: number | null
}

/** Sums the counters named "<kind>:<status>" of the given kinds. */
export function sumActivity(counts: readonly Counted[], kinds: readonly string[]): Activity {
  const own = counts.flatMap(({ name, ...counted }) => {
    const status = STATUSES.find((one) => kinds.some((kind) => name === `${kind}:${one}`))
    return status ? [{ ...counted, status }] : []
  })
  return sumByStatus(own)
}

export function sumByStatus(counts: readonly { day: string; status: Status; count: number }[]): Activity {
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

function hitRate(hits: number, misses: number): HitRate {
  return { hits, misses, rate: hits + misses === 0 ? null : Math.round((hits / (hits + misses)) * 10_000) / 10_000 }
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}

/** Percent of the month's credits at which an account gets an alert. */
export const ALERT_PERCENTS = [80, 100] as const
type AlertPercent = (typeof ALERT_PERCENTS)[number]

/**
 * The thresholds that an account has reached, the lowest first.
 * @param used credits of the month, as far as they count for the caller
 * @param limit credits of the month; null when unlimited, which reaches none
 */
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
