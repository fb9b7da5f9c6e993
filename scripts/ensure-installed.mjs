// Makes `npm start` and `npm test` work alone on a fresh clone: installs when node_modules is missing or older than
// the lockfile. Plain JavaScript, because it must run on the machine's own Node before the pinned one is there.
import { spawnSync } from "node:child_process"
import { lstatSync, statSync } from "node:fs"

const root = new URL("../", import.meta.url)
const changedAt = (name) => statSync(new URL(name, root), { throwIfNoEntry: false })?.mtimeMs ?? 0
// By a link they are another folder's, as in a worktree: `npm ci` would empty that one.
const areOurs = !lstatSync(new URL("node_modules", root), { throwIfNoEntry: false })?.isSymbolicLink()

if (areOurs && changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  console.error("Installing dependencies (package-lock.json is newer than node_modules) ...")
  const { status } = spawnSync("npm", ["ci"], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
}
