// Lets `npm start`, `npm test` and `npm run check` run on a fresh clone: installs packages when node_modules is missing or
// older than the lockfile, and generates the client's types when they are missing or older than their sources.
// Plain JavaScript: it runs on the machine's own Node, before the pinned Node is installed.
import { spawnSync } from "node:child_process"
import { existsSync, lstatSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = new URL("../../", import.meta.url)
const changedAt = (name) => statSync(new URL(name, root), { throwIfNoEntry: false })?.mtimeMs ?? 0
// A linked node_modules belongs to another folder, as in a git worktree: `npm ci` would empty it.
const isOwn = !lstatSync(new URL("node_modules", root), { throwIfNoEntry: false })?.isSymbolicLink()

if (isOwn && changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  const reason = changedAt("node_modules") === 0 ? "takes about a minute" : "package-lock.json has changed"
  console.error(`Installing dependencies (${reason}) ...`)
  const { status } = spawnSync("npm", ["ci"], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
}

const pinnedNode = fileURLToPath(new URL("node_modules/node/bin/node", root))
const generate = fileURLToPath(new URL("scripts/build/ensure-operations.ts", root))
if (!process.exitCode && existsSync(pinnedNode) && existsSync(generate)) {
  const { status } = spawnSync(pinnedNode, [generate], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
}
