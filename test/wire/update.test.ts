import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { appliedInFile } from "../../scripts/data/data-dir.ts"
import { readRecords } from "../../scripts/update/installation.ts"
import { missingLines, stepsOf } from "../support/stack/guide-steps.ts"
import { InstalledClone } from "../support/stack/installed-clone.ts"
import { FIRST, SECOND, Updates } from "../support/stack/updates.ts"

const PROJECT = fileURLToPath(new URL("../..", import.meta.url))
const updates = new Updates()
beforeAll(() => updates.prepare())
beforeEach(() => updates.renew())
afterAll(() => updates.remove())

const keys = () => updates.query("SELECT name FROM api_keys").length

describe("a git clone", () => {
  let clone: InstalledClone
  beforeAll(async () => {
    clone = await InstalledClone.create(mkdtempSync(join(updates.folder, "git-")), FIRST)
    await clone.publish(SECOND)
  })
  beforeEach(async () => {
    await clone.git("checkout", "--quiet", "--force", "--detach", "v1.0.0")
    writeFileSync(join(clone.root, ".env"), "# settings\n")
  })
  const head = () => clone.git("describe", "--tags", "--exact-match")

  test("--check shows what would change, and changes nothing", async () => {
    const { status, text } = updates.run(clone.root, "--check")
    expect(text).toMatch(/^From {4}1\.0\.0 \(\w{12}\)\nTo {6}1\.1\.0 \(v1\.1\.0, \w{12}\)\n/)
    expect(text).toContain("Changes:\n  1.1.0\n  - **News**: of 1.1.0.\n")
    expect(text).toContain("Migrations: 1, less than a second\n  0101_second: results (7 rows, each is read)\n")
    expect(text).toMatch(/^Backup: of [12] MB at most, [\d,]+ MB are free$/m)
    expect(text).toMatch(/^Service: stopped$/m)
    const pages = readdirSync(join(PROJECT, "docs")).filter((name) => name.endsWith(".md"))
    const steps = pages.flatMap((name) => stepsOf(join("docs", name)))
    const step = steps.find(({ commands }) => commands.some((line) => line.endsWith("update -- --check")))
    expect(missingLines(step!, text)).toEqual([])
    expect({ status, head: await head(), records: updates.states() }).toEqual({
      status: 0,
      head: "v1.0.0",
      records: [],
    })
  })

  test("goes to the newest release and back, with a backup each time, and keeps settings and data", async () => {
    const before = appliedInFile(updates.file)
    const there = updates.run(clone.root)
    expect(there).toMatchObject({ status: 0, text: expect.stringMatching(/^Updated from 1\.0\.0 .* to 1\.1\.0 /m) })
    expect(await head()).toBe("v1.1.0")
    expect(appliedInFile(updates.file)).toHaveLength(before.length + 1)
    expect(updates.run(clone.root)).toMatchObject({
      status: 0,
      text: expect.stringMatching(/^Nothing to update: 1\.1\.0 /),
    })
    updates.query("UPDATE results SET later = 'x' WHERE address = 'bob@mailbox.test' RETURNING 1")

    const back = updates.run(clone.root, "--rollback")
    expect(back).toMatchObject({ status: 0, text: expect.stringMatching(/^Went back from 1\.1\.0 .* to 1\.0\.0 /m) })
    expect(await head()).toBe("v1.0.0")
    expect(updates.query("SELECT later FROM results WHERE address = 'bob@mailbox.test'")).toEqual([{ later: "x" }])
    expect(updates.states()).toEqual(["update rolled_back", "rollback done"])
    for (const { backup } of readRecords(updates.dataDir))
      expect(existsSync(join(backup!, "mailverdict.db"))).toBe(true)
    expect(readFileSync(join(clone.root, ".env"), "utf8")).toBe("# settings\n")
    const again = updates.run(clone.root, "--rollback")
    expect(again).toMatchObject({ status: 1, text: expect.stringContaining("records no update to take back") })
  })

  test("--rollback --restore brings the branch and the data of before the update back", async () => {
    await clone.git("checkout", "--quiet", "-B", "main", "v1.0.0")
    expect(updates.run(clone.root, "--to", "v1.1.0").status).toBe(0)
    expect(readRecords(updates.dataDir)).toMatchObject([
      { from: { ref: "main" }, to: { ref: "v1.1.0", version: "1.1.0" } },
    ])
    // A process that ends without closing the file leaves a write-ahead file, as the service may.
    const killed = `const { default: Database } = await import("libsql")
      new Database(process.argv[1]).exec("DELETE FROM api_keys")
      process.kill(process.pid, "SIGKILL")`
    spawnSync(process.execPath, ["--input-type=module", "-e", killed, updates.file], { cwd: PROJECT })
    expect(existsSync(`${updates.file}-wal`)).toBe(true)
    expect(updates.run(clone.root, "--rollback", "--restore")).toMatchObject({ status: 0 })
    expect({ branch: await clone.git("branch", "--show-current"), keys: keys() }).toEqual({ branch: "main", keys: 2 })
    const { backup } = readRecords(updates.dataDir).at(-1)!
    expect(backup).toMatch(/before-rollback-to-1\.0\.0/)
  })

  test("changed files are refused, but for wrangler.toml, which is kept", async () => {
    writeFileSync(join(clone.root, "CHANGELOG.md"), "mine")
    const refused = updates.run(clone.root)
    expect(refused).toMatchObject({ status: 1, text: expect.stringContaining("Files are changed here: CHANGELOG.md.") })
    expect({ head: await head(), states: updates.states() }).toEqual({ head: "v1.0.0", states: [] })
    await clone.git("checkout", "--quiet", "CHANGELOG.md")
    writeFileSync(join(clone.root, "wrangler.toml"), "# mine\n")
    expect(updates.run(clone.root).status).toBe(0)
    expect(readFileSync(join(clone.root, "wrangler.toml"), "utf8")).toBe("# mine\n")
  })

  test("an interrupted update is first taken back", async () => {
    expect(updates.run(clone.root).status).toBe(0)
    const records = readFileSync(join(updates.dataDir, "updates.json"), "utf8")
    writeFileSync(join(updates.dataDir, "updates.json"), records.replace('"done"', '"started"'))
    const refused = updates.run(clone.root)
    expect(refused).toMatchObject({ status: 1, text: expect.stringMatching(/was interrupted.*-- --rollback/) })
    expect(updates.run(clone.root, "--rollback").status).toBe(0)
    expect({ head: await head(), states: updates.states() }).toEqual({
      head: "v1.0.0",
      states: ["update rolled_back", "rollback done"],
    })
  })

  test("without a database there is nothing to back up or to migrate", async () => {
    updates.dataDir = mkdtempSync(join(updates.folder, "empty-"))
    expect(updates.run(clone.root, "--check").text).toContain("Migrations: all, because there is no database yet")
    expect(updates.run(clone.root).status).toBe(0)
    expect(readRecords(updates.dataDir)).toMatchObject([{ state: "done", backup: null }])
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
    expect(updates.run(clone.root, ...args)).toEqual({ status, text: expect.stringContaining(text) })
  })
})

test("npm installs packages before an update only where there are none: the service may run from them", () => {
  const root = mkdtempSync(join(updates.folder, "installed-"))
  mkdirSync(join(root, "node_modules"))
  writeFileSync(join(root, "node_modules/.package-lock.json"), "older than package-lock.json")
  const { status } = spawnSync("/bin/sh", ["-c", manifest.scripts.preupdate], { cwd: root, env: { PATH: "" } })
  expect(status).toBe(0)
})

test("a folder that is no installation is refused", () => {
  expect(updates.run(updates.folder)).toEqual({
    status: 1,
    text: expect.stringContaining("is neither a git clone nor an installed release"),
  })
})
