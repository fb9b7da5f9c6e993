import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { backUp } from "../../scripts/data/backup.ts"
import { migrate } from "../../scripts/data/migrate.ts"
import { restore } from "../../scripts/data/restore.ts"
import { createErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { parseAddress, type ValidAddress } from "../../src/domain/address/parse.ts"
import { addressTerms } from "../../src/domain/compliance/data-subject.ts"
import { filesIn } from "../support/deps/stored-bytes.ts"
import { startSqld } from "../support/sqld/sqld.ts"
import { DIGESTS, insertPersonRows } from "../support/stack/planted-person.ts"

const ERASED = "alice.smith"
const STAYS = "robert.jones"
const folder = mkdtempSync(join(tmpdir(), "mailverdict-sqld-erasure-"))
const settings = { KEY_PEPPER: "the pepper of the erasure, of 32 letters" }

/** How often a text is in the files of a folder, in any letter case. */
const copiesOf = (text: string, at: string) =>
  filesIn(at).reduce((sum, file) => sum + readFileSync(file, "latin1").toLowerCase().split(text).length - 1, 0)

beforeAll(async () => {
  const sqld = await startSqld({ folder: join(folder, "before") })
  await migrate(sqld)
  const database = openDatabase(sqld)
  for (const name of [ERASED, STAYS]) await insertPersonRows(database, { email: `${name}@one.test`, account: "acc_1" })
  const terms = await addressTerms(DIGESTS, parseAddress(`${ERASED}@one.test`) as ValidAddress)
  await createErasureStore(database).erase({ by: "address", terms, accountId: null })
  await backUp(
    { dataDir: folder, settings: { ...settings, LIBSQL_URL: sqld.url, LIBSQL_AUTH_TOKEN: sqld.authToken } },
    join(folder, "backup"),
  )
  await sqld.stop()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("sqld keeps erased bytes in its files; a restored database has none", async () => {
  const sqld = await startSqld({ folder: join(folder, "after") })
  await restore(join(folder, "backup"), {
    dataDir: join(folder, "data"),
    settings: { ...settings, LIBSQL_URL: sqld.url, LIBSQL_AUTH_TOKEN: sqld.authToken },
  })
  await sqld.stop()
  expect(copiesOf(ERASED, join(folder, "before"))).toBeGreaterThan(0)
  for (const place of ["backup", "after"]) {
    expect([place, copiesOf(ERASED, join(folder, place))]).toEqual([place, 0])
    expect(copiesOf(STAYS, join(folder, place))).toBeGreaterThan(0)
  }
})
