import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

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
