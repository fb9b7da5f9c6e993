import type { Workerd } from "./workerd-process.ts"

export interface Supervisor {
  /** Resolves when workerd listens, during a restart with the new process. Rejects when it cannot be restarted. */
  ready(): Promise<unknown>
  /** Rejects when workerd ends unexpectedly and cannot be restarted. */
  readonly failed: Promise<never>
  stop(withinMs: number): Promise<void>
}

export interface SuperviseOptions {
  readonly start: () => Promise<Workerd>
  readonly onLog: (line: string) => void
}

const MINUTE_MS = 60_000
/** With more restarts than this, a restart does not solve the problem. */
const RESTARTS_A_MINUTE = 5

/** Starts workerd, and restarts it when it ends unexpectedly, for example out of memory. */
export async function superviseWorkerd({ start, onLog }: SuperviseOptions): Promise<Supervisor> {
  let workerd = await start()
  let ready: Promise<unknown> = Promise.resolve()
  let isStopping = false
  let restarts: number[] = []

  async function keepRunning(): Promise<void> {
    for (;;) {
      const how = await workerd.ended
      if (isStopping) return
      const now = Date.now()
      restarts = [...restarts.filter((at) => at > now - MINUTE_MS), now]
      if (restarts.length > RESTARTS_A_MINUTE)
        throw new Error(`workerd ended ${restarts.length} times within a minute (${how})`)
      onLog(`workerd ended (${how}); restarting it`)
      const restarted = start()
      ready = restarted
      workerd = await restarted
      // `stop` was called during the restart and has ended the previous process.
      if (isStopping) await workerd.stop(0)
    }
  }
  const running = keepRunning()
  const failed = new Promise<never>((_, reject) => {
    running.catch(reject)
  })
  failed.catch(() => undefined)

  return {
    ready: () => ready,
    failed,
    async stop(withinMs) {
      isStopping = true
      await workerd.stop(withinMs)
      // A restart may have begun before the stop.
      await running.catch(() => undefined)
    },
  }
}
