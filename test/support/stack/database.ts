import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrate } from "../../../scripts/data/migrate.ts"
import { type Clock, systemClock } from "../../../src/adapters/platform.ts"
import { type DatabaseOptions, openDatabase } from "../../../src/adapters/store/database.ts"
import { startDatabaseServer } from "./database-server.ts"

/** A call may take ten times as long as in the service, where it fails after 3 s: a busy machine is no outage. */
const PATIENT: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => systemClock.sleep(ms > 1_000 ? 10 * ms : ms, signal),
}

/** A new migrated database behind the real server, for tests of stores. */
export async function startDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-db-"))
  const server = await startDatabaseServer(folder)
  await migrate(server)
  return {
    folder,
    open: (options?: DatabaseOptions) => openDatabase(server, { clock: PATIENT, ...options }),
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
