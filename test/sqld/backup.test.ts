import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { createClient } from "@libsql/client/web"
import { afterAll, beforeAll, expect, test } from "vitest"
import { backUp } from "../../scripts/data/backup.ts"
import { migrate } from "../../scripts/data/migrate.ts"
import { restore } from "../../scripts/data/restore.ts"
import { startLibsqlServer } from "../../scripts/libsql-server/main.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { modesIn } from "../support/deps/file-modes.ts"
import { type Sqld, startSqld } from "../support/sqld/sqld.ts"
import { insertPersonRows } from "../support/stack/planted-person.ts"

const PEPPER = "the pepper of the backup, of 32 letters"
/** More than one page of a copy. */
const PAIRS = 700
const folder = mkdtempSync(join(tmpdir(), "mailverdict-sqld-backup-"))
const dataDir = join(folder, "data")
let source: Sqld
let target: Sqld

interface Server {
  readonly url: string
  readonly authToken: string
}

const connect = ({ url, authToken }: Server) => createClient({ url, authToken, intMode: "bigint" })
const settingsOf = ({ url, authToken }: Server, more: Record<string, string> = { KEY_PEPPER: PEPPER }) => ({
  ...{ LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken },
  ...more,
})

/** Every row of every table, and the schema. */
async function contentOf(server: Server): Promise<Record<string, unknown>> {
  const client = connect(server)
  const { rows: objects } = await client.execute(
    "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'libsql%' ORDER BY type, name",
  )
  const content: Record<string, unknown> = { objects: objects.map((row) => ({ ...row })) }
  for (const { type, name } of objects) {
    if (type !== "table") continue
    const { rows } = await client.execute(`SELECT rowid AS "row id", * FROM "${name}" ORDER BY rowid`)
    content[String(name)] = rows.map((row) => ({ ...row }))
  }
  return content
}

beforeAll(async () => {
  source = await startSqld({ folder: join(folder, "source") })
  target = await startSqld({ folder: join(folder, "target") })
  await migrate(source)
  await insertPersonRows(openDatabase(source), { email: "alice@one.test", account: "acc_1" })
  const client = connect(source)
  await client.execute("CREATE TABLE odd (a, b)")
  const values = ["nul \0 and \uFDD0", 2n ** 62n, 0.1, null, new Uint8Array([0, 255]), "😀\r\n'\""]
  await client.batch(
    values.map((value) => ({ sql: "INSERT INTO odd VALUES (?, 'x')", args: [value] })),
    "write",
  )
})
afterAll(async () => {
  await source.stop()
  await target.stop()
  rmSync(folder, { recursive: true, force: true })
})

test("a backup of the database at LIBSQL_URL is restored into an empty one, unchanged", async () => {
  const backup = join(folder, "backup")
  await backUp({ dataDir, settings: settingsOf(source, { KEY_PEPPER: PEPPER, ADMIN_SECRET: "it's" }) }, backup)
  expect(modesIn(backup)).toEqual({ ".": "700", "mailverdict.db": "600", "secrets.env": "600" })
  expect(parseEnv(readFileSync(join(backup, "secrets.env"), "utf8"))).toEqual({
    ...{ KEY_PEPPER: PEPPER, ADMIN_SECRET: "it's" },
  })
  const other = settingsOf(target, { KEY_PEPPER: "another pepper of at least 32 letters" })
  await expect(restore(backup, { dataDir, settings: other })).rejects.toThrow(/copy the lines of .*secrets\.env/)

  await restore(backup, { dataDir, settings: settingsOf(target) })
  await migrate(target)
  expect(await contentOf(target)).toEqual(await contentOf(source))
  await expect(restore(backup, { dataDir, settings: settingsOf(target) })).rejects.toThrow(/not empty/)
})

test("it is restored into the embedded database, too", async () => {
  const backup = join(folder, "for-embedded")
  await backUp({ dataDir, settings: settingsOf(source) }, backup)
  const embedded = join(folder, "embedded")
  await restore(backup, { dataDir: embedded, settings: { KEY_PEPPER: PEPPER } })
  const server = await startLibsqlServer({ file: join(embedded, "mailverdict.db"), authToken: "t" })
  expect(await contentOf({ url: server.url, authToken: "t" })).toEqual(await contentOf(source))
  await server.stop()
})

test("a backup holds one moment: of two rows written together both or none", async () => {
  const client = connect(source)
  await client.execute("CREATE TABLE pair_a (n INTEGER PRIMARY KEY)")
  await client.execute("CREATE TABLE pair_b (n INTEGER PRIMARY KEY)")
  const write = (n: number) =>
    client.batch([`INSERT INTO pair_a VALUES (${n})`, `INSERT INTO pair_b VALUES (${n})`], "write")
  for (let n = 0; n < PAIRS; n++) await write(n)
  let isCopied = false
  const backup = join(folder, "during-writes")
  const copying = backUp({ dataDir, settings: settingsOf(source) }, backup).finally(() => {
    isCopied = true
  })
  for (let n = PAIRS; !isCopied; n++) await write(n)
  await copying
  const server = await startLibsqlServer({ file: join(backup, "mailverdict.db"), authToken: "t" })
  const counts = "SELECT (SELECT count(*) FROM pair_a) AS a, (SELECT count(*) FROM pair_b) AS b"
  const [row] = (await connect({ url: server.url, authToken: "t" }).execute(counts)).rows
  await server.stop()
  expect(Number(row?.a)).toBeGreaterThanOrEqual(PAIRS)
  expect(row?.a).toBe(row?.b)
})

test("a backup without the pepper is refused, and no folder is left", async () => {
  const backup = join(folder, "useless")
  const refused = backUp({ dataDir: join(folder, "no-secrets"), settings: settingsOf(source, {}) }, backup)
  await expect(refused).rejects.toThrow(/KEY_PEPPER is not set/)
  expect([existsSync(backup), existsSync(`${backup}.unfinished`)]).toEqual([false, false])
})
