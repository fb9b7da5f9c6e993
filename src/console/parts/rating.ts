/** Whether a result is for or against what is checked; `plain` is neither. */
export type Rating = "good" | "bad" | "warn" | "plain"
/** [name, result in words, rating] */
export type CheckRow = readonly [string, string, Rating]

/** Ratings by how much they matter. */
export const WORST_FIRST: readonly Rating[] = ["bad", "warn", "good", "plain"]
export const worst = (rows: readonly CheckRow[]): Rating =>
  WORST_FIRST.find((rating) => rows.some(([, , found]) => found === rating)) ?? "plain"
