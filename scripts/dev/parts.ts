import { lockFolder } from "../libsql-server/lock-folder.ts"
import { type Child, startChild } from "./child.ts"
import type { EdgeLease } from "./edge-lease.ts"
import type { WorkerHost } from "./worker-host.ts"

/** The running parts of the stack. */
export class Parts {
  readonly children: Child[] = []
  readonly failed: Promise<never>
  /** Receives each line that a part prints, with the name of its source. */
  readonly onLog: (source: string, line: string) => void
  #fail: (error: Error) => void = () => undefined
  #hosts: WorkerHost[] = []
  #lease: EdgeLease | null = null
  #unlock: () => void = () => undefined
  #stopping = false

  constructor({ onLog }: { readonly onLog: Parts["onLog"] }) {
    this.onLog = onLog
    this.failed = new Promise<never>((_, reject) => {
      this.#fail = reject
    })
    this.failed.catch(() => undefined)
  }

  async start(name: string, script: string, env: Record<string, string>): Promise<Child> {
    const child = await startChild(name, script, { env, onLine: (line) => this.onLog(name, line) })
    // The stack may be stopping because another part failed during this start.
    if (this.#stopping) await child.stop()
    this.children.push(child)
    child.ended.then((code) => {
      if (!this.#stopping) this.#fail(new Error(`${name} ended unexpectedly (exit code ${code})`))
    })
    return child
  }

  addHost(host: WorkerHost): void {
    this.#hosts.push(host)
    host.failed.catch((error: Error) => this.#fail(error))
  }

  addLease(lease: EdgeLease): void {
    this.#lease = lease
    lease.lost.catch((error: Error) => this.#fail(error))
  }

  /** @throws Error when another service uses the folder */
  lock(dataDir: string): void {
    this.#unlock = lockFolder(dataDir)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#hosts.map((host) => host.stop()))
    // Not before: another edge may start from now on.
    await this.#lease?.release()
    await Promise.all(this.children.map((child) => child.stop()))
    this.#unlock()
  }
}
