import { execFileSync, spawnSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest"
import journal from "../../schema/migrations/meta/_journal.json" with { type: "json" }
import { appliedInFile } from "../../scripts/data/data-dir.ts"
import { readRecords } from "../../scripts/update/installation.ts"
import { nodeImage } from "../support/container/image.ts"
import { packLater } from "../support/container/later-release.ts"
import { unpackRelease } from "../support/container/release-once.ts"
import firstRelease from "../support/inputs/first-release.json" with { type: "json" }
import { FIRST_RELEASE as FIRST, writeFirstRelease } from "../support/stack/first-release.ts"

// An installed release as docs/self-hosting.md makes it, updated by root without a network.

const OWNER = 990
const PEPPER = firstRelease.secrets.keyPepper
/** Runs a command in a folder of the root, without a network. */
const RUN = `
ip link set lo up
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
root=$1 cwd=$2
shift 2
exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$cwd" "$@"`

const folder = mkdtempSync(join(tmpdir(), "mailverdict-installed-"))
const at = (...path: string[]) => join(folder, "root", ...path)
const dataDir = at("var/lib/mailverdict")
const current = () => readlinkSync(at("opt/mailverdict/current"))

function run(cwd: string, ...command: string[]) {
  const args = ["--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", RUN, "sh", at(), cwd, ...command]
  const env = { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" }
  const { status, stdout, stderr } = spawnSync("unshare", args, { env, encoding: "utf8", timeout: 120_000 })
  return { status, text: stdout + stderr }
}
const update = (...args: string[]) => run("/opt/mailverdict/current", "npm", "run", "-s", "update", "--", ...args)

let [later, broken] = ["", ""]
beforeAll(async () => {
  nodeImage(at())
  execFileSync("chroot", [at(), "useradd", "--uid", String(OWNER), "--system", "mailverdict"])
  unpackRelease(inject("releaseArchive"), join(folder, "first"))
  await writeFirstRelease(join(folder, "data"))
  mkdirSync(at("etc/mailverdict"))
  writeFileSync(at("etc/mailverdict/pepper"), `${PEPPER}\n`)
  writeFileSync(at("etc/mailverdict/mailverdict.env"), "KEY_PEPPER_FILE=/etc/mailverdict/pepper\n")
  execFileSync("chown", ["-R", `root:${OWNER}`, at("etc/mailverdict")])
  execFileSync("chmod", ["-R", "u=rwX,g=rX,o=", at("etc/mailverdict")])
  const pack = (version: string, sql: string) =>
    packLater(join(folder, "first"), { version, sql, into: at("root") }).slice(at().length)
  later = pack("9.1.0", "CREATE TABLE later_things (id text PRIMARY KEY NOT NULL);")
  broken = pack("9.2.0", "ALTER TABLE missing ADD more text;")
}, 300_000)
beforeEach(() => {
  for (const path of ["opt/mailverdict", "var/lib/mailverdict"]) rmSync(at(path), { recursive: true, force: true })
  cpSync(join(folder, "first"), at(`opt/mailverdict/releases/${FIRST}`), { recursive: true })
  symlinkSync(`releases/${FIRST}`, at("opt/mailverdict/current"))
  cpSync(join(folder, "data"), dataDir, { recursive: true })
  execFileSync("chown", ["-R", `${OWNER}:${OWNER}`, dataDir])
})
afterAll(() => void execFileSync("rm", ["-rf", folder]), 120_000)

test("a release is updated and rolled back by root, and the data stays the service's own", () => {
  const there = update("--from", later)
  expect(there).toEqual({ status: 0, text: expect.stringContaining("Go back: npm run update -- --rollback") })
  expect(current()).toBe("releases/9.1.0")
  expect(appliedInFile(join(dataDir, "mailverdict.db"))).toHaveLength(journal.entries.length + 1)
  const { backup } = readRecords(dataDir)[0]!
  expect(readFileSync(join(at(backup!), "secrets.env"), "utf8")).toBe(`KEY_PEPPER='${PEPPER}'\n`)
  expect(update("--rollback")).toEqual({ status: 0, text: expect.stringContaining("Went back from 9.1.0") })
  expect(current()).toBe(`releases/${FIRST}`)
  const names = readdirSync(dataDir, { recursive: true }) as string[]
  expect(names.filter((name) => statSync(join(dataDir, name)).uid !== OWNER)).toEqual([])
}, 240_000)

test("a release whose migration fails is not used, and a damaged one is left by the former one's command", () => {
  const failed = update("--from", broken)
  expect(failed).toEqual({ status: 1, text: expect.stringContaining("no such table: missing") })
  expect(current()).toBe(`releases/${FIRST}`)
  expect(update("--from", later).status).toBe(0)
  for (const name of ["scripts", "node_modules"]) rmSync(at("opt/mailverdict/current", name), { recursive: true })
  writeFileSync(join(dataDir, "mailverdict.db"), "damaged")
  const back = run(`/opt/mailverdict/releases/${FIRST}`, "npm", "run", "-s", "update", "--", "--rollback", "--restore")
  expect(back).toEqual({ status: 0, text: expect.stringContaining("Went back from 9.1.0") })
  expect(current()).toBe(`releases/${FIRST}`)
  expect(appliedInFile(join(dataDir, "mailverdict.db"))).not.toEqual([])
}, 240_000)

test("a rollback needs no space on the disk of the data", () => {
  const data = mkdtempSync(join(folder, "copy-"))
  execFileSync("cp", ["-aT", dataDir, data])
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", dataDir])
  try {
    execFileSync("cp", ["-aT", data, dataDir])
    expect(update("--from", later).status).toBe(0)
    spawnSync("dd", ["if=/dev/zero", `of=${join(dataDir, "fill")}`, "bs=4k"])
    expect(update("--rollback")).toEqual({ status: 0, text: expect.stringContaining("Went back from 9.1.0") })
    expect(current()).toBe(`releases/${FIRST}`)
  } finally {
    execFileSync("umount", [dataDir])
  }
}, 240_000)
