import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** The service of `npm start` with its data on a disk of its own, which a test can fill. */
export interface SmallDiskService {
  readonly url: string
  readonly log: readonly string[]
  /** DATA_DIR, as a path that leads into the service's namespace. */
  readonly dataDir: string
  /** Takes all free space. */
  fill(): void
  /** Frees what `fill` took. */
  free(): void
  stop(): Promise<void>
}

const START = fileURLToPath(new URL("../../../scripts/dev/start.ts", import.meta.url))
const END_WITH_PARENT = new URL("../../../scripts/dev/end-with-parent.ts", import.meta.url).href
/** Mounts the disk at $1 and runs the rest. No process outside sees the mount. */
const RUN = 'mount -t tmpfs -o "size=$2,mode=700" tmpfs "$1"; shift 2; exec "$@"'

/**
 * Starts the service in a mount namespace of its own, with a tmpfs as DATA_DIR.
 * @param size of the disk, such as "8m"
 * @throws Error when this machine allows neither mount nor user namespaces
 */
export async function startOnSmallDisk(
  size: string,
  settings: Readonly<Record<string, string>>,
): Promise<SmallDiskService> {
  const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-small-disk-"))
  const command = [process.execPath, "--import", END_WITH_PARENT, START]
  const child = spawn("unshare", [...namespaces(), "sh", "-euc", RUN, "sh", dataDir, size, ...command], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      LOG_FORMAT: "json",
      DATA_DIR: dataDir,
      ...settings,
    },
    stdio: ["pipe", "pipe", "pipe"],
  })
  const log: string[] = []
  const started = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        log.push(line)
        const url = /"event":"started".*?"url":"(http:[^"]+)"/.exec(line)?.[1]
        if (url) resolve(url)
      })
  })
  const ended = once(child, "close")
  const url = await Promise.race([
    started,
    ended.then(() => {
      throw new Error(`the service did not start:\n${log.join("\n")}`)
    }),
  ])
  // `unshare` and the shell have become the service, so the process id is its own.
  const inside = join(`/proc/${child.pid}/root`, dataDir)
  const filler = join(inside, "filler")
  return {
    url,
    log,
    dataDir: inside,
    fill: () => fillDisk(filler),
    free: () => rmSync(filler, { force: true }),
    async stop() {
      child.kill("SIGTERM")
      await ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Root needs a mount namespace only. Another user, and root without that right, needs a user namespace as well. */
function namespaces(): string[] {
  const ways = [["--mount"], ["--user", "--map-root-user", "--mount"]]
  const mount = ["sh", "-c", "mount -t tmpfs tmpfs /mnt"]
  const way = ways.find((flags) => spawnSync("unshare", [...flags, ...mount]).status === 0)
  if (!way) throw new Error("a full disk needs a mount: run as root with CAP_SYS_ADMIN, or allow user namespaces")
  return way
}

/** Writes until no block is free, in ever smaller pieces. */
function fillDisk(path: string): void {
  const file = openSync(path, "a")
  for (const bytes of [65_536, 4_096]) {
    try {
      while (writeSync(file, Buffer.alloc(bytes)) > 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
    }
  }
  closeSync(file)
}
