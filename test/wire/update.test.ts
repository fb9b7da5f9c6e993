import { execFileSync, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { appliedInFile } from "../../scripts/data/older-database.ts"
import { readRecords, type UpdateRecord } from "../../scripts/update/records.ts"
import { writeFirstRelease } from "../support/stack/first-release.ts"
import { missingLines, stepsOf } from "../support/stack/guide-steps.ts"
import { InstalledClone, writeProject } from "../support/stack/installed-clone.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-update-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROJECT = fileURLToPath(new URL("../..", import.meta.url))
const UPDATE = join(PROJECT, "scripts/update/main.ts")
const FIRST = { version: "1.0.0", tag: "v1.0.0" }
const SECOND = {
  ...{ version: "1.1.0", tag: "v1.1.0" },
  migration: {
    tag: "0101_second",
    sql: "ALTER TABLE results ADD later text;\n--> statement-breakpoint\nCREATE INDEX later ON results (later);",
  },
}
const BAD_MIGRATION = {
  ...{ version: "1.2.0", tag: "bad-migration" },
  migration: {
    tag: "0102_bad",
    sql: "ALTER TABLE results ADD more text;\n--> statement-breakpoint\nALTER TABLE missing ADD more text;",
  },
}
const BAD_BUILD = { version: "1.2.0", tag: "bad-build", build: "node -e 'process.exit(3)'" }

let dataDir: string
/** Runs `npm run update` in a folder. @returns its exit code and all that it printed */
function update(cwd: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: folder, DATA_DIR: dataDir }
  const { status, stdout, stderr } = spawnSync(process.execPath, [UPDATE, ...args], { cwd, env, encoding: "utf8" })
  return { status, text: stdout + stderr }
}

const file = () => join(dataDir, "mailverdict.db")
/** Runs a statement in a process of its own: libsql keeps a file open in its process until the garbage collector runs. */
function query(sql: string): unknown[] {
  const script = `const { default: Database } = await import("libsql")
    console.log(JSON.stringify(new Database(process.argv[1]).prepare(process.argv[2]).all()))`
  const args = ["--input-type=module", "-e", script, file(), sql]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: PROJECT, encoding: "utf8" })) as unknown[]
}
const states = () => readRecords(dataDir).map(({ kind, state }: UpdateRecord) => `${kind} ${state}`)
const keys = () => query("SELECT name FROM api_keys").length

const firstData = join(folder, "first-data")
beforeAll(() => writeFirstRelease(firstData))
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, "data-"))
  cpSync(firstData, dataDir, { recursive: true })
})

describe("a git clone", () => {
  let clone: InstalledClone
  beforeAll(async () => {
    clone = await InstalledClone.create(mkdtempSync(join(folder, "git-")), FIRST)
    for (const version of [SECOND, BAD_MIGRATION, BAD_BUILD]) await clone.publish(version)
  })
  beforeEach(async () => {
    await clone.git("checkout", "--quiet", "--force", "--detach", "v1.0.0")
    writeFileSync(join(clone.root, ".env"), "# settings\n")
  })
  const head = () => clone.git("describe", "--tags", "--exact-match")

  test("--check shows what would change, and changes nothing", async () => {
    const { status, text } = update(clone.root, "--check")
    expect(text).toMatch(/^From {4}1\.0\.0 \(\w{12}\)\nTo {6}1\.1\.0 \(v1\.1\.0, \w{12}\)\n/)
    expect(text).toContain("Changes:\n  1.1.0\n  - **News**: of 1.1.0.\n")
    expect(text).toContain("Migrations: 1, less than a second\n  0101_second: results (7 rows, each is read)\n")
    expect(text).toMatch(/^Backup: of [12] MB at most, [\d,]+ MB are free$/m)
    expect(text).toMatch(/^Service: stopped$/m)
    const [step] = stepsOf("self-hosting.md").filter(({ commands }) => commands.includes("update -- --check"))
    expect(missingLines(step!, text)).toEqual([])
    expect({ status, head: await head(), records: states() }).toEqual({ status: 0, head: "v1.0.0", records: [] })
  })

  test("goes to the newest release and back, with a backup each time, and keeps settings and data", async () => {
    const before = appliedInFile(file())
    const there = update(clone.root)
    expect(there).toMatchObject({ status: 0, text: expect.stringMatching(/^Updated from 1\.0\.0 .* to 1\.1\.0 /m) })
    expect(await head()).toBe("v1.1.0")
    expect(appliedInFile(file())).toHaveLength(before.length + 1)
    expect(update(clone.root)).toMatchObject({ status: 0, text: expect.stringMatching(/^Nothing to update: 1\.1\.0 /) })
    query("UPDATE results SET later = 'x' WHERE address = 'bob@mailbox.test' RETURNING 1")

    const back = update(clone.root, "--rollback")
    expect(back).toMatchObject({ status: 0, text: expect.stringMatching(/^Went back from 1\.1\.0 .* to 1\.0\.0 /m) })
    expect(await head()).toBe("v1.0.0")
    expect(query("SELECT later FROM results WHERE address = 'bob@mailbox.test'")).toEqual([{ later: "x" }])
    expect(states()).toEqual(["update rolled_back", "rollback done"])
    for (const { backup } of readRecords(dataDir)) expect(existsSync(join(backup!, "mailverdict.db"))).toBe(true)
    expect(readFileSync(join(clone.root, ".env"), "utf8")).toBe("# settings\n")
    const again = update(clone.root, "--rollback")
    expect(again).toMatchObject({ status: 1, text: expect.stringContaining("records no update to take back") })
  })

  test("--rollback --restore brings the branch and the data of before the update back", async () => {
    await clone.git("checkout", "--quiet", "-B", "main", "v1.0.0")
    expect(update(clone.root, "--to", "v1.1.0").status).toBe(0)
    expect(readRecords(dataDir)).toMatchObject([{ from: { ref: "main" }, to: { ref: "v1.1.0", version: "1.1.0" } }])
    // A process that ends without closing the file leaves a write-ahead file, as the service may.
    const killed = `const { default: Database } = await import("libsql")
      new Database(process.argv[1]).exec("DELETE FROM api_keys")
      process.kill(process.pid, "SIGKILL")`
    spawnSync(process.execPath, ["--input-type=module", "-e", killed, file()], { cwd: PROJECT })
    expect(existsSync(`${file()}-wal`)).toBe(true)
    expect(update(clone.root, "--rollback", "--restore")).toMatchObject({ status: 0 })
    expect({ branch: await clone.git("branch", "--show-current"), keys: keys() }).toEqual({ branch: "main", keys: 2 })
    const { backup } = readRecords(dataDir).at(-1)!
    expect(backup).toMatch(/before-rollback-to-1\.0\.0/)
  })

  test.each([
    ["migration", BAD_MIGRATION.tag, "no such table: missing"],
    ["build", BAD_BUILD.tag, "`npm run -s build` failed (exit code 3)"],
  ])("a failing %s ends with the former version and an unchanged database", async (_, tag, reason) => {
    const before = appliedInFile(file())
    const { status, text } = update(clone.root, "--to", tag)
    expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining(reason) })
    expect(text).toMatch(/^Back at 1\.0\.0 \(\w{12}\).* The backup is in \S+before-update-to-1\.2\.0/m)
    expect({ head: await head(), states: states() }).toEqual({ head: "v1.0.0", states: ["update failed"] })
    expect(appliedInFile(file())).toEqual(before)
    expect(query("SELECT name FROM pragma_table_info('results') WHERE name = 'more'")).toEqual([])
  })

  test("changed files are refused, but for wrangler.toml, which is kept", async () => {
    writeFileSync(join(clone.root, "CHANGELOG.md"), "mine")
    const refused = update(clone.root)
    expect(refused).toMatchObject({ status: 1, text: expect.stringContaining("Files are changed here: CHANGELOG.md.") })
    expect({ head: await head(), states: states() }).toEqual({ head: "v1.0.0", states: [] })
    await clone.git("checkout", "--quiet", "CHANGELOG.md")
    writeFileSync(join(clone.root, "wrangler.toml"), "# mine\n")
    expect(update(clone.root).status).toBe(0)
    expect(readFileSync(join(clone.root, "wrangler.toml"), "utf8")).toBe("# mine\n")
  })

  test("an interrupted update is first taken back", async () => {
    expect(update(clone.root).status).toBe(0)
    const records = readFileSync(join(dataDir, "updates.json"), "utf8")
    writeFileSync(join(dataDir, "updates.json"), records.replace('"done"', '"started"'))
    const refused = update(clone.root)
    expect(refused).toMatchObject({ status: 1, text: expect.stringMatching(/was interrupted.*-- --rollback/) })
    expect(update(clone.root, "--rollback").status).toBe(0)
    expect({ head: await head(), states: states() }).toEqual({
      head: "v1.0.0",
      states: ["update rolled_back", "rollback done"],
    })
  })

  test("a running service is named with the command that stops it, and one on another machine may go on", async () => {
    const run = (host: string) =>
      query(`UPDATE installation SET edge_id = 'e', edge_run = 'r', edge_host = '${host}',
        edge_until = unixepoch() * 1000 + 3600000 RETURNING 1`)
    run(hostname())
    expect(update(clone.root, "--check").text).toMatch(/^Service: runs here. Stop it before the update: /m)
    for (const args of [[], ["--rollback"]]) {
      if (args.length > 0) {
        run("another-host")
        expect(update(clone.root).status).toBe(0)
        run(hostname())
      }
      const { status, text } = update(clone.root, ...args)
      expect({ status, text }).toEqual({ status: 1, text: expect.stringMatching(/Stop it first: .*If it has crashed/) })
    }
  })

  test("without a database there is nothing to back up or to migrate", async () => {
    dataDir = mkdtempSync(join(folder, "empty-"))
    expect(update(clone.root, "--check").text).toContain("Migrations: all, because there is no database yet")
    expect(update(clone.root).status).toBe(0)
    expect(readRecords(dataDir)).toMatchObject([{ state: "done", backup: null }])
  })

  test.each([
    [["--nope"], 2, "Unknown option '--nope'"],
    [["--restore"], 2, "--restore needs --rollback"],
    [["--rollback", "--to", "main"], 2, "--rollback takes no other option"],
    [["--to", "nothing"], 1, "--to: origin has no tag, branch or commit nothing"],
    [["--to", "--upload-pack=x"], 2, "--to"],
    [["--from", "x.tar.gz"], 1, "--from is for an installed release"],
    [["--help"], 0, "npm run update -- --rollback"],
  ])("%j", (args, status, text) => {
    expect(update(clone.root, ...args)).toEqual({ status, text: expect.stringContaining(text) })
  })
})

describe("an installed release", () => {
  let installed: string
  let archive: string
  const link = () => join(installed, "current")

  function writeRelease(root: string, { version, ...rest }: typeof FIRST) {
    writeProject(root, { version, ...rest })
    writeFileSync(
      join(root, "release.json"),
      JSON.stringify({ version, commit: version.replaceAll(".", "").padEnd(40, "0"), migrations: [] }),
    )
  }

  beforeEach(() => {
    installed = mkdtempSync(join(folder, "opt-"))
    mkdirSync(join(installed, "releases"))
    writeRelease(join(installed, "releases/1.0.0"), FIRST)
    symlinkSync("releases/1.0.0", link())
    const packed = mkdtempSync(join(folder, "packed-"))
    writeRelease(join(packed, "mailverdict-1.1.0"), SECOND)
    archive = join(packed, "mailverdict-1.1.0-linux-x64.tar.gz")
    const tar = (...args: string[]) => spawnSync("tar", args, { cwd: packed })
    tar("-czf", archive, "mailverdict-1.1.0")
    writeFileSync(
      `${archive}.sha256`,
      spawnSync("sha256sum", ["mailverdict-1.1.0-linux-x64.tar.gz"], { cwd: packed }).stdout,
    )
  })

  test("is checked, updated from an archive, and rolled back by its link", () => {
    const { status, text } = update(link(), "--check", "--from", archive)
    expect({ status, text }).toEqual({ status: 0, text: expect.stringMatching(/^To {6}1\.1\.0 \(110{10}\)$/m) })
    expect(text).toContain("0101_second: results (7 rows, each is read)")
    expect(update(link(), "--from", archive)).toMatchObject({
      status: 0,
      text: expect.stringContaining("unpacking to"),
    })
    expect(readlinkSync(link())).toBe("releases/1.1.0")
    expect(query("SELECT name FROM pragma_table_info('results') WHERE name = 'later'")).toHaveLength(1)
    expect(update(link(), "--from", archive).text).toMatch(/^Nothing to update: 1\.1\.0/)
    expect(update(link(), "--rollback").status).toBe(0)
    expect(readlinkSync(link())).toBe("releases/1.0.0")
    expect(states()).toEqual(["update rolled_back", "rollback done"])
  })

  test("keeps its link after a failing migration", () => {
    query("CREATE INDEX later ON results (domain)")
    const { status, text } = update(link(), "--from", archive)
    expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining("index later already exists") })
    expect(text).toContain("Back at 1.0.0")
    expect(readlinkSync(link())).toBe("releases/1.0.0")
  })

  test.each([
    ["no archive", () => [], "Name the archive: npm run update -- --from"],
    ["a missing one", () => ["--from", "none.tar.gz"], "--from: there is no file"],
    [
      "a damaged one",
      () => {
        writeFileSync(archive, "x")
        return ["--from", archive]
      },
      "sha256sum",
    ],
    ["a tag", () => ["--to", "v1.1.0"], "--to is for a git clone"],
  ])("%s is refused", (_, args, text) => {
    expect(update(link(), ...args())).toEqual({ status: 1, text: expect.stringContaining(text) })
  })

  test("a release that is not in use is refused", () => {
    expect(update(link(), "--from", archive).status).toBe(0)
    const { status, text } = update(join(installed, "releases/1.0.0"), "--from", archive)
    expect({ status, text }).toEqual({
      status: 1,
      text: expect.stringContaining("releases/1.1.0 is: run `cd "),
    })
  })
})

test("a folder that is no installation is refused", () => {
  expect(update(folder)).toEqual({
    status: 1,
    text: expect.stringContaining("is neither a git clone nor an installed release"),
  })
})
