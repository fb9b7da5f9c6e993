// Lets `npm start`, `npm test` and `npm run check` run on a fresh clone: installs packages when node_modules is missing or
// older than the lockfile, and generates the client's types when they are missing or older than their sources.
// Plain JavaScript: it runs on the machine's own Node, before the pinned Node is installed.
import "../self-hosting/node-version.cjs"
import { spawnSync } from "node:child_process"
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = new URL("../../", import.meta.url)
const changedAt = (name) => statSync(new URL(name, root), { throwIfNoEntry: false })?.mtimeMs ?? 0
// A linked node_modules belongs to another folder, as in a git worktree: `npm ci` would empty it.
const isOwn = !lstatSync(new URL("node_modules", root), { throwIfNoEntry: false })?.isSymbolicLink()

if (isOwn && changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  const reason = changedAt("node_modules") === 0 ? "" : ", because package-lock.json has changed"
  console.error(`Installing up to ${packagesHere()} packages, about a minute${reason} ...`)
  const startedAt = Date.now()
  const { status } = spawnSync("npm", ["ci"], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
  if (status === 0) console.error(`Installed in ${Math.round((Date.now() - startedAt) / 1_000)} s.`)
  else console.error("The packages are not installed: npm says why above. Run the same command again.")
}

const pinnedNode = fileURLToPath(new URL("node_modules/node/bin/node", root))
const generate = fileURLToPath(new URL("scripts/build/ensure-operations.ts", root))
if (!process.exitCode && existsSync(pinnedNode) && existsSync(generate)) {
  const { status } = spawnSync(pinnedNode, [generate], { cwd: root, stdio: "inherit" })
  process.exitCode = status ?? 1
}

/** The packages of the lockfile that fit this system. Without the optional ones that others need, npm installs fewer. */
function packagesHere() {
  const { packages = {} } = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8"))
  const fits = (wanted, own) => wanted === undefined || wanted.includes(own)
  const isHere = ([path, { os, cpu, libc }]) =>
    path !== "" && fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, "glibc")
  return Object.entries(packages).filter(isHere).length
}
