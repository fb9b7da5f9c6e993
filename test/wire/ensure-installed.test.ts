import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"

const SCRIPT = fileURLToPath(new URL("../../scripts/ensure-installed.mjs", import.meta.url))
const root = mkdtempSync(join(tmpdir(), "mailverdict-installed-"))
afterAll(() => rmSync(root, { recursive: true }))

/** What is installed in a folder of the repository whose modules are there in some way, by an npm that only says so. */
function installedWith(name: string, modules: (folder: string) => void): string {
  const folder = join(root, name)
  const npm = join(folder, "bin/npm")
  for (const part of ["bin", "scripts"]) mkdirSync(join(folder, part), { recursive: true })
  writeFileSync(npm, '#!/bin/sh\necho "npm $*"\n')
  chmodSync(npm, 0o755)
  cpSync(SCRIPT, join(folder, "scripts/ensure-installed.mjs"))
  modules(folder)
  writeFileSync(join(folder, "package-lock.json"), "{}")
  const env = { PATH: `${join(folder, "bin")}:/usr/bin:/bin` }
  return spawnSync(process.execPath, [join(folder, "scripts/ensure-installed.mjs")], { env, encoding: "utf8" }).stdout
}

function install(folder: string): void {
  const noted = join(folder, "node_modules/.package-lock.json")
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  writeFileSync(noted, "{}")
  utimesSync(noted, 0, 0)
}

test("what is missing or old is installed", () => {
  expect(installedWith("missing", () => undefined)).toBe("npm ci\n")
  expect(installedWith("old", install)).toBe("npm ci\n")
})

test("modules of another folder, by a link, are left to that folder", () => {
  install(join(root, "other"))
  const linked = (folder: string) => symlinkSync(join(root, "other/node_modules"), join(folder, "node_modules"))
  expect(installedWith("linked", linked)).toBe("")
})
