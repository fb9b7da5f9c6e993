import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/** The permissions of a folder and its content as octal digits, by relative path; "." is the folder itself. */
export function modesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
  const modes = [".", ...paths].flatMap((path) => {
    // A running service may remove files meanwhile.
    const stats = statSync(join(folder, path), { throwIfNoEntry: false })
    return stats ? [[path, (stats.mode & 0o777).toString(8)] as const] : []
  })
  return Object.fromEntries(modes)
}
