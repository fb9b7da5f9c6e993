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
import {
  type Code,
  type Installation,
  type OnStep,
  run,
  succeeds,
  type Target,
  versionIn,
  type Wanted,
} from "./installation.ts"

const REMOTE = "origin"
const RELEASE_TAG = /^v\d+\.\d+\.\d+$/
/** Files of the project that docs/deploy.md lets an operator change. */
const SETTINGS_FILES = ["wrangler.toml"]

/** A git clone. git itself does everything with the code. */
export function openClone(root: string): Installation {
  const git = (...args: string[]) => run("git", args, { cwd: root })
  const isTrue = (...args: string[]) => succeeds("git", args, { cwd: root })
  const npm = (...args: string[]) => run("npm", args, { cwd: root })

  async function codeAt(commit: string, ref: string): Promise<Code> {
    return { version: versionIn(await git("show", `${commit}:package.json`)), commit, ref }
  }

  async function newestTag(): Promise<string> {
    const tags = (await git("tag", "--list", "v*", "--sort=-version:refname")).split("\n")
    const newest = tags.find((tag) => RELEASE_TAG.test(tag))
    if (newest) return newest
    throw new Error(`${REMOTE} has no release tag. Name what to update to: npm run update -- --to main`)
  }

  async function commitOf(name: string): Promise<string> {
    if (name.startsWith("-")) throw new Error(`--to: ${name} is not a tag, branch or commit`)
    for (const ref of [`refs/tags/${name}`, `refs/remotes/${REMOTE}/${name}`, name])
      if (await isTrue("rev-parse", "--quiet", "--verify", `${ref}^{commit}`))
        return git("rev-parse", "--verify", `${ref}^{commit}`)
    throw new Error(`--to: ${REMOTE} has no tag, branch or commit ${name}`)
  }

  /** Files that are changed here, against the commit in use. */
  const changedFiles = async () => linesOf(await git("diff", "--name-only", "HEAD"))

  async function current(): Promise<Code> {
    const commit = await git("rev-parse", "HEAD")
    const branch = await git("branch", "--show-current")
    return codeAt(commit, branch || commit)
  }

  async function checkOut({ commit, ref }: Code, ...options: string[]): Promise<void> {
    const branch = `refs/heads/${ref}`
    const isBranch =
      (await isTrue("rev-parse", "--quiet", "--verify", branch)) && (await git("rev-parse", branch)) === commit
    const name = isBranch ? [ref] : ["--detach", commit]
    await run("git", ["checkout", "--quiet", ...options, ...name], { cwd: root, isUninterrupted: true })
  }

  return {
    root,

    current,

    async findTarget({ to, from }: Wanted): Promise<Target | null> {
      if (from) throw new Error("--from is for an installed release. A clone updates from git: use --to")
      await git("fetch", "--quiet", "--tags", REMOTE)
      const name = to ?? (await newestTag())
      const commit = await commitOf(name)
      const isOlder = await isTrue("merge-base", "--is-ancestor", commit, "HEAD")
      if (isOlder && (!to || commit === (await git("rev-parse", "HEAD")))) return null
      const read = (path: string) => git("show", `${commit}:${path}`).catch(() => null)
      return { ...(await codeAt(commit, name)), read }
    },

    async problemsOf({ commit }) {
      const changed = await changedFiles()
      const other = changed.filter((file) => !SETTINGS_FILES.includes(file))
      const settings = changed.filter((file) => SETTINGS_FILES.includes(file))
      const conflicting = linesOf(await git("diff", "--name-only", "HEAD", commit, "--", ...SETTINGS_FILES))
      const both = settings.filter((file) => conflicting.includes(file))
      return [
        ...(other.length > 0
          ? [`Files are changed here: ${other.join(", ")}. Commit them, or run \`git stash\`.`]
          : []),
        ...both.map(
          (file) => `${file} is changed here and in the update: \`git stash\`, update, then \`git stash pop\`.`,
        ),
      ]
    },

    async prepare({ commit }: Code, onStep: OnStep) {
      const settingsFiles = (await changedFiles()).filter((file) => SETTINGS_FILES.includes(file))
      return prepareBeside(root, { commit, settingsFiles }, onStep)
    },

    async activate(code: Code) {
      const former = await current()
      const kept = SETTINGS_FILES.map((name) => [join(root, name), readFileSync(join(root, name))] as const)
      let undo = () => {}
      try {
        await checkOut(code)
        undo = exchange(root)
        // The digest of the build covers files that only this folder has.
        await npm("run", "-s", "build")
      } catch (error) {
        undo()
        await checkOut(former, "--force")
        for (const [file, content] of kept) writeFileSync(file, content)
        throw error
      }
    },

    cleanUp: () => removeBeside(root),
  }
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "")
}

const LOCK = "package-lock.json"
const PACKAGES = "node_modules"
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
async function prepareBeside(
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
async function removeBeside(root: string): Promise<void> {
  await rm(folderIn(root), { recursive: true, force: true, maxRetries: 3 })
  await run("git", ["worktree", "prune"], { cwd: root, isUninterrupted: true })
}

/**
 * Exchanges packages and build products of a clone for those made beside it.
 * @returns a function that takes it back
 */
function exchange(root: string): () => void {
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
  const undo = () => {
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
    undo()
    throw error
  }
  return undo
}

/** A link leads to the packages of the clone, which both versions use. */
const isOwn = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
