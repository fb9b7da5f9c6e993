import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
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
