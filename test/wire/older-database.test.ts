import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createClient } from "@libsql/client/web"
import Database from "libsql"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { MIGRATIONS } from "../../schema/migration-times.ts"
import { backUp } from "../../scripts/data/backup.ts"
import { openDataDir } from "../../scripts/data/data-dir.ts"
import { migrate } from "../../scripts/data/migrate.ts"
import { restore } from "../../scripts/data/restore.ts"
import { type LibsqlServer, startLibsqlServer } from "../../scripts/libsql-server/main.ts"
import { writeOlderDatabase } from "../support/stack/older-database.ts"

const DATABASE = "mailverdict.db"
const OLDER = "was created by an older version of Mailverdict. This version cannot update it and changed nothing."

let folder: string
let server: LibsqlServer | null = null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailverdict-older-"))
})
afterEach(async () => {
  await server?.stop()
  server = null
  rmSync(folder, { recursive: true, force: true })
})

/** Makes a folder with an older database that other users can read. */
function olderFolder(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  writeOlderDatabase(join(path, DATABASE))
  chmodSync(join(path, DATABASE), 0o644)
  return path
}

/** Returns a digest, the mode and the neighbors of a database file. */
function stateOf(dataDir: string) {
  const file = join(dataDir, DATABASE)
  return {
    names: readdirSync(dataDir),
    mode: statSync(file).mode,
    digest: createHash("sha256").update(readFileSync(file)).digest("hex"),
  }
}

/** Runs a script with an empty environment in an empty folder, so that no .env counts. */
function run(script: string, env: Record<string, string>) {
  const path = fileURLToPath(new URL(`../../scripts/${script}`, import.meta.url))
  return spawnSync(process.execPath, [path], { cwd: folder, env: { PATH: process.env.PATH, ...env }, encoding: "utf8" })
}

/** Serves a database file. @returns its URL and a function that reads its schema and migrations */
async function serve(file: string, authToken?: string) {
  server = await startLibsqlServer({ file, port: 0, authToken })
  const client = createClient({ url: server.url, ...(authToken ? { authToken } : {}) })
  const read = async () =>
    Promise.all(
      ["SELECT sql FROM sqlite_master", "SELECT * FROM __drizzle_migrations", "SELECT * FROM accounts"].map(
        async (query) => (await client.execute(query)).rows,
      ),
    )
  return { url: server.url, read }
}

describe("an older database", () => {
  test("npm start refuses the data folder, starts nothing and changes nothing", () => {
    const dataDir = olderFolder("data")
    const before = stateOf(dataDir)
    const { status, stdout, stderr } = run("dev/start.ts", { DATA_DIR: dataDir, PORT: "0" })
    expect(stderr).toBe(
      `Cannot start. DATA_DIR: ${join(dataDir, DATABASE)} ${OLDER} ` +
        "Set DATA_DIR to a new folder, or export the data with the version that created it.\n",
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stateOf(dataDir)).toEqual(before)
  })

  test("a data folder after a crash is refused by what the write-ahead file holds", async () => {
    const dataDir = join(folder, "data")
    const copy = join(folder, "crashed")
    mkdirSync(dataDir)
    writeOlderDatabase(join(dataDir, DATABASE), [])
    const open = new Database(join(dataDir, DATABASE))
    open.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('h', 1)")
    cpSync(dataDir, copy, { recursive: true })
    open.close()
    expect(readdirSync(copy)).toContain(`${DATABASE}-wal`)
    const refused = openDataDir(copy, { usesDatabase: true, onNotice: () => undefined })
    await expect(refused).rejects.toThrow(`DATA_DIR: ${join(copy, DATABASE)} ${OLDER}`)
  })

  test("a data folder whose database is not in use may hold it", async () => {
    const dataDir = olderFolder("data")
    await openDataDir(dataDir, { usesDatabase: false, onNotice: () => undefined })
    expect(readdirSync(dataDir)).toContain("secrets.json")
  })

  test("npm run migrate refuses the server, names it without the token and changes nothing", async () => {
    const { url, read } = await serve(join(olderFolder("remote"), DATABASE), "secret-token")
    const before = await read()
    const refused = migrate({ url: `${url}?authToken=secret-token` })
    await expect(refused).rejects.toThrow(
      new Error(
        `LIBSQL_URL: the database at ${url} ${OLDER} ` +
          "Set LIBSQL_URL to a new database, or export the data with the version that created it.",
      ),
    )
    expect(await read()).toEqual(before)
  })

  test("npm run restore refuses the backup and changes nothing", async () => {
    const dataDir = olderFolder("data")
    const backup = join(folder, "backup")
    await backUp({ dataDir: olderFolder("other"), settings: {} }, backup)
    const before = [stateOf(backup), stateOf(dataDir)]
    await expect(restore(backup, { dataDir, settings: {} })).rejects.toThrow(
      new Error(
        `${join(backup, DATABASE)} ${OLDER} ` +
          "Restore a backup of this version, or use the version that created this one.",
      ),
    )
    expect([stateOf(backup), stateOf(dataDir)]).toEqual(before)
    await expect(restore(backup, { dataDir: join(folder, "new"), settings: {} })).rejects.toThrow(OLDER)
    expect(readdirSync(folder)).toEqual(["backup", "data", "other"])
  })
})

test("a data folder whose database is damaged is refused by the file's name", async () => {
  const dataDir = olderFolder("data")
  const file = join(dataDir, DATABASE)
  writeFileSync(file, "no database".repeat(100))
  const refused = openDataDir(dataDir, { usesDatabase: true, onNotice: () => undefined })
  await expect(refused).rejects.toThrow(`DATA_DIR: ${file} cannot be read: `)
})

test.each([
  ["no migration yet", []],
  ["the initial migration", MIGRATIONS],
  ["a later migration too", [...MIGRATIONS, MIGRATIONS.at(-1)! + 1]],
])("a database with %s is accepted", async (_, applied) => {
  const dataDir = join(folder, "data")
  mkdirSync(dataDir)
  writeOlderDatabase(join(dataDir, DATABASE), applied)
  await openDataDir(dataDir, { usesDatabase: true, onNotice: () => undefined })
  await restore(dataDir, { dataDir: join(folder, "restored"), settings: {} })
  if (applied.length === 0) return
  const { url, read } = await serve(join(dataDir, DATABASE))
  const before = await read()
  await migrate({ url })
  expect(await read()).toEqual(before)
})
