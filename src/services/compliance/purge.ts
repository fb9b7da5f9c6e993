import type { ErasedRows } from "../../adapters/store/erasure.ts"
import type { Deps } from "../../deps.ts"

/** Rows that one go removes at most, of a table when it purges. */
export const MOST_ROWS = 100_000
/** A schedule may run for a quarter of an hour; what is left then is the next night's. */
const NIGHT_MS = 10 * 60_000

/** Removes what is past the retention policy (schema/tables/retention.ts), in one go; what is left, the next one takes. */
export function purge({ erasure, clock }: Pick<Deps, "erasure" | "clock">): Promise<ErasedRows[]> {
  return erasure.purge(clock.now(), MOST_ROWS)
}

/** The same on the schedule until nothing is left, written down in the audit trail. */
export async function purgeBySchedule(needs: Pick<Deps, "erasure" | "clock" | "audit">): Promise<void> {
  const until = needs.clock.now() + NIGHT_MS
  const details: Record<string, number> = {}
  for (let isMore = true; isMore && needs.clock.now() < until; ) {
    const purged = await purge(needs)
    for (const [table, rows] of Object.entries(removedByTable(purged))) details[table] = (details[table] ?? 0) + rows
    isMore = purged.some(({ removed }) => removed >= MOST_ROWS)
  }
  const at = needs.clock.now()
  await needs.audit.append({ actor: "schedule", action: "data.purged", subject: "", details, at })
}

/** What stands about removed rows in the audit trail. */
export function removedByTable(tables: readonly ErasedRows[]): Record<string, number> {
  return Object.fromEntries(tables.map(({ table, removed, blanked }) => [table, removed + blanked]))
}
