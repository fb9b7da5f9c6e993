import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { run } from "./command.ts"
import type { OnStep } from "./installation.ts"

const LOCK = "package-lock.json"
export const PACKAGES = "node_modules"
const PRODUCTS = "dist"
/** npm writes it when all packages are complete. */
const COMPLETE = join(PACKAGES, ".package-lock.json")

/** Where a version of a clone is made ready: on the same disk, in a folder that git ignores. */
const folderIn = (root: string): string => join(root, ".cache/update")
const nextIn = (root: string): string => join(folderIn(root), "next")

/**
 * Makes a commit ready to run beside a clone: its files, its packages, and its build.
 * @param settingsFiles changed files of the clone that the build reads
 * @returns the folder
 */
export async function prepareBeside(
  root: string,
  { commit, settingsFiles }: { commit: string; settingsFiles: readonly string[] },
  onStep: OnStep,
): Promise<string> {
  const next = nextIn(root)
  await removeBeside(root)
  onStep(`checking out ${commit.slice(0, 12)} beside this version`)
  await run("git", ["worktree", "add", "--quiet", "--detach", "--force", next, commit], { cwd: root })
  for (const name of settingsFiles) writeFileSync(join(next, name), readFileSync(join(root, name)))
  const isSame = readFileSync(join(next, LOCK), "utf8") === readFileSync(join(root, LOCK), "utf8")
  if (isSame && existsSync(join(root, COMPLETE))) symlinkSync(join(root, PACKAGES), join(next, PACKAGES))
  else {
    onStep(`installing packages, because ${LOCK} has changed: about a minute`)
    // npm has stored the packages of former versions, so that the way back needs no registry.
    await run("npm", ["ci", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: next })
  }
  onStep("building")
  await run("npm", ["run", "-s", "build"], { cwd: next })
  return next
}

/** Removes what `prepareBeside` and `exchange` leave behind. */
export async function removeBeside(root: string): Promise<void> {
  await rm(folderIn(root), { recursive: true, force: true, maxRetries: 3 })
  await run("git", ["worktree", "prune"], { cwd: root, isUninterrupted: true })
}

/**
 * Exchanges packages and build products of a clone for those made beside it.
 * @returns a function that takes it back
 */
export function exchange(root: string): () => void {
  const next = nextIn(root)
  const former = join(folderIn(root), "former")
  const built = existsSync(join(next, PRODUCTS)) ? readdirSync(join(next, PRODUCTS)) : []
  const paths = [...(isOwn(join(next, PACKAGES)) ? [PACKAGES] : []), ...built.map((name) => join(PRODUCTS, name))]
  const moved: (readonly [string, string])[] = []
  const move = (from: string, to: string) => {
    if (!existsSync(from)) return
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
    moved.push([from, to])
  }
  const takeBack = () => {
    for (const [from, to] of moved.toReversed()) renameSync(to, from)
  }
  try {
    for (const path of paths) {
      move(join(root, path), join(former, path))
      move(join(next, path), join(root, path))
    }
    // `npm start` compares this time with the one of package-lock.json, which the checkout may have changed.
    if (existsSync(join(root, COMPLETE))) utimesSync(join(root, COMPLETE), new Date(), new Date())
  } catch (error) {
    takeBack()
    throw error
  }
  return takeBack
}

/** A link leads to the packages of the clone, which both versions use. */
const isOwn = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
