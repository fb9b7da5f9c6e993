import { execFile, spawn } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

export interface Peer {
  readonly name: string
  readonly version: string
  /** Installs the peer and its adapter into a folder. @returns the command of the adapter */
  readonly install: (folder: string) => Promise<readonly string[]>
}

/** A peer that is ready to run, or the reason why it is not. */
export interface Installed {
  readonly name: string
  readonly version: string
  readonly command: readonly string[] | null
  readonly problem: string | null
}

const ADAPTERS = fileURLToPath(new URL("adapters", import.meta.url))
const BUILD_WITHIN_MS = 60 * 60_000
const MAX_OUTPUT = 64 * 2 ** 20

const run = (command: string, args: readonly string[], cwd: string) =>
  promisify(execFile)(command, args, { cwd, timeout: BUILD_WITHIN_MS, maxBuffer: MAX_OUTPUT })

/** Copies an adapter into the folder of its peer. @returns the copy */
function place(adapter: string, folder: string, as = adapter): string {
  copyFileSync(join(ADAPTERS, adapter), join(folder, as))
  return join(folder, as)
}

const npm = (name: string, version: string): Peer => ({
  name,
  version,
  install: async (folder) => {
    await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", `${name}@${version}`], folder)
    return [process.execPath, place("node.ts", folder, "adapter.mts"), name]
  },
})

const cargo = (name: string, version: string, adapter: string): Peer => ({
  name,
  version,
  install: async (folder) => {
    place(adapter, folder, "main.rs")
    const manifest = [
      '[package]\nname = "peer"\nversion = "0.0.0"\nedition = "2021"',
      '[[bin]]\nname = "peer"\npath = "main.rs"',
      `[dependencies]\n${name} = "=${version}"\ntokio = { version = "1", features = ["full"] }\nserde_json = "1"`,
    ]
    writeFileSync(join(folder, "Cargo.toml"), `${manifest.join("\n")}\n`)
    await run("cargo", ["build", "--release"], folder)
    return [join(process.env.CARGO_TARGET_DIR ?? join(folder, "target"), "release/peer")]
  },
})

const pip = (name: string, version: string, adapter: string): Peer => ({
  name,
  version,
  install: async (folder) => {
    const python = join(folder, "venv/bin/python")
    await run("python3", ["-m", "venv", "venv"], folder)
    await run(python, ["-m", "pip", "install", "--quiet", `${name}==${version}`], folder)
    return [python, place(adapter, folder)]
  },
})

const go = (name: string, version: string, adapter: string): Peer => ({
  name,
  version,
  install: async (folder) => {
    place(adapter, folder, "main.go")
    writeFileSync(join(folder, "go.mod"), "module peer\n\ngo 1.21\n")
    await run("go", ["get", `${name}@v${version}`], folder)
    await run("go", ["build", "-o", "peer", "."], folder)
    return [join(folder, "peer")]
  },
})

/** Open verifiers that talk SMTP, with their versions of November 2026. */
export const PEERS: readonly Peer[] = [
  cargo("check-if-email-exists", "0.11.11", "reacher.rs"),
  go("github.com/AfterShip/email-verifier", "1.4.1", "aftership.go"),
  npm("deep-email-validator", "0.1.27"),
  npm("email-deep-validator", "3.3.0"),
  pip("py3-validate-email", "1.0.5.post2", "py3-validate-email.py"),
]

/** Installs a peer into its own folder of `root`. */
export async function install({ name, version, install }: Peer, root: string): Promise<Installed> {
  const folder = join(root, name.replaceAll("/", "-"))
  mkdirSync(folder, { recursive: true })
  try {
    return { name, version, command: await install(folder), problem: null }
  } catch (error) {
    return { name, version, command: null, problem: `not available: ${shortReason(error as Error)}` }
  }
}

/** The last line of the installer's output, which names the cause. */
function shortReason({ message }: Error): string {
  return message.trim().split("\n").at(-1)!.trim()
}

/** Time for all verifiers together. */
const WITHIN_MS = 40 * 60_000
const END_WITH_PARENT = new URL("../../dev/end-with-parent.ts", import.meta.url).href

/** $1 is the folder of the two files. The shell stays process 1: with its end the kernel ends all the others. */
const ENTER = `
mount --bind "$1/resolv.conf" /etc/resolv.conf || exit 1
[ ! -e /etc/nsswitch.conf ] || mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf || exit 1
ip link set lo up || exit 1
shift
"$@"
exit $?`

/**
 * Runs `node <script> <args>` in namespaces of its own: a network with loopback only, where ports 25 and 53 are free
 * and 127.0.0.1 is the system's resolver. The namespaces end with their last process. Linux only; a user other than
 * root needs unprivileged user namespaces.
 * @returns what the script prints. @throws Error when it fails or takes too long
 */
export async function runInSandboxNetwork(script: string, args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-peers-"))
  writeFileSync(join(folder, "resolv.conf"), "nameserver 127.0.0.1\n")
  // Names go to that resolver alone, not to a service of the host such as systemd-resolved.
  writeFileSync(join(folder, "nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files dns\n")
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
  if (process.getuid?.() !== 0) namespaces.unshift("--map-root-user")
  const node = [process.execPath, "--import", END_WITH_PARENT, fileURLToPath(new URL(script, import.meta.url)), ...args]
  const child = spawn("unshare", [...namespaces, "sh", "-c", ENTER, "sh", folder, ...node], {
    // `ip` is in sbin, which is not in the path of every user.
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    stdio: ["pipe", "pipe", "inherit"],
    timeout: WITHIN_MS,
    killSignal: "SIGKILL",
  })
  try {
    const ended = new Promise<number | null>((resolve, reject) => child.once("exit", resolve).once("error", reject))
    const [output, code] = await Promise.all([text(child.stdout), ended])
    if (code !== 0) throw new Error(`The measurement failed (exit code ${code}); see its output above`)
    return output
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
