import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"

/** Makes `target` equal to `fresh`, one file at a time: a running service always finds every file. */
export function replaceChanged(fresh: string, target: string): void {
  const files = filesIn(fresh)
  for (const file of files) {
    const path = join(target, file)
    mkdirSync(dirname(path), { recursive: true })
    if (!isSame(join(fresh, file), path)) renameSync(join(fresh, file), path)
  }
  for (const file of filesIn(target)) if (!files.includes(file)) rmSync(join(target, file))
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
}

function isSame(one: string, other: string): boolean {
  return existsSync(other) && readFileSync(one).equals(readFileSync(other))
}
