import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "libsql"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { backUp, backUpTo } from "../../scripts/data/backup.ts"
import { stampOf } from "../../scripts/data/backup-set.ts"
import { type S3Server, startS3 } from "../support/providers/s3-server.ts"
import * as installed from "../support/stack/installation-folder.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-backup-installations-"))
const START = Date.parse("2026-11-01T03:00:00.000Z")
const day = (count: number) => START + count * 86_400_000
const PEPPERS = ["a pepper of at least 32 characters, 1", "a pepper of at least 32 characters, 2"] as const
const IN_USE = { KEY_PEPPER: PEPPERS[0] }

let s3: S3Server
const staging = join(folder, "staging")
/** Its pepper is set, so the generated one is not in use. */
const production = join(folder, "production")

beforeAll(async () => {
  chmodSync(folder, 0o755)
  s3 = await startS3()
  await installed.writeInstallation(staging, "staging")
  await installed.writeInstallation(production, "production", PEPPERS[0])
})
afterAll(async () => {
  await s3.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe("the pepper in use", () => {
  test.each<[what: string, settings: Record<string, string>, problem: RegExp | null]>([
    ["is set", IN_USE, null],
    ["is the previous one", { KEY_PEPPER: PEPPERS[1], KEY_PEPPER_PREVIOUS: PEPPERS[0] }, null],
    [
      "is a credential of the service's unit alone",
      {},
      /is not the one of the database: .* mailverdict-backup\.service/,
    ],
    ["is another one", { KEY_PEPPER: PEPPERS[1] }, /is not the one of the database/],
  ])("%s", async (what, settings, problem) => {
    const target = join(folder, what)
    const made = backUp({ dataDir: production, settings }, target)
    if (problem) await expect(made).rejects.toThrow(problem)
    else await made
    expect(readdirSync(folder).filter((name) => name.startsWith(what))).toEqual(problem ? [] : [what])
  })

  test("of a database whose secrets.json is lost is unknown", async () => {
    const dataDir = join(folder, "lost")
    await installed.writeInstallation(dataDir, "lost")
    rmSync(join(dataDir, "secrets.json"))
    await expect(backUp({ dataDir, settings: {} }, join(folder, "useless"))).rejects.toThrow(/KEY_PEPPER is not set/)
  })
})

describe.each(["folder", "s3"])("two installations with one place (%s)", (kind) => {
  const to = kind === "s3" ? "s3://backups/shared" : join(folder, "shared")
  const settings = () => ({ ...s3.settings, ...IN_USE })
  const names = () =>
    kind === "s3" ? [...new Set([...s3.objects.keys()].map((key) => key.split("/")[2]!))] : readdirSync(to)

  test("the second one is refused before it removes backups, also after a change of the pepper", async () => {
    if (kind === "folder") mkdirSync(to)
    const own = { dataDir: production, settings: settings() }
    for (const count of [0, 1]) await backUpTo(own, { to, keep: 2, now: day(count) })
    const expected = [stampOf(day(0)), stampOf(day(1)), "installation"].toSorted()
    const other = { dataDir: staging, settings: s3.settings }
    await expect(backUpTo(other, { to, keep: 2, now: day(2) })).rejects.toThrow(
      /shared\/installation is of another installation, .*: name a place of its own/,
    )
    expect(names().toSorted()).toEqual(expected)

    const changed = { KEY_PEPPER: PEPPERS[1], KEY_PEPPER_PREVIOUS: PEPPERS[0] }
    await backUpTo({ ...own, settings: { ...settings(), ...changed } }, { to, keep: 2, now: day(3) })
    await expect(backUpTo(own, { to, keep: 2, now: day(4) })).rejects.toThrow(/is of another installation/)
    expect(names().toSorted()).toEqual([stampOf(day(1)), stampOf(day(3)), "installation"].toSorted())
  })

  test("without retention, nothing is removed, so both may write there", async () => {
    const before = names()
    await backUpTo({ dataDir: staging, settings: s3.settings }, { to, keep: null, now: day(5) })
    expect(names().toSorted()).toEqual([...before, stampOf(day(5))].toSorted())
  })
})

test("a closed folder of another user stops neither the backup nor the retention", async () => {
  const to = join(folder, "mount")
  const dataDir = join(folder, "closed")
  await installed.writeInstallation(dataDir, "closed")
  mkdirSync(to)
  const closed = ["lost+found", stampOf(day(-2))]
  for (const name of [...closed, stampOf(day(-1))]) mkdirSync(join(to, name))
  writeFileSync(join(to, stampOf(day(-1)), "mailverdict.db"), "")
  for (const path of [to, dataDir]) installed.giveToService(path)
  for (const name of closed) chmodSync(join(to, name), 0)
  const env = { DATA_DIR: dataDir }
  const made = await installed.runData(["backup", "--to", to, "--keep", "1"], { cwd: folder, env, asService: true })
  expect(made).toMatchObject({ ok: true, out: expect.stringContaining("Removed 1 older backup.") })
  expect(readdirSync(to)).toEqual(expect.arrayContaining([...closed, "installation"]))
  expect(readdirSync(to)).toHaveLength(4)
  for (const name of closed) chmodSync(join(to, name), 0o700)
})

test("a backup that fails leaves no half of it", async () => {
  const dataDir = join(folder, "damaged")
  await installed.writeInstallation(dataDir, "damaged")
  const file = join(dataDir, "mailverdict.db")
  const database = new Database(file)
  for (let count = 0; count < 50; count++) database.prepare("INSERT INTO notes VALUES (?)").run("x".repeat(2_000))
  database.close()
  const handle = await open(file, "r+")
  await handle.write(Buffer.alloc(4_096, 7), 0, 4_096, Math.floor(statSync(file).size / 8_192) * 4_096)
  await handle.close()
  await expect(backUpTo({ dataDir, settings: {} }, { to: null, keep: null, now: START })).rejects.toThrow(/malformed/)
  expect(readdirSync(join(dataDir, "backups"))).toEqual([])
})
