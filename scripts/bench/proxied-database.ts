import { join } from "node:path"
import { DATABASE } from "../data/backup-set.ts"
import { startChild } from "../dev/child.ts"
import type { ProxySettings, Trip } from "./database-proxy.ts"

/** The database of `npm start` behind a proxy that delays and records its calls. Each is a process of its own. */
export interface ProxiedDatabase {
  readonly url: string
  readonly authToken: string
  readonly file: string
  /** The process of the database. */
  readonly pid: number
  set(settings: ProxySettings): Promise<void>
  /** The trips since the last call, in the order of their arrival. */
  recordedTrips(): Promise<Trip[]>
  stop(): Promise<void>
}

/** @param folder of the database alone: a service locks the folder of its data */
export async function startProxiedDatabase(folder: string): Promise<ProxiedDatabase> {
  const authToken = "bench"
  const onLine = (line: string) => console.error(line)
  const database = await startChild("database", "scripts/libsql-server/main.ts", {
    env: { DATA_DIR: folder, LIBSQL_PORT: "0", LIBSQL_AUTH_TOKEN: authToken },
    onLine,
  })
  const proxy = await startChild("proxy", "scripts/bench/database-proxy.ts", {
    env: { DATABASE_URL: /http:\S+\d/.exec(database.readyLine)![0] },
    onLine,
  })
  const control = `${proxy.readyLine}/proxy`
  return {
    url: proxy.readyLine,
    authToken,
    file: join(folder, DATABASE),
    pid: database.pid,
    async set(settings) {
      await fetch(control, { method: "PUT", body: JSON.stringify(settings) })
    },
    recordedTrips: async () => (await (await fetch(control)).json()) as Trip[],
    async stop() {
      await Promise.all([proxy.stop(), database.stop()])
    },
  }
}
