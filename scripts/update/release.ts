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
import { run } from "./command.ts"
import type { Code, Installation, OnStep, Target, Wanted } from "./installation.ts"

/** What `npm run release` writes into an archive. */
const Manifest = z.object({ version: z.string().regex(/^\d+\.\d+\.\d+[\w.-]*$/), commit: z.string().nullable() })
const MANIFEST = "release.json"
/** Files of an archive that a check reads. */
const READ = /^[^/]+\/(release\.json|CHANGELOG\.md|schema\/migrations\/.+)$/
/** The link to the release that runs, beside the folder of all releases. */
const LINK = "current"

/** A release below `releases/`, named by its version, with the link `current` beside that folder. */
export function openRelease(root: string): Installation {
  const releases = dirname(root)
  const link = join(dirname(releases), LINK)
  if (basename(releases) !== "releases" || !lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(`${root} is not at releases/<version> beside a link \`${LINK}\`: see docs/self-hosting.md`)
  if (realpathSync(link) !== realpathSync(root))
    throw new Error(`${root} is not in use, ${readlinkSync(link)} is: run \`cd ${link}\` first`)
  let archive: string | null = null

  return {
    root,
    current: async () => codeIn(root),

    async findTarget({ to, from }: Wanted): Promise<Target | null> {
      if (to) throw new Error("--to is for a git clone. A release updates from an archive: use --from")
      if (!from) throw new Error("Name the archive: npm run update -- --from mailverdict-<version>-linux-<arch>.tar.gz")
      archive = resolve(from)
      await checkDigest(archive)
      const extracted = await extractSome(archive)
      const code = codeIn(extracted)
      if (code.commit === codeIn(root).commit) return null
      const placed = join(releases, code.ref)
      if (existsSync(placed) && codeIn(placed).commit !== code.commit)
        throw new Error(`${placed} is another build of ${code.version}: remove that folder first`)
      const read = async (path: string) => {
        const file = join(extracted, path)
        return existsSync(file) ? readFileSync(file, "utf8") : null
      }
      return { ...code, read }
    },

    problemsOf: async () => [],

    async prepare({ ref }: Code, onStep: OnStep) {
      const folder = join(releases, ref)
      if (existsSync(folder)) return folder
      if (!archive) throw new Error(`${folder} does not exist: update to that release from its archive`)
      onStep(`unpacking to ${folder}`)
      const fresh = mkdtempSync(join(releases, ".unpacking-"))
      try {
        await run("tar", ["-xzf", archive, "-C", fresh, "--no-same-owner"], { cwd: releases })
        renameSync(join(fresh, readdirSync(fresh)[0]!), folder)
      } finally {
        rmSync(fresh, { recursive: true, force: true })
      }
      return folder
    },

    /** A rename replaces the link in one step, so that no start finds none. */
    async activate({ ref }: Code) {
      const next = `${link}.next`
      rmSync(next, { force: true })
      symlinkSync(join(basename(releases), ref), next)
      renameSync(next, link)
    },
  }
}

/** @throws Error when the folder holds no release */
function codeIn(folder: string): Code {
  try {
    const { version, commit } = Manifest.parse(JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")))
    return { version, commit: commit ?? version, ref: version }
  } catch (error) {
    throw new Error(`${join(folder, MANIFEST)} does not name a version and a commit`, { cause: error })
  }
}

/** `npm run release` writes the digest beside an archive. @throws Error when the archive is damaged or missing */
async function checkDigest(archive: string): Promise<void> {
  if (!existsSync(archive)) throw new Error(`--from: there is no file ${archive}`)
  const digest = `${basename(archive)}.sha256`
  if (existsSync(join(dirname(archive), digest)))
    await run("sha256sum", ["--check", "--quiet", digest], { cwd: dirname(archive) })
}

/** Extracts what a check reads into a temporary folder. @returns the folder of the release in it */
async function extractSome(archive: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-update-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const names = (await run("tar", ["-tzf", archive], { cwd: folder })).split("\n")
  const [top] = new Set(names.map((name) => name.split("/")[0]!))
  const isOne = names.every((name) => name.startsWith(`${top}/`))
  const read = names.filter((name) => READ.test(name) && !name.endsWith("/"))
  if (!isOne || !read.includes(`${top}/${MANIFEST}`))
    throw new Error(`--from: ${archive} is not a release: it needs one folder with ${MANIFEST}`)
  await run("tar", ["-xzf", archive, "-C", folder, "--no-same-owner", ...read], { cwd: folder })
  return join(folder, top!)
}
