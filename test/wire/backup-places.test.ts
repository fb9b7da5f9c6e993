import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import Database from "libsql"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { backUpTo } from "../../scripts/data/backup.ts"
import { isAbandoned, isComplete, lastBackup, stampOf, surplusOf } from "../../scripts/data/backup-set.ts"
import { localSecrets, storedSecrets } from "../../scripts/data/data-files.ts"
import { openBucket } from "../../scripts/data/s3.ts"
import { type S3Server, startS3 } from "../support/providers/s3-server.ts"

const root = new URL("../../", import.meta.url).pathname
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), "mailverdict-backup-places-"))
const dataDir = join(folder, "data")
const DAY_MS = 86_400_000
const START = Date.parse("2026-11-01T03:00:00.000Z")

let s3: S3Server
beforeAll(async () => {
  mkdirSync(dataDir)
  const database = new Database(join(dataDir, "mailverdict.db"))
  database.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept')")
  database.close()
  await localSecrets(dataDir)
  s3 = await startS3()
})
afterAll(async () => {
  await s3.stop()
  rmSync(folder, { recursive: true, force: true })
})

const place = () => ({ dataDir, settings: s3.settings })
const day = (count: number) => START + count * DAY_MS
const script = (name: string, ...words: string[]) =>
  run(process.execPath, [join(root, "scripts/data", name), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...s3.settings },
  })

describe("the rules of retention", () => {
  const name = stampOf(START)
  test.each<[what: string, name: string, files: string[], expected: boolean]>([
    ["a backup", name, ["mailverdict.db", "secrets.json"], true],
    ["with the operator's secrets", name, ["mailverdict.db", "secrets.env", "secrets.json"], true],
    ["without its database", name, ["secrets.json"], false],
    ["with a file of someone else", name, ["mailverdict.db", "notes.txt"], false],
    ["with a name of someone else", "before-the-move", ["mailverdict.db", "secrets.json"], false],
    ["unfinished", `${name}.unfinished`, ["mailverdict.db"], false],
    ["with a longer name", `${name}-old`, ["mailverdict.db"], false],
  ])("complete: %s", (_, own, files, expected) => {
    expect(isComplete(own, files)).toBe(expected)
  })

  test("the newest stay, and the one just made stays whatever the clock said before", () => {
    const names = [3, 1, 2, 40].map((count) => stampOf(day(count)))
    const own = stampOf(day(4))
    expect(surplusOf([...names, own], { keep: 3, own })).toEqual([stampOf(day(1)), stampOf(day(2))])
    expect(surplusOf([...names, own], { keep: 1, own })).toHaveLength(4)
    expect(surplusOf([...names, own], { keep: 9, own })).toEqual([])
  })

  test.each<[name: string, files: string[], days: number, expected: boolean]>([
    [`${name}.unfinished`, [], 2, true],
    [`${name}.upload`, ["secrets.json"], 2, true],
    [`${name}.upload.unfinished`, [], 0.5, false],
    [`${name}.upload.unfinished`, [], 2, true],
    [`${name}-before-update-to-0.2.0-rc.1.unfinished`, ["mailverdict.db"], 2, true],
    [`${name}-before-update-to-0.2.0`, ["mailverdict.db"], 9, false],
    [name, ["secrets.env", "secrets.json"], 2, true],
    [name, ["secrets.json"], 0.5, false],
    [name, ["mailverdict.db"], 9, false],
    [name, ["notes.txt"], 9, false],
    [name, [], 9, false],
    ["old.unfinished", [], 9, false],
    [`${name}.txt`, [], 9, false],
  ])("of an interrupted backup: %s with %j after %d days: %j", (own, files, days, expected) => {
    expect(isAbandoned(own, files, day(days))).toBe(expected)
  })
})

describe("backups in a folder", () => {
  test("only surplus backups are removed, and nothing else in the folder", async () => {
    const to = join(folder, "disk")
    mkdirSync(to)
    const foreign = stampOf(day(-9))
    mkdirSync(join(to, foreign))
    for (const file of ["mailverdict.db", "mine.txt"]) writeFileSync(join(to, foreign, file), "")
    for (const name of ["photos", `${stampOf(day(-8))}.unfinished`, stampOf(day(-7))]) mkdirSync(join(to, name))
    writeFileSync(join(to, stampOf(day(-6))), "a file")
    for (let count = 0; count < 4; count++) await backUpTo(place(), { to, keep: 2, now: day(count) })
    expect(readdirSync(to).toSorted()).toEqual(
      [foreign, stampOf(day(-7)), stampOf(day(-6)), stampOf(day(2)), stampOf(day(3)), "photos"].toSorted(),
    )
    expect(lastBackup(dataDir)).toEqual({ at: day(3), place: join(to, stampOf(day(3))) })
  })

  test("a backup that fails removes nothing, and a disk that is not mounted gets none", async () => {
    const to = join(folder, "kept")
    mkdirSync(to)
    for (let count = 0; count < 3; count++) await backUpTo(place(), { to, keep: null, now: day(count) })
    const empty = { dataDir: join(folder, "nothing"), settings: {} }
    await expect(backUpTo(empty, { to, keep: 1, now: day(5) })).rejects.toThrow(/no database at/)
    expect(readdirSync(to)).toHaveLength(3)
    const absent = join(folder, "not-mounted")
    await expect(backUpTo(place(), { to: absent, keep: 1, now: day(5) })).rejects.toThrow(
      /does not exist: create .* mount/,
    )
    expect(existsSync(absent)).toBe(false)
  })

  test("by the command", async () => {
    const to = join(folder, "by-command")
    mkdirSync(to)
    const first = await script("backup.ts", "--to", to)
    expect(first.stdout).toMatch(
      /^Backed up to .*by-command\/2\S+Z\. It contains secrets: store it safely\. Restore: npm run/,
    )
    expect((await script("backup.ts", "--to", to, "--keep", "1")).stdout).toContain("Removed 1 older backup.\n")
    expect(readdirSync(to)).toHaveLength(1)
    await expect(script("backup.ts", "--to", to, "--keep", "0")).rejects.toThrow(
      /--keep: write a whole number from 1 on/,
    )
    await expect(script("backup.ts", join(folder, "one"), "--keep", "2")).rejects.toThrow(/neither --to nor --keep/)
    await expect(script("backup.ts", "--to", "s3:/bucket")).rejects.toThrow(/write s3:\/\/bucket\/prefix/)
    await expect(script("restore.ts", to)).rejects.toThrow(/no backup at/)
  })
})

describe("backups at S3", () => {
  const to = "s3://backups.example/mail/verdict"
  const names = () => [...new Set([...s3.objects.keys()].map((key) => key.split("/")[3]))].toSorted()

  test("the newest stay, other objects stay, and an interrupted upload is removed", async () => {
    s3.objects.set("backups.example/mail/verdict/readme.txt", Buffer.from("mine"))
    s3.objects.set(`backups.example/mail/verdict/${stampOf(day(-5))}/secrets.json`, Buffer.from("half a backup"))
    for (let count = 0; count < 4; count++) await backUpTo(place(), { to, keep: 2, now: day(count) })
    expect(names()).toEqual([stampOf(day(2)), stampOf(day(3)), "readme.txt"])
    expect(readdirSync(dataDir).toSorted()).toEqual(["backups", "last-backup.json", "mailverdict.db", "secrets.json"])
    expect(readdirSync(join(dataDir, "backups"))).toEqual([])
    expect(lastBackup(dataDir)?.place).toBe(`${to}/${stampOf(day(3))}`)
  })

  test("a failed upload is an error, removes nothing and leaves nothing here", async () => {
    const before = names()
    const last = lastBackup(dataDir)
    s3.refuse = /^PUT .*mailverdict\.db$/
    const failed = backUpTo(place(), { to, keep: 1, now: day(9) })
    await expect(failed).rejects.toThrow(
      /refuses PUT of .*mailverdict\.db \(403 AccessDenied: Access Denied\): check the bucket/,
    )
    s3.refuse = null
    expect(names().filter((name) => name !== stampOf(day(9)))).toEqual(before)
    expect(readdirSync(join(dataDir, "backups"))).toEqual([])
    expect(lastBackup(dataDir)).toEqual(last)
    const wrong = { dataDir, settings: { ...s3.settings, AWS_SECRET_ACCESS_KEY: "another" } }
    await expect(backUpTo(wrong, { to, keep: 1, now: day(10) })).rejects.toThrow(/403 SignatureDoesNotMatch/)
    const silent = { dataDir, settings: { ...s3.settings, AWS_ENDPOINT_URL: "http://127.0.0.1:1" } }
    await expect(backUpTo(silent, { to, keep: 1, now: day(10) })).rejects.toThrow(
      /s3:\/\/backups\.example does not answer at/,
    )
    await expect(backUpTo({ dataDir, settings: {} }, { to, keep: 1, now: day(10) })).rejects.toThrow(
      /AWS_ACCESS_KEY_ID/,
    )
  })

  test("a backup is restored from there, and a wrong address names those that exist", async () => {
    const target = join(folder, "another-machine")
    const other = (address: string) =>
      run(process.execPath, [join(root, "scripts/data/restore.ts"), address], {
        cwd: folder,
        env: { PATH: process.env.PATH, DATA_DIR: target, ...s3.settings },
      })
    await expect(other(to)).rejects.toThrow(new RegExp(`add one of the names ${stampOf(day(3))}, ${stampOf(day(2))}`))
    const { stdout } = await other(`${to}/${stampOf(day(3))}`)
    expect(stdout).toContain(`Restored ${to}/${stampOf(day(3))} to ${target}.`)
    const database = new Database(join(target, "mailverdict.db"))
    expect(database.prepare("SELECT text FROM notes").all()).toEqual([{ text: "kept" }])
    database.close()
    expect(storedSecrets(target)).toEqual(storedSecrets(dataDir))
    expect(readdirSync(join(target, "backups"))).toEqual([])
  })

  test("a large file goes in parts, and a failed part ends the upload", async () => {
    const file = join(folder, "large")
    const content = Buffer.from(Array.from({ length: 2_500 }, (_, at) => at % 251))
    writeFileSync(file, content)
    const bucket = openBucket("parts", s3.settings)
    await bucket.upload("a b/ü+(1)", file, 1_000)
    expect(s3.objects.get("parts/a b/ü+(1)")).toEqual(content)
    expect(await bucket.list("a b/")).toEqual(["a b/ü+(1)"])
    await bucket.download("a b/ü+(1)", join(folder, "back"))
    expect(readFileSync(join(folder, "back"))).toEqual(content)
    s3.refuse = /^PUT parts\/second/
    await expect(bucket.upload("second", file, 1_000)).rejects.toThrow(/AccessDenied/)
    s3.refuse = null
    expect([s3.openUploads(), s3.objects.has("parts/second")]).toEqual([0, false])
  })
})
