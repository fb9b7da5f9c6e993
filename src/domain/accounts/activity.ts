import { STATUSES, type Status } from "../../../schema/vocabulary.ts"

/** A row of `service_counts`: one counter on one UTC day. */
export interface Counted {
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
