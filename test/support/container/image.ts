import { execFileSync } from "node:child_process"
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { readStages, type Stage, type Step } from "./dockerfile.ts"

const project = fileURLToPath(new URL("../../..", import.meta.url))
/** What scripts/ci-container.sh fetches. */
export const CACHE = join(project, ".cache/container")

/** A root file system with the settings that a container of it starts with. */
export interface Image {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly healthCheck: readonly string[]
}

/** Debian's Caddy, started as its official image does. */
export const CADDY: Image = {
  root: join(CACHE, "caddy"),
  env: { PATH: "/usr/bin", HOME: "/root", XDG_DATA_HOME: "/data", XDG_CONFIG_HOME: "/config" },
  workdir: "/",
  user: "0:0",
  entrypoint: ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"],
  healthCheck: [],
}

/** Debian's nginx, with the configuration of its package. */
export const NGINX: Image = {
  root: join(CACHE, "nginx"),
  env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
  workdir: "/",
  user: "0:0",
  entrypoint: ["nginx", "-g", "daemon off;"],
  healthCheck: [],
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The place of the Dockerfile in this project and in an unpacked release. */
export const DOCKERFILE = "scripts/self-hosting/Dockerfile"

/**
 * Builds the Dockerfile of this project, or of an unpacked release, by its own instructions, without a container engine.
 * @param root the folder of the project or of the release
 * @param folder receives a root for each stage
 * @returns the image of the last stage
 */
export function buildImage(root: string, folder: string): Image {
  const built = new Map<string, string>()
  const dockerfile = join(root, DOCKERFILE)
  const isLetIn = readDockerignore(`${dockerfile}.dockerignore`)
  const context = { root, paths: filesOf(root).filter(isLetIn) }
  mkdirSync(folder, { recursive: true })
  const images = readStages(dockerfile).map((stage, index) => {
    const image = startStage(stage, join(folder, `stage-${index}`))
    for (const step of stage.steps) follow(step, image, { built, context })
    if (stage.name) built.set(stage.name, image.root)
    return image
  })
  return images.at(-1)!
}

function startStage({ image }: Stage, root: string): Writable<Image> {
  if (image !== `node:${process.versions.node}-bookworm-slim`) throw new Error(`no root for the image ${image}`)
  return nodeImage(root)
}

/** Creates the root of Node's official image: minimal Debian with Node. */
export function nodeImage(root: string): Writable<Image> {
  execFileSync("cp", ["-a", join(CACHE, "base"), root])
  addNode(root)
  const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }
  return { root, env, workdir: "/", user: "0:0", entrypoint: [], healthCheck: [] }
}

/** Adds what Node's official image has above Debian: Node, npm, and the account "node". */
function addNode(root: string): void {
  copyFileSync(process.execPath, join(root, "usr/local/bin/node"))
  const npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())))
  cpSync(npm, join(root, "usr/local/lib/node_modules/npm"), { recursive: true })
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"))
  execFileSync("chroot", [root, "useradd", "--uid", "1000", "--create-home", "node"])
}

/** What COPY finds: the roots of earlier stages by name, and the files of a folder that its .dockerignore lets in. */
interface Sources {
  readonly built: ReadonlyMap<string, string>
  readonly context: { readonly root: string; readonly paths: readonly string[] }
}

/** The files of a release, or those of the project that git does not ignore. */
function filesOf(root: string): string[] {
  if (existsSync(join(root, ".git"))) {
    const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
    return listed.split("\0").filter((path) => path !== "" && existsSync(join(root, path)))
  }
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

/**
 * Reads a .dockerignore: the last line that matches a file or a folder above it decides.
 * @returns whether the file at a path is part of the context
 */
export function readDockerignore(file: string): (path: string) => boolean {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  const withinName = (text: string) => text.replaceAll(".", "\\.").replaceAll("*", "[^/]*")
  const rules = lines.map((line) => {
    const source = line.replace(/^!/, "").split("**/").map(withinName).join("(.+/)?")
    return { matches: new RegExp(`^${source}(/|$)`), letsIn: line.startsWith("!") }
  })
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.letsIn ?? true
}

function follow(step: Step, image: Writable<Image>, from: Sources): void {
  const { keyword, words, text } = step
  if (keyword === "RUN") run(step, image)
  else if (keyword === "COPY") copy(step, image, from)
  else if (keyword === "WORKDIR") {
    image.workdir = resolve(image.workdir, text)
    mkdirSync(join(image.root, image.workdir), { recursive: true })
  } else if (keyword === "ENV") {
    const [, name, value] = /^(\w+)=(\S*)$/.exec(text)!
    image.env = { ...image.env, [name!]: value! }
  } else if (keyword === "USER") image.user = text
  else if (keyword === "ENTRYPOINT") image.entrypoint = words
  else if (keyword === "HEALTHCHECK") image.healthCheck = JSON.parse(text.replace(/^CMD /, ""))
  else if (!["LABEL", "EXPOSE", "STOPSIGNAL"].includes(keyword)) throw new Error(`unknown instruction ${keyword}`)
}

/** The proxies that every engine passes to RUN. */
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()])
const RUN = `
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
touch "$1/etc/resolv.conf" "$1/run/machine-ca.crt"
mount --bind /etc/resolv.conf "$1/etc/resolv.conf"
[ ! -e "$2" ] || mount --bind "$2" "$1/run/machine-ca.crt"
[ ! -e "$3" ] || mount --bind "$3" "$1$4"
exec chroot "$1" /bin/sh -c "cd \\"$5\\" && $6"`

/** Runs a command in the root as the superuser, with the machine's network. */
function run({ flags, text }: Step, { root, env, workdir }: Image): void {
  const { NODE_EXTRA_CA_CERTS: machineCa = "" } = process.env
  const target = /^type=cache,target=(\S+)$/.exec(flags.get("mount") ?? "")?.[1] ?? ""
  const cache = target && join(CACHE, "caches", target)
  if (target) for (const path of [cache, join(root, target)]) mkdirSync(path, { recursive: true })
  const machine = Object.fromEntries(PROXIES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
  const args = [root, machineCa, cache, target, workdir, text]
  execFileSync("unshare", ["--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", RUN, "sh", ...args], {
    env: {
      ...machine,
      ...env,
      HOME: "/root",
      DEBIAN_FRONTEND: "noninteractive",
      ...(machineCa ? { NODE_EXTRA_CA_CERTS: "/run/machine-ca.crt" } : {}),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 300_000,
  })
}

/** Copies from another stage, or the context under the same names, as from a folder that is closed to other users. */
function copy({ flags, words }: Step, { root, workdir }: Image, { built, context }: Sources): void {
  const [source = "", named = ""] = words
  const target = join(root, resolve(workdir, named))
  const stage = flags.get("from")
  if (stage) execFileSync("cp", ["-aT", join(built.get(stage)!, source), target])
  else if (source !== "." || named !== "./") throw new Error(`COPY: ${words} is more than the context`)
  else {
    copyFiles(context.root, context.paths, target)
    execFileSync("chmod", ["-R", "go-rwx", target])
  }
}

function copyFiles(root: string, files: readonly string[], target: string): void {
  if (files.length === 0) throw new Error(`${root} has none of the files`)
  const args = ["-C", root, "--null", "--verbatim-files-from", "-T", "-", "-cf", "-"]
  const packed = execFileSync("tar", args, { input: files.join("\0"), maxBuffer: 2 ** 29 })
  execFileSync("tar", ["-xpf", "-", "-C", target], { input: packed })
}
