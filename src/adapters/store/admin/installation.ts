import { sql } from "drizzle-orm"
import { MIGRATIONS } from "../../../../schema/migration-times.ts"
import { installation } from "../../../../schema/tables/admin.ts"
import type { OwnSecrets, RecordedSecrets } from "../../../domain/admin/installation.ts"
import type { Database } from "../database.ts"

/** The row of the installation as it was read. */
export interface InstallationRow extends RecordedSecrets {
  /** Milliseconds since the last heartbeat, by the database's clock. */
  readonly heartbeatAgeMs: number
}

export type InstallationStore = ReturnType<typeof createInstallationStore>

/** The time of the database in Unix milliseconds. Clocks of several machines differ; the database has one. */
export const DATABASE_NOW = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`

const { pepper, signingKey, heartbeatAt } = installation

export function createInstallationStore(database: Database) {
  return {
    /**
     * Reads the row, in one round trip.
     * @returns null when the database lacks a migration of this version
     * @throws AppError unavailable when the database does not answer or refuses the token
     */
    async read(): Promise<InstallationRow | null> {
      try {
        const [applied, [row]] = await database.batch([
          database.select({ at: sql<number>`created_at` }).from(sql`__drizzle_migrations`),
          database
            .select({ pepper, signingKey, heartbeatAgeMs: sql<number>`${DATABASE_NOW} - ${heartbeatAt}` })
            .from(installation),
        ])
        const times = new Set(applied.map(({ at }) => Number(at)))
        return MIGRATIONS.every((when) => times.has(when)) && row ? row : null
      } catch (error) {
        if (lacksTable(error)) return null
        throw error
      }
    },

    /** Records these secrets in a new database, or in one that accepts them. @returns false when others are recorded */
    async record({ peppers, signingKey: key }: OwnSecrets): Promise<boolean> {
      const accepted = JSON.stringify(peppers)
      const rows = await database.all(sql`UPDATE installation SET pepper = ${peppers[0]}, signing_key = ${key}
        WHERE id = 1 AND (pepper IS NULL OR pepper IN (SELECT value FROM json_each(${accepted}))) RETURNING id`)
      return rows.length > 0
    },

    /** Writes the time, to test that the database accepts writes. */
    async beat() {
      await database.run(sql`UPDATE installation SET heartbeat_at = ${DATABASE_NOW} WHERE id = 1`)
    },
  }
}

/** SQLite has no code of its own for a missing table or column. */
function lacksTable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (/no such (table|column)/.test(cause.message)) return true
  return false
}
