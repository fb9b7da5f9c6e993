import type { Status } from "../../../schema/vocabulary.ts"
import { DAY_MS, dayOf } from "../time.ts"

interface Counted {
  /** UTC day, "2026-11-21". */
  readonly day: string
  readonly status: Status
  /** A stored result, which cost no credit. */
  readonly cached: boolean
  readonly count: number
}

/** The verifications of one UTC day. */
export interface UsageDay {
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

export interface UsageReport {
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
export function reportUsage(counts: readonly Counted[], { now, days }: { now: number; days: number }): UsageReport {
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

function statusesOf(counts: readonly Counted[]): Partial<Record<Status, number>> {
  const sums: Partial<Record<Status, number>> = {}
  for (const { status, count } of counts) sums[status] = (sums[status] ?? 0) + count
  return sums
}
