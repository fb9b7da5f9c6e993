import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"

const PROJECT = fileURLToPath(new URL("../..", import.meta.url))
/** Two packages for this system, and one for another. */
const LOCKED = {
  "": {},
  "node_modules/a": {},
  "node_modules/b": { os: ["linux"] },
  "node_modules/c": { os: ["win32"] },
}
const root = mkdtempSync(join(tmpdir(), "mailverdict-installed-"))
afterAll(() => rmSync(root, { recursive: true }))

/** The commands of a fake npm in a folder of the repository with these modules. */
function installedWith(name: string, modules: (folder: string) => void) {
  const folder = join(root, name)
  const npm = join(folder, "bin/npm")
  for (const part of ["bin", "scripts"]) mkdirSync(join(folder, part), { recursive: true })
  writeFileSync(npm, '#!/bin/sh\necho "npm $*"\n')
  chmodSync(npm, 0o755)
  for (const path of ["scripts/dev/ensure-installed.mjs", "scripts/self-hosting/node-version.cjs", "package.json"])
    cpSync(join(PROJECT, path), join(folder, path))
  modules(folder)
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: LOCKED }))
  const env = { PATH: `${join(folder, "bin")}:/usr/bin:/bin` }
  const script = join(folder, "scripts/dev/ensure-installed.mjs")
  const { stdout, stderr } = spawnSync(process.execPath, [script], { env, encoding: "utf8" })
  return { out: stdout, err: stderr }
}

function install(folder: string): void {
  const lockfile = join(folder, "node_modules/.package-lock.json")
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  writeFileSync(lockfile, "{}")
  utimesSync(lockfile, 0, 0)
}

test("missing or old modules are installed", () => {
  const missing = installedWith("missing", () => undefined)
  expect(missing.out).toBe("npm ci\n")
  expect(missing.err).toMatch(/^Installing up to 2 packages, about a minute \.\.\.\nInstalled in \d+ s\.\n$/)
  const old = installedWith("old", install)
  expect(old.out).toBe("npm ci\n")
  expect(old.err).toContain("Installing up to 2 packages, about a minute, because package-lock.json has changed ...")
})

test("modules linked from another folder are not installed again", () => {
  install(join(root, "other"))
  const linked = (folder: string) => symlinkSync(join(root, "other/node_modules"), join(folder, "node_modules"))
  expect(installedWith("linked", linked)).toEqual({ out: "", err: "" })
})
