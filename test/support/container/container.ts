import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { ComposeService } from "./compose.ts"
import type { Image } from "./image.ts"

/** A network namespace with a loopback interface only: nothing in it reaches the machine or the internet. */
export interface Network {
  readonly name: string
  /** Runs a command of the machine in it. @returns its output and exit code */
  run(command: string, ...args: string[]): { readonly code: number | null; readonly out: string }
  remove(): void
}

export function createNetwork(): Network {
  const name = `mailverdict-${randomUUID().slice(0, 8)}`
  execFileSync("ip", ["netns", "add", name])
  execFileSync("ip", ["-n", name, "link", "set", "lo", "up"])
  return {
    name,
    run: (command, ...args) => resultOf(spawnSync("ip", ["netns", "exec", name, command, ...args], LIMITS)),
    remove: () => void execFileSync("ip", ["netns", "del", name]),
  }
}

const LIMITS = { encoding: "utf8", timeout: 60_000 } as const
const resultOf = ({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }) => ({
  code: status,
  out: stdout + stderr,
})

export type Limits = Pick<
  ComposeService,
  "environment" | "read_only" | "tmpfs" | "cap_drop" | "cap_add" | "security_opt"
>

export interface ContainerOptions {
  readonly image: Image
  /** Its limits: read-only root, capabilities, tmpfs. */
  readonly service: Limits
  readonly network: Network
  /** Path of the machine by path in the container. */
  readonly mounts: Readonly<Record<string, string>>
}

export interface Container {
  /** The process id on the machine. */
  readonly pid: number
  readonly log: () => string
  /** Runs a command in it, as the engine runs a health check. */
  exec(...command: string[]): { readonly code: number | null; readonly out: string }
  /** Resolves with the exit code when it has ended. */
  readonly ended: Promise<number | null>
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
}

/** Starts a process in the root of an image, with the limits that an engine applies for a compose file. */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { network, image } = options
  const script = [...mounts(options), `exec ${enter(options, image.entrypoint).join(" ")}`].join("\n")
  const isolation = ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"]
  const child = spawn("ip", ["netns", "exec", network.name, ...isolation, "sh", "-euc", script], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const killed = () => child.kill("SIGKILL")
  process.once("exit", killed)
  let log = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      log += text
    })
  const ended = once(child, "close").then(([code]) => {
    process.off("exit", killed)
    return code as number | null
  })
  const pid = await firstChild(child).catch((error: Error) => {
    throw new Error(log, { cause: error })
  })
  return {
    pid,
    log: () => log,
    ended,
    exec: (...command) =>
      resultOf(
        spawnSync("nsenter", ["--target", String(pid), "--all", "sh", "-c", enter(options, command).join(" ")], LIMITS),
      ),
    stop: () => {
      if (child.exitCode === null) process.kill(pid, "SIGTERM")
      return ended
    },
  }
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function mounts({ image: { root }, service, mounts: binds }: ContainerOptions): string[] {
  const at = (path: string) => quote(join(root, path))
  return [
    `mount --bind ${at("/")} ${at("/")}`,
    `mount -t proc proc ${at("/proc")}`,
    ...service.tmpfs.map((path) => `mount -t tmpfs -o noexec,nosuid,nodev,mode=1777 tmpfs ${at(path)}`),
    ...Object.entries(binds).flatMap(([path, source]) => [
      `[ -e ${at(path)} ] || install -D /dev/null ${at(path)}`,
      `mount --bind ${quote(source)} ${at(path)}`,
    ]),
    ...(service.read_only ? [`mount -o remount,bind,ro ${at("/")}`] : []),
  ]
}

/** The command that enters the root, gives up rights, and runs another with the container's environment. */
function enter({ image, service }: ContainerOptions, command: readonly string[]): string[] {
  const { root, user, workdir, env } = image
  const [uid = "", gid = ""] = user.split(":")
  const drop = service.cap_drop.map((one) => `-${one.toLowerCase()}`)
  const add = service.cap_add.map((one) => `+${one.toLowerCase()}`)
  const rights = [
    ...["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--inh-caps=-all"],
    `--bounding-set=${[...drop, ...add].join(",")}`,
    ...(service.security_opt.includes("no-new-privileges:true") ? ["--no-new-privs"] : []),
  ]
  const variables = Object.entries({ ...env, ...service.environment }).map(([name, value]) => quote(`${name}=${value}`))
  return ["chroot", quote(root), ...rights, "env", "-i", `--chdir=${workdir}`, ...variables, ...command.map(quote)]
}

/** The process id of what `unshare --fork` starts. */
async function firstChild(parent: ChildProcess): Promise<number> {
  const file = `/proc/${parent.pid}/task/${parent.pid}/children`
  for (;;) {
    if (parent.exitCode !== null) throw new Error(`the container ended with ${parent.exitCode}`)
    const [pid] = readFileSync(file, "utf8").split(" ")
    if (pid) return Number(pid)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
