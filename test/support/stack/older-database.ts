import Database from "libsql"

/**
 * Writes a small database as an older version left it: one table, and the record of a migration that this version
 * does not have.
 * @param applied the times of its migrations; the default is the first migration of the version before 0000_initial
 */
export function writeOlderDatabase(file: string, applied: readonly number[] = [1_795_246_851_840]): void {
  const database = new Database(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE accounts (account_id TEXT PRIMARY KEY NOT NULL);
    INSERT INTO accounts VALUES ('acc_1');
    CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)`)
  for (const at of applied) database.exec(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('h', ${at})`)
  database.close()
}
