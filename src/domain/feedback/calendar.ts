export interface Calendar {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly ms: number
  /** Minutes ahead of UTC. */
  readonly offset: number
}

/** Unix milliseconds of a valid date; null for 30 February, 25 o'clock and the like. A leap second is the next second. */
export function timeOf({ year, month, day, hour, minute, second, ms, offset }: Calendar): number | null {
  const midnight = Date.UTC(year, month - 1, day)
  const date = new Date(midnight)
  const exists =
    year >= 1970 && date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!exists || hour > 23 || minute > 59 || second > 60) return null
  return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000 + ms
}

/** Minutes of an offset such as +01:00; null beyond the 14 hours in use. */
export function offsetMinutes(sign: string, hours: string, minutes: string): number | null {
  const total = Number(hours) * 60 + Number(minutes)
  if (total > 14 * 60 || Number(minutes) > 59) return null
  return sign === "-" ? -total : total
}
