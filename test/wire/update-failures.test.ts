import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { appliedInFile, isInUse } from "../../scripts/data/data-dir.ts"
import { run } from "../../scripts/update/installation.ts"
import firstRelease from "../support/inputs/first-release.json" with { type: "json" }
import { startServer } from "../support/stack/first-release.ts"
import { InstalledClone, type PublishedVersion } from "../support/stack/installed-clone.ts"
import { FIRST, SECOND, Updates } from "../support/stack/updates.ts"

/** Its build runs until a signal ends it. */
const SLOW_BUILD = `node -e "fs.writeFileSync(process.env.DATA_DIR + '/building', ''); net.createServer().listen(0)"`
/** It succeeds beside the former version, and fails in its place. */
const PLACE_BUILD = "test ! -e .cache-only-here && mkdir -p dist && echo 1.2.0 > dist/built-from"
const BAD = {
  migration: {
    ...{ version: "1.2.0", tag: "bad-migration" },
    migration: {
      tag: "0102_bad",
      sql: "ALTER TABLE results ADD more text;\n--> statement-breakpoint\nALTER TABLE missing ADD more text;",
    },
  },
  build: { version: "1.2.0", tag: "bad-build", build: "node -e 'process.exit(3)'" },
  packages: { version: "1.2.0", tag: "bad-packages", needs: "missing" },
  place: { version: "1.2.0", tag: "bad-place", needs: "folder", build: PLACE_BUILD },
  update: { version: "1.2.0", tag: "bad-update", update: "sh -c 'exit 5'" },
  slow: { version: "1.2.0", tag: "slow-build", build: SLOW_BUILD },
} satisfies Record<string, PublishedVersion>

const { secrets } = firstRelease
const updates = new Updates()
let clone: InstalledClone
beforeAll(async () => {
  await updates.prepare()
  clone = await InstalledClone.create(mkdtempSync(join(updates.folder, "git-")), FIRST)
  for (const version of [SECOND, ...Object.values(BAD)]) await clone.publish(version)
})
beforeEach(async () => {
  updates.renew()
  await clone.git("checkout", "--quiet", "--force", "--detach", "v1.0.0")
  rmSync(join(clone.root, ".env"), { force: true })
  for (const file of INSTALLED) {
    mkdirSync(join(clone.root, file, ".."), { recursive: true })
    writeFileSync(join(clone.root, file), "1.0.0")
  }
})
afterAll(() => updates.remove())

/** What an installation has beside the files of git. */
const INSTALLED = [
  "node_modules/.package-lock.json",
  "node_modules/one/index.js",
  "dist/built-from",
  "dist/release/a.gz",
]
/** @returns what the next start uses */
async function inUse() {
  return {
    head: await clone.git("describe", "--tags", "--exact-match"),
    files: INSTALLED.filter((file) => existsSync(join(clone.root, file))),
    changed: await clone.git("status", "--short"),
    worktrees: (await clone.git("worktree", "list")).split("\n").length,
  }
}
const AS_BEFORE = { head: "v1.0.0", files: INSTALLED, changed: "", worktrees: 1 }

test.each([
  ["migration", BAD.migration.tag, "no such table: missing"],
  ["build", BAD.build.tag, "`npm run -s build` failed (exit code 3)"],
  ["installation of packages", BAD.packages.tag, "`npm ci --no-audit --no-fund --prefer-offline` failed"],
  ["command to update", BAD.update.tag, "`npm run -s update -- --help` failed (exit code 5)"],
])("a failing %s leaves the former version as it was: code, packages, build and database", async (_, tag, reason) => {
  const before = appliedInFile(updates.file)
  const { status, text } = updates.run(clone.root, "--to", tag)
  expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining(reason) })
  expect(text).toMatch(/^1\.0\.0 \(\w{12}\) is still in use\. .* The backup is in \S+Z-before-update-to-1\.2\.0\.$/m)
  expect(await inUse()).toEqual(AS_BEFORE)
  expect(updates.states()).toEqual(["update failed"])
  expect(appliedInFile(updates.file)).toEqual(before)
  expect(updates.query("SELECT name FROM pragma_table_info('results') WHERE name = 'more'")).toEqual([])
})

test("packages and build are exchanged at the end, and go back when the new version fails in that place", async () => {
  const content = (file: string) => readFileSync(join(clone.root, file), "utf8").trim()
  writeFileSync(join(clone.root, "wrangler.toml"), "# mine\n")
  writeFileSync(join(clone.root, ".cache-only-here"), "")
  const { status, text } = updates.run(clone.root, "--to", BAD.place.tag)
  expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining("`npm run -s build` failed") })
  expect(await inUse()).toEqual({ ...AS_BEFORE, changed: " M wrangler.toml" })
  expect({ build: content("dist/built-from"), settings: content("wrangler.toml") }).toEqual({
    ...{ build: "1.0.0", settings: "# mine" },
  })
  rmSync(join(clone.root, ".cache-only-here"))
  expect(updates.run(clone.root, "--to", BAD.place.tag).status).toBe(0)
  expect(content("dist/built-from")).toBe("1.2.0")
  expect(existsSync(join(clone.root, "node_modules/added/package.json"))).toBe(true)
  expect((await inUse()).files).toEqual(["node_modules/.package-lock.json", "dist/built-from", "dist/release/a.gz"])
})

test.each([["SIGINT"], ["SIGHUP"]] as const)(
  "%s, also a second one, leaves the former version as it was",
  async (signal) => {
    const child = updates.start(clone.root, "--to", BAD.slow.tag)
    const ended = once(child, "close")
    await expect.poll(() => existsSync(join(updates.dataDir, "building"))).toBe(true)
    expect(isInUse(updates.dataDir)).toBe(true)
    // The terminal is gone.
    child.stdout!.destroy()
    child.stderr!.destroy()
    for (const _again of ["first", "second"]) process.kill(-child.pid!, signal)
    expect(await ended).toEqual([1, null])
    expect(await inUse()).toEqual(AS_BEFORE)
    expect(updates.states()).toEqual(["update failed"])
    expect(isInUse(updates.dataDir)).toBe(false)
  },
  60_000,
)

test("a command that Ctrl+C must not end starts again when a signal meets its start", async () => {
  const first = join(updates.dataDir, "first-start")
  const script = `test -e ${first} && echo done || { touch ${first}; kill -HUP $$; }`
  expect(await run("sh", ["-c", script], { cwd: clone.root, isUninterrupted: true })).toBe("done")
  rmSync(first)
  await expect(run("sh", ["-c", script], { cwd: clone.root })).rejects.toThrow("was ended by SIGHUP")
  const every = run("sh", ["-c", "kill -HUP $$"], { cwd: clone.root, isUninterrupted: true })
  await expect(every).rejects.toThrow("was ended by SIGHUP")
})

test("secrets in files, also at a relative path, reach the commands of the service and no others", () => {
  writeFileSync(join(clone.root, ".cache-pepper"), `${secrets.keyPepper}\n`)
  writeFileSync(join(updates.dataDir, "admin"), "admin-in-a-file\n")
  const lines = ["KEY_PEPPER_FILE=.cache-pepper", `ADMIN_SECRET_FILE=${updates.dataDir}/admin`]
  writeFileSync(join(clone.root, ".env"), lines.join("\n"))
  // The build of this version ends with an error when a secret reaches it.
  const { status, text } = updates.run(clone.root, "--to", SECOND.tag)
  expect({ status, text }).toEqual({ status: 0, text: expect.stringContaining("Updated from 1.0.0") })
  const backup = /The backup is in (\S+)\. /.exec(text)![1]!
  expect(readFileSync(join(backup, "secrets.env"), "utf8")).toContain(secrets.keyPepper)
  const back = updates.run(clone.root, "--rollback", "--restore")
  expect(back).toEqual({ status: 0, text: expect.stringContaining("Went back from 1.1.0") })
  rmSync(join(clone.root, ".cache-pepper"))
})

describe("a damaged database", () => {
  beforeEach(() => {
    expect(updates.run(clone.root, "--to", SECOND.tag).status).toBe(0)
    writeFileSync(updates.file, "no database any more")
  })

  test("prevents an update, and not the way back", async () => {
    expect(updates.run(clone.root, "--to", BAD.slow.tag).text).toContain("cannot read the database")
    const { status, text } = updates.run(clone.root, "--rollback")
    expect({ status, text }).toEqual({ status: 0, text: expect.stringContaining("going back without that backup: ") })
    expect(await clone.git("describe", "--tags", "--exact-match")).toBe("v1.0.0")
    expect(updates.states()).toEqual(["update rolled_back", "rollback done"])
  })

  test("is set aside by --rollback --restore", () => {
    const { status, text } = updates.run(clone.root, "--rollback", "--restore")
    expect({ status, text }).toEqual({ status: 0, text: expect.stringContaining("Went back from 1.1.0") })
    expect(updates.query("SELECT name FROM api_keys")).toHaveLength(2)
  })
})

test("a service that uses the data folder prevents update and rollback, whatever the host is named", async () => {
  expect(updates.run(clone.root, "--to", SECOND.tag).status).toBe(0)
  const server = await startServer(updates.dataDir)
  try {
    expect(updates.run(clone.root, "--check", "--to", BAD.slow.tag).text).toMatch(/^Service: runs here\. Stop it /m)
    for (const args of [["--to", BAD.slow.tag], ["--rollback"]]) {
      const { status, text } = updates.run(clone.root, ...args)
      expect({ status, text }).toEqual({ status: 1, text: expect.stringMatching(/ uses .*\. Stop it first: /) })
    }
  } finally {
    await server.stop()
  }
  expect(updates.run(clone.root, "--rollback").status).toBe(0)
})
