import type { ErasedRows } from "../../adapters/store/erasure.ts"
import type { Deps } from "../../deps.ts"

/** Rows of a table that one run removes at most; the next run goes on. */
const MOST_ROWS = 100_000

/** Removes what is past the retention policy (schema/tables/retention.ts). */
export function purge({ erasure, clock }: Pick<Deps, "erasure" | "clock">): Promise<ErasedRows[]> {
  return erasure.purge(clock.now(), MOST_ROWS)
}

/** The same on the schedule, written down in the audit trail. */
export async function purgeBySchedule(needs: Pick<Deps, "erasure" | "clock" | "audit">): Promise<void> {
  const purged = await purge(needs)
  await needs.audit.append({
    actor: "schedule",
    action: "data.purged",
    subject: "",
    details: removedByTable(purged),
    at: needs.clock.now(),
  })
}

/** What stands about removed rows in the audit trail. */
export function removedByTable(tables: readonly ErasedRows[]): Record<string, number> {
  return Object.fromEntries(tables.map(({ table, removed, blanked }) => [table, removed + blanked]))
}
