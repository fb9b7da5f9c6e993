import journal from "./migrations/meta/_journal.json" with { type: "json" }

/** The times of the migrations in schema/migrations, in milliseconds, oldest first. A database records them. */
export const MIGRATIONS: readonly number[] = journal.entries.map(({ when }) => when)
