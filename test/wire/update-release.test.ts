import { spawnSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { MIGRATIONS } from "../../schema/migration-times.ts"
import { type PublishedVersion, writeProject } from "../support/stack/installed-clone.ts"
import { FIRST, SECOND, Updates } from "../support/stack/updates.ts"

const updates = new Updates()
beforeAll(() => updates.prepare())
beforeEach(() => updates.renew())
afterAll(() => updates.remove())

describe("an installed release", () => {
  let installed: string
  let archive: string
  const link = () => join(installed, "current")

  function writeRelease(root: string, published: PublishedVersion, arch: string = process.arch) {
    writeProject(root, published)
    const { version } = published
    const commit = version.replaceAll(".", "").padEnd(40, "0")
    writeFileSync(join(root, "release.json"), JSON.stringify({ version, commit, arch, migrations: [] }))
  }

  /** Packs an archive with its digest. @returns its path */
  function pack(top: string, published: PublishedVersion, arch?: string): string {
    const packed = mkdtempSync(join(updates.folder, "packed-"))
    writeRelease(join(packed, top), published, arch)
    const name = `mailverdict-${published.version}-linux-x64.tar.gz`
    spawnSync("tar", ["-czf", name, "--", top], { cwd: packed })
    const { stdout } = spawnSync("sha256sum", [name], { cwd: packed })
    writeFileSync(join(packed, `${name}.sha256`), stdout)
    return join(packed, name)
  }

  beforeEach(() => {
    installed = mkdtempSync(join(updates.folder, "opt-"))
    mkdirSync(join(installed, "releases"))
    writeRelease(join(installed, "releases/1.0.0"), FIRST)
    symlinkSync("releases/1.0.0", link())
    archive = pack("mailverdict-1.1.0", SECOND)
  })

  test("is checked, updated from an archive, and rolled back by its link", () => {
    const { status, text } = updates.run(link(), "--check", "--from", archive)
    expect({ status, text }).toEqual({ status: 0, text: expect.stringMatching(/^To {6}1\.1\.0 \(110{10}\)$/m) })
    expect(text).toContain("0101_second: results (7 rows, each is read)")
    expect(updates.run(link(), "--from", archive)).toMatchObject({
      status: 0,
      text: expect.stringContaining("unpacking to"),
    })
    expect(readlinkSync(link())).toBe("releases/1.1.0")
    expect(updates.query("SELECT name FROM pragma_table_info('results') WHERE name = 'later'")).toHaveLength(1)
    expect(updates.run(link(), "--from", archive).text).toMatch(/^Nothing to update: 1\.1\.0/)
    expect(updates.run(link(), "--rollback").status).toBe(0)
    expect(readlinkSync(link())).toBe("releases/1.0.0")
    expect(updates.states()).toEqual(["update rolled_back", "rollback done"])
  })

  test("keeps its link after a failing migration", () => {
    updates.query("CREATE INDEX later ON results (domain)")
    const { status, text } = updates.run(link(), "--from", archive)
    expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining("index later already exists") })
    expect(text).toContain("1.0.0 (100000000000) is still in use.")
    expect(readlinkSync(link())).toBe("releases/1.0.0")
  })

  test.each([
    ["update", { ...SECOND, update: "sh -c 'exit 5'" }, "`npm run -s update -- --help` failed (exit code 5)"],
    ["migrate", { ...FIRST, version: "1.1.0", migrate: "node -e 'process.exit(6)'" }, "migrate` failed (exit code 6)"],
  ])("is not activated when its command %s cannot run", (_, published, reason) => {
    // No migration is due.
    updates.query(
      `INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', ${MIGRATIONS.at(-1)! + 1}) RETURNING 1`,
    )
    const { status, text } = updates.run(link(), "--from", pack("mailverdict-1.1.0", published))
    expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining(reason) })
    expect(readlinkSync(link())).toBe("releases/1.0.0")
  })

  test("goes back by the commands of the former release when the one in use is damaged", () => {
    expect(updates.run(link(), "--from", archive).status).toBe(0)
    for (const name of ["package.json", "release.json"]) writeFileSync(join(link(), name), "")
    const { status, text } = updates.run(join(installed, "releases/1.0.0"), "--rollback")
    expect({ status, text }).toEqual({ status: 0, text: expect.stringContaining("Went back from 1.1.0") })
    expect(readlinkSync(link())).toBe("releases/1.0.0")
    mkdirSync(join(installed, "releases/.unpacking-killed"))
    expect(updates.run(link(), "--from", archive).status).toBe(0)
    expect(readFileSync(join(link(), "package.json"), "utf8")).not.toBe("")
    expect(readdirSync(join(installed, "releases")).toSorted()).toEqual(["1.0.0", "1.1.0"])
  })

  test("says when an archive has no digest to check", () => {
    rmSync(`${archive}.sha256`)
    expect(updates.run(link(), "--check", "--from", archive)).toEqual({
      status: 0,
      text: expect.stringContaining(`- unchecked, because ${archive}.sha256 does not exist\n`),
    })
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
    ["one for another processor", () => ["--from", pack("mailverdict-1.1.0", SECOND, "s390x")], "is for s390x"],
    [
      "one whose folder is an option of tar",
      () => ["--from", pack("--to-command=touch tar-option", SECOND)],
      "is not a release: it needs one folder",
    ],
    ["a tag", () => ["--to", "v1.1.0"], "--to is for a git clone"],
  ])("%s is refused", (_, args, text) => {
    expect(updates.run(link(), ...args())).toEqual({ status: 1, text: expect.stringContaining(text) })
  })

  test("a release that is not in use is refused", () => {
    expect(updates.run(link(), "--from", archive).status).toBe(0)
    const { status, text } = updates.run(join(installed, "releases/1.0.0"), "--from", archive)
    expect({ status, text }).toEqual({
      status: 1,
      text: expect.stringContaining("releases/1.1.0 is: run `cd "),
    })
  })
})
