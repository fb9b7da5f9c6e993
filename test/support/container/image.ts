import { execFileSync } from "node:child_process"
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
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

/**
 * Builds a Dockerfile of this project by its own instructions, without a container engine.
 * @param folder receives a root for each stage
 * @returns the image of the last stage
 */
export function buildImage(dockerfile: string, folder: string): Image {
  const built = new Map<string, string>()
  const context = contextOf(`${dockerfile}.dockerignore`)
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

/** What COPY finds: the roots of earlier stages by name, and the paths that a .dockerignore lets in. */
interface Sources {
  readonly built: ReadonlyMap<string, string>
  readonly context: readonly string[]
}

/** The paths of the project that a .dockerignore lets in: those that begin with "!". */
export function contextOf(dockerignore: string): string[] {
  return readFileSync(dockerignore, "utf8")
    .split("\n")
    .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []))
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

/** Copies from another stage, or from the project under the same names, as in a clone that is closed to other users. */
function copy({ flags, words }: Step, { root, workdir }: Image, { built, context }: Sources): void {
  const sources = words[0] === "." ? context : words.slice(0, -1)
  const named = words.at(-1)!
  const target = join(root, resolve(workdir, named))
  const stage = flags.get("from")
  if (stage) for (const source of sources) execFileSync("cp", ["-aT", join(built.get(stage)!, source), target])
  else if (named !== "./" && named !== sources.join()) throw new Error(`COPY: no renaming of ${sources}`)
  else {
    copyClone(sources, join(root, workdir))
    execFileSync("chmod", ["-R", "go-rwx", join(root, workdir)])
  }
}

/** Copies the files of the project that git does not ignore, with their times. @param paths relative to the project */
export function copyClone(paths: readonly string[], target: string): void {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...paths]
  const files = execFileSync("git", list, { cwd: project, encoding: "utf8" }).split("\0").filter(isFile)
  if (files.length === 0) throw new Error(`nothing at ${paths}`)
  execFileSync("cp", ["-a", "--parents", "-t", target, ...files], { cwd: project })
}

const isFile = (path: string) => path !== "" && existsSync(join(project, path))
