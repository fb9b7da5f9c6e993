/**
 * Crons that repeat their tasks every few seconds, because work that a crash interrupted must not wait for the next minute.
 * Cloudflare starts a cron once a minute at most, so there one run repeats them until the next. Each of the two is an
 * invocation of its own, so that a slow task of one delays no task of the other.
 */
export const FREQUENT_CRONS = ["0-59 * * * *", "*/1 * * * *"] as const
export type FrequentCron = (typeof FREQUENT_CRONS)[number]
export const FREQUENT_EVERY_MS = 10_000

/** The name of a single repetition. The local host starts each one itself, so that no run lasts a minute. */
export function onceOf(cron: string): string {
  return `once ${cron}`
}
