import { MINUTE_MS } from "../domain/time.ts"

/** The cron of each minute, as in wrangler.toml. */
export const MINUTE_CRON = "* * * * *"

/**
 * The parts of the minute's cron, each with its period in ms. Work that a crash interrupted must not wait for the next
 * minute. Cloudflare starts a cron once a minute at most, so its one run repeats the frequent parts until the next. Each
 * part repeats by itself, so that a slow task delays no other part. The local host starts each part by its name, so that
 * no run lasts a minute.
 */
export const MINUTE_PARTS = {
  "tasks of the minute": MINUTE_MS,
  "interrupted work": 10_000,
  integrations: 10_000,
} as const
export type MinutePart = keyof typeof MINUTE_PARTS
