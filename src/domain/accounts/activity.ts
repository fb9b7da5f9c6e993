import { STATUSES, type Status } from "../../../schema/vocabulary.ts"

/** What was counted on a UTC day under a name, as `service_counts` keeps it. */
export interface Counted {
  readonly day: string
  readonly name: string
  readonly count: number
}

export interface Activity {
  readonly total: number
  readonly byStatus: Readonly<Record<Status, number>>
  /** Days on which there was something, oldest first. */
  readonly days: readonly { readonly date: string; readonly count: number }[]
}

export interface HitRate {
  readonly hits: number
  readonly misses: number
  /** Hits of all look-ups, 0 to 1; null without any. */
  readonly rate: number | null
}

/** Sums counts under "<kind>:<status>". */
export function sumActivity(counts: readonly Counted[], kind: string): Activity {
  const own = counts.flatMap(({ name, ...counted }) => {
    const status = STATUSES.find((one) => name === `${kind}:${one}`)
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

/** Sums the hits and misses of a place where results are looked for. */
export function sumHits(counts: readonly Counted[], place: string): HitRate {
  const of = (outcome: string) => sum(counts.filter(({ name }) => name === `cache:${place}:${outcome}`))
  const [hits, misses] = [of("hit"), of("miss")]
  return { hits, misses, rate: hits + misses === 0 ? null : Math.round((hits / (hits + misses)) * 10_000) / 10_000 }
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}
