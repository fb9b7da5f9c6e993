import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { buildClient } from "./build-client.ts"
import { buildNode } from "./build-node.ts"
import { ensureBuilt } from "./built.ts"
import { ensureOperations } from "./ensure-operations.ts"
import { releaseFiles, releaseManifest } from "./release-files.ts"

const HELP = `npm run release [-- --folder PATH]

Builds dist/release/mailverdict-<version>-linux-<arch>.tar.gz, which runs with Node alone, and its SHA-256 beside it. The
same commit and Node give the same bytes. With --folder, it writes the content to a new folder instead.`

const root = fileURLToPath(new URL("../..", import.meta.url))
const OUT = join(root, "dist/release")

const SHEBANG = Buffer.from("#!")

/** What release.json says. */
interface ReleaseFacts {
  readonly version: string
  /** The processor that its programs are for. */
  readonly arch: string
  /** null when git is missing, as in the build of the container's image. */
  readonly commit: string | null
  /** The migrations that its database has, in their order. */
  readonly migrations: readonly string[]
}

/** Writes everything that runs to a folder, readable by every user and writable by its owner alone. */
async function writeRelease(folder: string): Promise<ReleaseFacts> {
  await ensureBuilt()
  await buildNode()
  await ensureOperations()
  await buildClient(join(root, "dist/client"))
  rmSync(folder, { recursive: true, force: true })
  for (const path of await releaseFiles(root, process.arch)) copy(path, join(folder, path))
  const facts = releaseFacts()
  write(join(folder, "package.json"), releaseManifest(root))
  write(join(folder, "release.json"), facts)
  return facts
}

function releaseFacts(): ReleaseFacts {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))
  const { version } = read("package.json") as { version: string }
  const { entries } = read("schema/migrations/meta/_journal.json") as { entries: { tag: string }[] }
  return { version, arch: process.arch, commit: git("rev-parse", "HEAD"), migrations: entries.map(({ tag }) => tag) }
}

function copy(path: string, target: string): void {
  makeFolder(dirname(target))
  copyFileSync(join(root, path), target)
  const isProgram = statSync(target).mode & 0o100 || readFileSync(target).subarray(0, 2).equals(SHEBANG)
  chmodSync(target, isProgram ? 0o755 : 0o644)
}

function write(path: string, content: object): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
  chmodSync(path, 0o644)
}

function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true })
  for (let at = path; first && at.length >= first.length; at = dirname(at)) chmodSync(at, 0o755)
}

/** Packs a folder. Order, owners and times are fixed. @returns the path of the archive */
function pack(folder: string, archive: string): string {
  const at = process.env.SOURCE_DATE_EPOCH || git("log", "-1", "--format=%ct") || "0"
  const fixed = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", `--mtime=@${at}`, "--format=gnu"]
  execFileSync("tar", [
    ...fixed,
    "-I",
    "gzip -n",
    "-C",
    dirname(folder),
    "-cf",
    archive,
    folder.slice(dirname(folder).length + 1),
  ])
  return archive
}

/** @returns the output of git; null outside of a clone */
function git(...args: string[]): string | null {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return null
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { folder: { type: "string" }, help: { type: "boolean" } } })
  if (values.help) return console.log(HELP)
  if (values.folder) return void (await writeRelease(values.folder))
  if (git("status", "--porcelain")) console.error("This release contains changes that are not committed.")
  const { version } = releaseFacts()
  const folder = join(OUT, `mailverdict-${version}`)
  await writeRelease(folder)
  const archive = pack(folder, join(OUT, `mailverdict-${version}-linux-${process.arch}.tar.gz`))
  const hash = createHash("sha256")
  await pipeline(createReadStream(archive), hash)
  const name = archive.slice(OUT.length + 1)
  writeFileSync(`${archive}.sha256`, `${hash.digest("hex")}  ${name}\n`)
  rmSync(folder, { recursive: true })
  console.log(archive)
}

if (import.meta.main) await main()
