import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { z } from "zod"
import { type Code, type Installation, type OnStep, run, type Target, type Wanted } from "./installation.ts"

/** What `npm run release` writes into an archive. */
const Manifest = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+[\w.-]*$/),
  commit: z.string().nullable(),
  /** The processor that its programs are for, in Node's words. */
  arch: z.string(),
})
const MANIFEST = "release.json"
/** The folder in an archive. Another name, such as one that begins with a dash, could be an option of tar. */
const TOP = /^mailverdict-[\w.-]+$/
/** Files of an archive that a check reads. */
const READ = /^[^/]+\/(release\.json|CHANGELOG\.md|schema\/migrations\/.+)$/
/** The link to the release that runs, beside the folder of all releases. */
const LINK = "current"
/** Begins the names of folders in which archives are unpacked. */
const UNPACKING = ".unpacking-"
/** In such a folder: a release that the archive replaces. */
const FORMER = "former"

/** A release below `releases/`, named by its version, with the link `current` beside that folder. */
export function openRelease(root: string): Installation {
  const releases = dirname(root)
  const link = join(dirname(releases), LINK)
  if (basename(releases) !== "releases" || !lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(`${root} is not at releases/<version> beside a link \`${LINK}\`: see docs/self-hosting.md`)
  let archive: string | null = null

  return {
    root,
    // A former release can roll back a damaged one, so this may be another folder than the root.
    current: async () => codeIn(link),

    async findTarget({ to, from }: Wanted, onStep: OnStep): Promise<Target | null> {
      if (realpathSync(link) !== realpathSync(root))
        throw new Error(`${root} is not in use, ${readlinkSync(link)} is: run \`cd ${link}\` first`)
      if (to) throw new Error("--to is for a git clone. A release updates from an archive: use --from")
      if (!from) throw new Error("Name the archive: npm run update -- --from mailverdict-<version>-linux-<arch>.tar.gz")
      archive = resolve(from)
      const target = await targetIn(archive, codeIn(root), onStep)
      if (!target) return null
      const placed = join(releases, target.ref)
      if (isOtherBuild(placed, target))
        throw new Error(`${placed} is another build of ${target.version}: remove that folder first`)
      return target
    },

    problemsOf: async () => [],

    async prepare({ ref }: Code, onStep: OnStep) {
      const folder = join(releases, ref)
      if (!archive) {
        if (existsSync(folder)) return folder
        throw new Error(`${folder} does not exist: update to that release from its archive`)
      }
      onStep(`unpacking to ${folder}`)
      const fresh = mkdtempSync(join(releases, UNPACKING))
      await run("tar", ["-xzf", archive, "-C", fresh, "--no-same-owner"], { cwd: releases })
      const [top] = readdirSync(fresh)
      // A folder of an earlier update that is not in use may be damaged.
      if (existsSync(folder)) renameSync(folder, join(fresh, FORMER))
      renameSync(join(fresh, top!), folder)
      return folder
    },

    /** A rename replaces the link in one step, so that no start finds none. */
    async activate({ ref }: Code) {
      const next = `${link}.next`
      rmSync(next, { force: true })
      symlinkSync(join(basename(releases), ref), next)
      renameSync(next, link)
    },

    /** Also removes what an update left that was killed. */
    async cleanUp() {
      for (const name of readdirSync(releases))
        if (name.startsWith(UNPACKING)) rmSync(join(releases, name), { recursive: true, force: true })
    },
  }
}

/**
 * Reads the release in an archive.
 * @param installed the code in use
 * @returns null when that is the same @throws Error when the archive is damaged, missing, or for another processor
 */
export async function targetIn(archive: string, installed: Code, onStep: OnStep): Promise<Target | null> {
  if (!(await checkDigest(archive))) onStep(`unchecked, because ${archive}.sha256 does not exist`)
  const extracted = await extractSome(archive)
  const code = codeIn(extracted)
  const { arch } = manifestIn(extracted)
  if (arch !== process.arch)
    throw new Error(`--from: ${archive} is for ${arch}. This machine needs the archive for ${process.arch}`)
  if (code.commit === installed.commit) return null
  const read = async (path: string) => {
    const file = join(extracted, path)
    return existsSync(file) ? readFileSync(file, "utf8") : null
  }
  return { ...code, read }
}

/** @throws Error when the folder holds no release */
export function codeIn(folder: string): Code {
  const { version, commit } = manifestIn(folder)
  return { version, commit: commit ?? version, ref: version }
}

/** Whether a folder holds another build of that version. A damaged one is replaced. */
function isOtherBuild(folder: string, { commit }: Code): boolean {
  try {
    return existsSync(folder) && codeIn(folder).commit !== commit
  } catch {
    return false
  }
}

export function manifestIn(folder: string): z.infer<typeof Manifest> {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")))
  } catch (error) {
    throw new Error(`${join(folder, MANIFEST)} does not name a version, a commit and a processor`, { cause: error })
  }
}

/**
 * Compares an archive with the digest that `npm run release` writes beside it.
 * @returns false without a digest @throws Error when the archive is damaged or missing
 */
async function checkDigest(archive: string): Promise<boolean> {
  if (!existsSync(archive)) throw new Error(`--from: there is no file ${archive}`)
  const digest = `${basename(archive)}.sha256`
  if (!existsSync(join(dirname(archive), digest))) return false
  await run("sha256sum", ["--check", "--quiet", "--", digest], { cwd: dirname(archive) })
  return true
}

/** Extracts what a check reads into a temporary folder. @returns the folder of the release in it */
async function extractSome(archive: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-update-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const names = (await run("tar", ["-tzf", archive], { cwd: folder })).split("\n")
  const [top] = new Set(names.map((name) => name.split("/")[0]!))
  const isOne = TOP.test(top ?? "") && names.every((name) => name.startsWith(`${top}/`))
  const read = names.filter((name) => READ.test(name) && !name.endsWith("/"))
  if (!isOne || !read.includes(`${top}/${MANIFEST}`))
    throw new Error(`--from: ${archive} is not a release: it needs one folder with ${MANIFEST}`)
  await run("tar", ["-xzf", archive, "-C", folder, "--no-same-owner", "--", ...read], { cwd: folder })
  return join(folder, top!)
}
