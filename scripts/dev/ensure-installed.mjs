// Lets `npm start` and `npm test` run on a fresh clone: installs packages when node_modules is missing or older than
// the lockfile. Plain JavaScript: it runs on the machine's own Node, before the pinned Node is installed.
import { spawnSync } from "node:child_process"
import { lstatSync, statSync } from "node:fs"

const root = new URL("../../", import.meta.url)
const changedAt = (name) => statSync(new URL(name, root), { throwIfNoEntry: false })?.mtimeMs ?? 0
// A linked node_modules belongs to another folder, as in a git worktree: `npm ci` would empty it.
const isOwn = !lstatSync(new URL("node_modules", root), { throwIfNoEntry: false })?.isSymbolicLink()

if (isOwn && changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  console.error("Installing dependencies (package-lock.json is newer than node_modules) ...")
  const { status } = spawnSync("npm", ["ci"], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
}
