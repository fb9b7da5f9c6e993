import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"

const SCRIPT = fileURLToPath(new URL("../../scripts/dev/ensure-installed.mjs", import.meta.url))
const root = mkdtempSync(join(tmpdir(), "mailverdict-installed-"))
afterAll(() => rmSync(root, { recursive: true }))

/** The commands of a fake npm in a folder of the repository with these modules. */
function installedWith(name: string, modules: (folder: string) => void): string {
  const folder = join(root, name)
  const npm = join(folder, "bin/npm")
  for (const part of ["bin", "scripts"]) mkdirSync(join(folder, part), { recursive: true })
  writeFileSync(npm, '#!/bin/sh\necho "npm $*"\n')
  chmodSync(npm, 0o755)
  cpSync(SCRIPT, join(folder, "scripts/dev/ensure-installed.mjs"))
  modules(folder)
  writeFileSync(join(folder, "package-lock.json"), "{}")
  const env = { PATH: `${join(folder, "bin")}:/usr/bin:/bin` }
  return spawnSync(process.execPath, [join(folder, "scripts/dev/ensure-installed.mjs")], { env, encoding: "utf8" })
    .stdout
}

function install(folder: string): void {
  const lockfile = join(folder, "node_modules/.package-lock.json")
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  writeFileSync(lockfile, "{}")
  utimesSync(lockfile, 0, 0)
}

test("missing or old modules are installed", () => {
  expect(installedWith("missing", () => undefined)).toBe("npm ci\n")
  expect(installedWith("old", install)).toBe("npm ci\n")
})

test("modules linked from another folder are not installed again", () => {
  install(join(root, "other"))
  const linked = (folder: string) => symlinkSync(join(root, "other/node_modules"), join(folder, "node_modules"))
  expect(installedWith("linked", linked)).toBe("")
})
