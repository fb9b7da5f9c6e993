import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { exchange, prepareBeside, removeBeside } from "./beside.ts"
import { run, succeeds } from "./command.ts"
import { type Code, type Installation, type OnStep, type Target, versionIn, type Wanted } from "./installation.ts"

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
      let takeBack = () => {}
      try {
        await checkOut(code)
        takeBack = exchange(root)
        // The digest of the build covers files that only this folder has.
        await npm("run", "-s", "build")
      } catch (error) {
        takeBack()
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
