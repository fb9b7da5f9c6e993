import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { openDataDir } from "../../../scripts/data/data-dir.ts"
import { localSecrets } from "../../../scripts/data/data-files.ts"
import { modesIn } from "../../support/deps/file-modes.ts"

let folder: string
let dataDir: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mailverdict-data-"))
  dataDir = join(folder, "data")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Opens the folder. @returns its notices, with DIR for the folder's name */
async function open(): Promise<string[]> {
  const lines: string[] = []
  await openDataDir(dataDir, {
    usesDatabase: true,
    onNotice: (line) => lines.push(line.replaceAll(dataDir, "DIR")),
  })
  return lines
}

const DATABASE_FILES = ["mailverdict.db", "mailverdict.db-shm", "mailverdict.db-wal"]

test("a new folder is closed to other users, without a notice", async () => {
  expect(await open()).toEqual([])
  expect(modesIn(dataDir)).toEqual({ ".": "700", "secrets.json": "600" })
})

test("an existing folder and its files are closed to other users, with a notice at the first start", async () => {
  mkdirSync(join(dataDir, "workerd"), { recursive: true })
  await localSecrets(dataDir)
  for (const name of [...DATABASE_FILES, "in-use.lock"]) writeFileSync(join(dataDir, name), "")
  for (const name of [".", "workerd"]) chmodSync(join(dataDir, name), 0o755)
  for (const name of [...DATABASE_FILES, "in-use.lock", "secrets.json"]) chmodSync(join(dataDir, name), 0o664)
  const lines = await open()
  expect(modesIn(dataDir)).toEqual({
    ".": "700",
    "in-use.lock": "600",
    "mailverdict.db": "600",
    "mailverdict.db-shm": "600",
    "mailverdict.db-wal": "600",
    "secrets.json": "600",
    workerd: "700",
  })
  expect(lines).toHaveLength(7)
  expect(lines).toContain("DIR/mailverdict.db was open to other users: mode 664, now 600")
  expect(lines).toContain("DIR was open to other users: mode 755, now 700")
  expect(await open()).toEqual([])
})

test("a folder with foreign files stays open; the service's own files are closed", async () => {
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  for (const name of ["mailverdict.db", "photo.jpg"]) writeFileSync(join(dataDir, name), "")
  for (const name of ["mailverdict.db", "photo.jpg"]) chmodSync(join(dataDir, name), 0o644)
  expect(await open()).toEqual([
    "DIR/mailverdict.db was open to other users: mode 644, now 600",
    "DIR is open to other users (mode 755) as it also holds photo.jpg: use a separate folder",
  ])
  expect(modesIn(dataDir)).toMatchObject({ ".": "755", "mailverdict.db": "600", "photo.jpg": "644" })
})
