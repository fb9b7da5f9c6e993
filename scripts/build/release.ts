import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, relative } from "node:path"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { build, type Metafile } from "esbuild"
import { buildClient } from "./build-client.ts"
import { buildNode } from "./build-node.ts"
import { ensureBuilt } from "./built.ts"
import { ensureOperations } from "./ensure-operations.ts"

/** Node 24.3 is the first that reads TypeScript without a warning. */
const NODE = ">=24.3"
/** Runs before each script, because an older Node cannot read them. */
const VERSION_CHECK = "scripts/self-hosting/node-version.cjs"

/** The scripts of package.json that a release has, those that exist. */
const SCRIPTS = ["start", "update", "migrate", "backup", "restore", "keys", "sign-in", "doctor", "import:breaches"]
/** Programs that these start by their path. The last two are the command line and its declared entry. */
const PROGRAMS = [
  "scripts/libsql-server/main.ts",
  "scripts/sandbox/main.ts",
  "probe-node/main.ts",
  "scripts/dev/end-with-parent.ts",
  "scripts/dev/workerd/cron-worker.mjs",
  "scripts/self-hosting/health-check.ts",
  "node_modules/workerd/lib/main.js",
  "dist/client/cli.js",
  "dist/client/mailverdict.js",
]
/** Files and folders of the project that no import names: data, pages, settings, documents. */
const OTHERS = [
  ...["README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", ".env.example", "docs", "schema/migrations"],
  ...["scripts/self-hosting", "scripts/sandbox/form-demo"],
  ...["probe-node/README.md", "probe-node/mailverdict-probe.service", "probe-node/grafana-dashboard.json"],
]
const BUILT = ["dist/worker", "dist/assets", "dist/client", "dist/worker-config.json", "dist/probe-node.mjs"]
/** Source maps, and settings of the machine that builds. */
const LEFT_OUT = /\.map$|(^|\/)[\w.-]*\.env$/
/** The programs of packages are files of a package of their own, one for each system. */
const NATIVE: Readonly<Record<string, readonly string[]>> = {
  x64: ["@cloudflare/workerd-linux-64", "@libsql/linux-x64-gnu"],
  arm64: ["@cloudflare/workerd-linux-arm64", "@libsql/linux-arm64-gnu"],
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/**
 * The files of a release, relative to the project: what its programs import, and what they read.
 * @param root the project, built, with a trailing slash
 * @throws Error when a program imports a package that only builds or tests, or one that is not installed
 */
export async function releaseFiles(root: string, arch: string): Promise<string[]> {
  const manifest = readManifest(root)
  const scripts = Object.values(releaseScripts(manifest)).map((line) => line.split(" ").at(-1)!)
  const { inputs } = await trace(root, [...scripts, ...PROGRAMS], Object.keys(manifest.devDependencies))
  const traced = Object.keys(inputs)
  expectProductionOnly(inputs)
  const packages = new Set(traced.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  const about = [...packages].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /^(package\.json|licen[cs]e|notice)/i.test(name))
      .map((name) => join(folder, name)),
  )
  const native = (NATIVE[arch] ?? []).map((name) => join("node_modules", name))
  const others = OTHERS.flatMap((path) => ownFilesAt(root, path))
  const files = [...traced, ...about, ...others, ...[...BUILT, ...native].flatMap((path) => filesAt(root, path))]
  return [...new Set(files)].filter((path) => !LEFT_OUT.test(path)).toSorted()
}

/** The release's own package.json: no packages to install, and scripts that Node runs. */
export function releaseManifest(root: string): object {
  const manifest = readManifest(root)
  const { name, version, description, license, type } = manifest
  return {
    name,
    version,
    description,
    license,
    private: true,
    type,
    engines: { node: NODE },
    scripts: releaseScripts(manifest),
  }
}

const readManifest = (root: string) => JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest

function releaseScripts({ scripts }: Manifest): Record<string, string> {
  const known = SCRIPTS.filter((name) => Object.hasOwn(scripts, name))
  return Object.fromEntries(
    known.map((name) => [name, scripts[name]!.replace(/\bnode /, `node -r ./${VERSION_CHECK} `)]),
  )
}

/** Follows the imports of programs to every file that they load, as Node resolves them. */
async function trace(root: string, entryPoints: readonly string[], tools: readonly string[]): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    outdir: join(root, "dist"),
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    // Node reads neither "module" of a package.json nor its condition.
    mainFields: ["main"],
    conditions: [],
    external: ["*.node", ...tools],
    tsconfigRaw: {},
    logLevel: "error",
  })
  return metafile
}

/**
 * A program may load a tool by `import()`, and then has to do without it in a release.
 * @throws Error that names the file and the package of another import
 */
export function expectProductionOnly(inputs: Metafile["inputs"]): void {
  for (const [file, { imports }] of Object.entries(inputs))
    for (const { path, kind, external } of imports)
      if (external && kind === "import-statement" && !/^node:|^<runtime>$/.test(path) && file.endsWith(".ts"))
        throw new Error(`${file} imports ${path}, a package of "devDependencies" that a release does not have`)
}

/**
 * The files of the project at a path. In a clone these are the files that git has: settings and secrets of the machine
 * that builds may be beside them. @throws Error when git is missing in a clone, or refuses its owner
 */
export function ownFilesAt(root: string, path: string): string[] {
  const found = filesAt(root, path)
  if (!existsSync(join(root, ".git"))) return found
  const listed = execFileSync("git", ["ls-files", "-z", "--", path], { cwd: root, encoding: "utf8" }).split("\0")
  return found.filter((file) => listed.includes(file))
}

function filesAt(root: string, path: string): string[] {
  if (!existsSync(join(root, path))) throw new Error(`${path} is missing: the release needs it`)
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

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
  // An image of the release has its programs, too. A clone's image builds them.
  const ignored = join(folder, "scripts/self-hosting/Dockerfile.dockerignore")
  if (existsSync(ignored)) appendFileSync(ignored, "!dist\n!node_modules\n!release.json\n")
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
