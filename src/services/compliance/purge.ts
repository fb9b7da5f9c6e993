import type { Context } from "../../context.ts"
import type { ErasedRows } from "../../domain/compliance/data-subject.ts"

/** Rows that one run removes at most, per table when it purges. */
export const MAX_ROWS = 100_000
/** A scheduled run may take 15 minutes. The next night continues with the rest. */
const NIGHT_MS = 10 * 60_000

/** Removes rows past the retention policy (schema/tables/retention.ts), up to the limit of one run. */
export function purge(ctx: Context): Promise<ErasedRows[]> {
  return ctx.store.erasure.purge(ctx.clock.now(), MAX_ROWS)
}

/** Purges on the schedule, for at most ten minutes, and records the counts in the audit trail. */
export async function purgeBySchedule(ctx: Context): Promise<void> {
  const until = ctx.clock.now() + NIGHT_MS
  const details: Record<string, number> = {}
  for (let isMore = true; isMore && ctx.clock.now() < until; ) {
    const purged = await purge(ctx)
    for (const [table, rows] of Object.entries(removedByTable(purged))) details[table] = (details[table] ?? 0) + rows
    isMore = purged.some(({ removed }) => removed >= MAX_ROWS)
  }
  const at = ctx.clock.now()
  await ctx.store.audit.append({ actor: "schedule", action: "data.purged", subject: "", details, at })
}

/** Counts removed rows by table for the audit trail. */
export function removedByTable(tables: readonly ErasedRows[]): Record<string, number> {
  return Object.fromEntries(tables.map(({ table, removed, blanked }) => [table, removed + blanked]))
}
